import { useSearchParams } from 'wouter-preact';

/** Changes parameters of the address. Those without a value are removed. */
export type ChangeFilters = (changes: Readonly<Record<string, string | undefined>>, options?: { isPage?: boolean }) => void;

/** Returns the parameters of the address. Filters replace the entry of the browser's history; a page adds one. */
export function useFilters(): readonly [parameters: URLSearchParams, change: ChangeFilters] {
  const [parameters, setParameters] = useSearchParams();
  return [
    parameters,
    (changes, { isPage = false } = {}) =>
      setParameters(
        (present) => {
          for (const [name, value] of Object.entries(changes))
            if (value === undefined || value === '') present.delete(name);
            else present.set(name, value);
          return present;
        },
        { replace: !isPage },
      ),
  ];
}
