import { type IncomingHttpHeaders, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Json } from './client.ts';

/** Sends exactly these headers, including Host. `fetch` adds headers and restricts others. */
export function rawGet(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Json }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode, headers: response.headers, body }), reject);
    });
    sent.on('error', reject).end();
  });
}
