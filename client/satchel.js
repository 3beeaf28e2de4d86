import { OPERATIONS } from './operations.js';
import { isTemporary, pause, readResponse } from './response.js';

export { events } from './events.js';
export { isTemporary, SatchelError } from './response.js';
export { verifyWebhook, WebhookError } from './webhooks.js';

/** A client with one method for each operation of the API. */
export function createClient({ url, key, fetch: ask = fetch }) {
  const base = url.replace(/\/+$/, '');
  const call = (operation) => async (request, options) => {
    const [address, init] = requestOf(base, key, operation, request ?? {}, options ?? {});
    const response = await ask(address, init);
    options?.onResponse?.(response);
    return readResponse(response);
  };
  return Object.fromEntries(Object.entries(OPERATIONS).map(([name, operation]) => [name, call(operation)]));
}

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_INTERVAL_MS = 1_000;

/**
 * Polls an invoice or a payment until its `status` is not `pending`, and returns it. At the timeout it is returned as it is: a payment that is
 * still `pending` has not failed.
 */
export async function waitForSettlement(client, id, options = {}) {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, intervalMs = DEFAULT_INTERVAL_MS, signal } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const transaction = await client.getLightningTransaction({ id }, { signal });
    if (transaction.status !== 'pending' || Date.now() + intervalMs > deadline) return transaction;
    await pause(intervalMs, signal);
  }
}

const DEFAULT_WAIT_SECONDS = 120;
/** Less than the timeout of most proxies. */
const ONE_WAIT_SECONDS = 30;

/**
 * Returns an invoice or a payment as soon as its `status` is not `pending`: the service sends its response then, so that nothing is polled. At
 * the timeout it is returned as it is: a payment that is still `pending` has not failed.
 */
export async function waitForPayment(client, id, { timeoutSeconds = DEFAULT_WAIT_SECONDS, signal } = {}) {
  const deadline = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    const began = Date.now();
    const wait = Math.min(Math.ceil((deadline - began) / 1000), ONE_WAIT_SECONDS);
    try {
      const transaction = await client.getLightningTransaction({ id, ...(wait > 0 && { wait }) }, { signal });
      if (transaction.status !== 'pending' || Date.now() >= deadline) return transaction;
    } catch (error) {
      if (signal?.aborted || !isTemporary(error) || Date.now() >= deadline) throw error;
    }
    // The service responds at once when too many requests wait.
    await pause(Math.max(0, began + 1000 - Date.now()), signal);
  }
}

/** Yields the pages of a list. Items that are added meanwhile neither repeat nor hide others where the list has a cursor. */
export async function* pages(client, name, request = {}) {
  const hasCursor = OPERATIONS[name].query.includes('after');
  let next = request;
  for (;;) {
    let link = '';
    const items = await client[name](next, { onResponse: ({ headers }) => (link = headers.get('link') ?? '') });
    if (items.length > 0) yield items;
    const following = /<[^>]*\?([^>]*)>; rel="next"/.exec(link)?.[1];
    if (following === undefined) return;
    const { page = 1, ...rest } = next;
    // A filtered page may be empty before the end; only the link has its cursor.
    const after = hasCursor ? (new URLSearchParams(following).get('after') ?? items.at(-1)?.id) : undefined;
    next = after === undefined ? { ...rest, page: page + 1 } : { ...rest, after };
  }
}

function requestOf(base, key, operation, request, { idempotencyKey, headers = {}, signal }) {
  const left = new Map(Object.entries(request).filter(([, value]) => value !== undefined));
  const take = (name) => {
    const value = left.get(name);
    left.delete(name);
    return value;
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(take(name))));
  const query = new URLSearchParams();
  for (const name of operation.query ?? []) {
    const value = take(name);
    if (typeof value === 'object' && value !== null)
      for (const [key, text] of Object.entries(value)) query.set(`${name}[${key}]`, String(text));
    else if (value !== undefined) query.set(name, String(value));
  }
  const address = `${base}${path}${query.size > 0 ? `?${query}` : ''}`;
  const hasBody = operation.method !== 'GET' && left.size > 0;
  const sent = {
    accept: 'application/json',
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(key !== undefined && !operation.open && { 'x-api-key': key }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...headers,
  };
  const body = hasBody ? { body: JSON.stringify(Object.fromEntries(left)) } : {};
  return [address, { method: operation.method, headers: sent, ...(signal && { signal }), ...body }];
}
