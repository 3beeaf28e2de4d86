import type { ComponentChildren } from 'preact';
import { SatchelError } from '../api/client.ts';
import type { Resource } from '../api/resource.ts';
import { t, textOfError } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { formatMinute } from './format-time.ts';
import { Note } from './note.tsx';
import { SkeletonRows } from './skeleton.tsx';

export interface LoadedProps<T> {
  readonly resource: Resource<T>;
  /** Has the size of the content. Default: five rows. */
  readonly skeleton?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows a part of the page once its data is loaded: before, a skeleton; after a failure, the error, and the old data with its time. */
export function Loaded<T>({ resource, skeleton, children }: LoadedProps<T>) {
  const { data, error, loadedAt } = resource;
  return (
    <>
      {error !== undefined && <LoadError error={error} onRetry={resource.reload} loadedAt={data === undefined ? undefined : loadedAt} />}
      {data !== undefined ? children(data) : error === undefined && <div aria-busy="true">{skeleton ?? <SkeletonRows />}</div>}
    </>
  );
}

/** Says that a part could not be loaded, with the request id for the operator. `loadedAt`: the time of the old data below, in ms. */
export function LoadError({ error, onRetry, loadedAt }: { error: unknown; onRetry: () => void; loadedAt?: number | undefined }) {
  const isResponse = error instanceof SatchelError;
  return (
    <Note
      tone="error"
      action={
        <Button size="small" onClick={onRetry}>
          {t.common.tryAgain}
        </Button>
      }
    >
      <p>{isResponse ? textOfError(error) : t.common.noAnswer}</p>
      {loadedAt !== undefined && <p class="small">{t.common.dataFrom(formatMinute(loadedAt))}</p>}
      {isResponse && <p class="tiny faint mono">{t.common.requestId(error.requestId)}</p>}
    </Note>
  );
}
