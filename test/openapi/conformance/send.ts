import type { Client, HttpResponse } from '../../support/client.ts';
import type { Values, Walked } from './operations.ts';

export interface Sending {
  readonly key?: string | undefined;
  readonly as?: 'json' | 'form';
  /** Whether to use the second path of the operation. */
  readonly atAlias?: boolean;
}

/** Sends a request with these values, valid or not. */
export function send(client: Client, walked: Walked, values: Values, { key, as = 'json', atAlias }: Sending): Promise<HttpResponse> {
  const template = atAlias && walked.alias ? walked.alias : walked.path;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.path[name])));
  const query = new URLSearchParams(Object.entries(values.query).flatMap(([name, value]) => parametersOf(name, value)));
  const headers = Object.fromEntries(Object.entries(values.header).map(([name, value]) => [name, String(value)]));
  const ownPage = path.startsWith('/v1/session') ? { 'sec-fetch-site': 'same-origin' } : {};
  const address = `${path}${query.size > 0 ? `?${query}` : ''}`;
  const body = walked.operation.requestBody ? (as === 'form' ? { form: formOf(values.body) } : { json: values.body }) : {};
  return client.request(walked.method, address, { key, headers: { ...ownPage, ...headers }, withoutNewKey: true, ...body });
}

/** Writes an object as `name[key]=value` (OpenAPI: deepObject). */
function parametersOf(name: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[name, String(value)]];
  return Object.entries(value).map(([key, text]) => [`${name}[${key}]`, String(text)]);
}

/** Writes an object as `name[key]=value`, as the document's `encoding` states, and a nested object as JSON. */
function formOf(fields: Values['body']): string {
  const isFlat = (value: unknown) =>
    typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one !== 'object');
  const texts = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    isFlat(value) ? parametersOf(name, value) : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
  );
  return new URLSearchParams(texts).toString();
}
