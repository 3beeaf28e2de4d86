import { OPERATIONS } from './operations.js';
import { isTemporary, pause, readResponse, SatchelError } from './response.js';

export { events } from './events.js';
export { isTemporary, SatchelError } from './response.js';
export { verifyWebhook, WebhookError } from './webhooks.js';

/** Longer than the service waits for the end of a payment. */
const TIMEOUT_MS = 90_000;
const MAX_RETRIES = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** A client with one method for each operation of the API. */
export function createClient({ url, key, fetch: sendRequest = fetch, ...defaults }) {
  const base = url.replace(/\/+$/, '');
  const createMethod = (operation) => async (request, options) => {
    const settings = { timeoutMs: TIMEOUT_MS, maxRetries: MAX_RETRIES, ...defaults, ...options };
    const { timeoutMs, maxRetries, signal } = settings;
    if (operation.keyed && maxRetries > 0) settings.idempotencyKey ??= newIdempotencyKey();
    const [address, init] = requestFor(base, key, operation, request ?? {}, settings);
    for (let failures = 0; ; failures += 1) {
      const { response, error, value } = await attempt(sendRequest, address, { ...init, signal: limitedSignal(signal, timeoutMs) });
      if (error === undefined || signal?.aborted || failures >= maxRetries || !mayRepeat(operation, error)) {
        if (response) settings.onResponse?.(response);
        if (error !== undefined) throw error;
        return value;
      }
      await pause(pauseAfter(error, failures), signal);
    }
  };
  return Object.fromEntries(Object.entries(OPERATIONS).map(([name, operation]) => [name, createMethod(operation)]));
}

async function attempt(sendRequest, address, init) {
  let response;
  try {
    response = await sendRequest(address, init);
    return { response, value: await readResponse(response) };
  } catch (error) {
    return { response, error };
  }
}

function limitedSignal(signal, timeoutMs) {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

/** A request without an Idempotency-Key that changes something is repeated only if the service certainly has not executed it. */
function mayRepeat({ method, keyed, hasSideEffect }, error) {
  if (!isTemporary(error)) return false;
  return keyed || (method === 'GET' && !hasSideEffect) || (error instanceof SatchelError && [429, 503].includes(error.status));
}

/** Half of the pause is random, so that many clients do not repeat their requests at the same time. */
function pauseAfter(error, failures) {
  const ms = error.retryAfterSeconds === undefined ? FIRST_PAUSE_MS * 2 ** failures : error.retryAfterSeconds * 1000;
  return Math.min(ms, LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2);
}

/** `crypto.randomUUID` would need a secure context, which a page over http does not have outside of localhost. */
function newIdempotencyKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const DEFAULT_WAIT_SECONDS = 120;
/** Less than the timeout of most proxies. */
const ONE_WAIT_SECONDS = 30;

/**
 * Returns an invoice or a payment as soon as its `status` is final: the service sends its response then, so that nothing is polled. At
 * the timeout it is returned as it is: a payment that is still `pending` has not failed.
 */
export async function waitForPayment(client, id, { timeoutSeconds = DEFAULT_WAIT_SECONDS, signal } = {}) {
  const deadline = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    const began = Date.now();
    const wait = Math.min(Math.ceil((deadline - began) / 1000), ONE_WAIT_SECONDS);
    try {
      const transaction = await client.getLightningTransaction({ id, ...(wait > 0 && { wait }) }, { signal, maxRetries: 0 });
      if (!['open', 'pending', 'arriving'].includes(transaction.status) || Date.now() >= deadline) return transaction;
    } catch (error) {
      if (signal?.aborted || !isTemporary(error) || Date.now() >= deadline) throw error;
    }
    // The service responds at once when too many requests wait.
    await pause(Math.max(0, began + 1000 - Date.now()), signal);
  }
}

/** Yields the items of a list. Items that are added meanwhile neither repeat nor hide others where the list has a cursor. */
export async function* items(client, name, request, options) {
  for await (const page of pages(client, name, request, options)) yield* page;
}

/** Yields the pages of a list. */
export async function* pages(client, name, request = {}, options = {}) {
  const hasCursor = OPERATIONS[name].query.includes('after');
  let next = request;
  for (;;) {
    let link = '';
    const onResponse = (response) => {
      link = response.headers.get('link') ?? '';
      options.onResponse?.(response);
    };
    const page = await client[name](next, { ...options, onResponse });
    if (page.length > 0) yield page;
    const following = /<[^>]*\?([^>]*)>; rel="next"/.exec(link)?.[1];
    if (following === undefined) return;
    const { page: number = 1, ...rest } = next;
    // A filtered page may be empty before the end; only the link has its cursor.
    const after = hasCursor ? (new URLSearchParams(following).get('after') ?? page.at(-1)?.id) : undefined;
    next = after === undefined ? { ...rest, page: number + 1 } : { ...rest, after };
  }
}

/** Returns the address and the options of `fetch` for an operation. What is neither in the path nor in the query is the body. */
function requestFor(base, key, operation, request, { idempotencyKey, headers = {} }) {
  const fields = new Map(Object.entries(request).filter(([, value]) => value !== undefined));
  const removeField = (name) => {
    const value = fields.get(name);
    fields.delete(name);
    return value;
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(removeField(name))));
  const query = new URLSearchParams();
  for (const name of operation.query ?? []) {
    const value = removeField(name);
    if (typeof value === 'object' && value !== null)
      for (const [key, text] of Object.entries(value)) query.set(`${name}[${key}]`, String(text));
    else if (value !== undefined) query.set(name, String(value));
  }
  const hasBody = operation.method !== 'GET' && fields.size > 0;
  const allHeaders = {
    accept: 'application/json',
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(key !== undefined && !operation.open && { 'x-api-key': key }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...headers,
  };
  const body = hasBody ? { body: JSON.stringify(Object.fromEntries(fields)) } : {};
  return [`${base}${path}${query.size > 0 ? `?${query}` : ''}`, { method: operation.method, headers: allHeaders, ...body }];
}
