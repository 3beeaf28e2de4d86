import type { Operation, Parameter } from './openapi-types.ts';

/** A command that asks for this operation, with its examples. `$URL` and `$KEY` are the reader's. */
export function curlOf(path: string, method: string, operation: Operation): string {
  const own = (operation.parameters ?? []).filter((parameter): parameter is Parameter => !('$ref' in parameter));
  const address = own.reduce(
    (text, { name, in: place, example }) => (place === 'path' ? text.replace(`{${name}}`, String(example)) : text),
    path,
  );
  const asked = own.filter(({ in: place, example }) => place === 'query' && example !== undefined);
  const query = new URLSearchParams(asked.map(({ name, example }): [string, string] => [name, String(example)])).toString();
  const media = operation.requestBody?.content['application/json'];
  const parts = [
    `curl "$URL${address}${query && `?${query}`}"`,
    method !== 'get' && method !== 'post' && `-X ${method.toUpperCase()}`,
    operation.security.length > 0 && '-H "X-Api-Key: $KEY"',
    media && `-H 'Content-Type: application/json' -d '${JSON.stringify(media.example)}'`,
    method === 'post' && !media && '-X POST',
  ];
  return parts.filter((part) => part !== false && part !== undefined).join(' \\\n  ');
}
