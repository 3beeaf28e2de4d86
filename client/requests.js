import { isTemporary, SatchelError } from './errors.js';
import { pause, readResponse, withConnectionErrors } from './response.js';

/** Longer than the service waits for the end of a payment. */
const TIMEOUT_MS = 90_000;
const MAX_RETRIES = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** A longer `Retry-After` is left to the caller. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/**
 * Returns the function that sends an operation and repeats it. An operation that takes an Idempotency-Key always has one, and the same in every
 * attempt. The errors have it too: an unknown outcome is repeated only with the same key.
 */
export function createSender({ url, key, fetch: sendRequest = fetch, ...defaults }) {
  const base = url.replace(/\/+$/, '');
  return async (operation, ids, request, options) => {
    const { timeoutMs, maxRetries, ...settings } = {
      timeoutMs: TIMEOUT_MS,
      maxRetries: MAX_RETRIES,
      ...defined(defaults),
      ...defined(options),
    };
    const { signal } = settings;
    if (operation.keyed) settings.idempotencyKey ??= newIdempotencyKey();
    const [address, init] = requestFor(base, key, operation, ids, request, settings);
    signal?.throwIfAborted();
    for (let failures = 0; ; failures += 1) {
      const { response, error, value } = await attempt(sendRequest, operation, [address, init], signal, timeoutMs);
      if (error === undefined || signal?.aborted || failures >= maxRetries || !mayRepeat(operation, error)) {
        if (response) settings.onResponse?.(response);
        if (error === undefined) return { value, response };
        if (operation.keyed && error !== signal?.reason) error.idempotencyKey = settings.idempotencyKey;
        throw error;
      }
      await pause(pauseAfter(error, failures), signal);
    }
  };
}

/** An option that is `undefined` counts as absent. */
function defined(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

async function attempt(sendRequest, operation, [address, init], signal, timeoutMs) {
  let response;
  try {
    const value = await withConnectionErrors(signal, async () => {
      response = await sendRequest(address, { ...init, signal: limitedSignal(signal, timeoutMs) });
      return readResponse(response, operation);
    });
    return { response, value };
  } catch (error) {
    return { response, error };
  }
}

function limitedSignal(signal, timeoutMs) {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

/** A request without an Idempotency-Key that changes something is repeated only if the service certainly has not executed it. */
function mayRepeat({ method, keyed, hasSideEffect, isRead }, error) {
  if (!isTemporary(error) || error.retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) return false;
  return keyed || isRead || (method === 'GET' && !hasSideEffect) || (error instanceof SatchelError && [429, 503].includes(error.status));
}

/** A part of the pause is random, so that many clients do not repeat their requests at the same time. It is never shorter than `Retry-After`. */
function pauseAfter({ retryAfterSeconds = 0 }, failures) {
  const backoff = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return retryAfterSeconds * 1000 + backoff * (retryAfterSeconds > 0 ? Math.random() : 0.5 + Math.random() / 2);
}

/** `crypto.randomUUID` would need a secure context, which a page over http does not have outside of localhost. */
function newIdempotencyKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the address and the options of `fetch` for an operation. All fields are the query of a GET, and the body of other methods. */
function requestFor(base, key, { method, path, open }, ids, request, { idempotencyKey, headers }) {
  const left = [...ids];
  const address = base + path.replaceAll(/\{(\w+)\}/g, (_, name) => pathPart(name, left.shift()));
  const fields = defined(request);
  const isGet = method === 'GET';
  const query = isGet ? queryOf(fields) : '';
  const hasBody = !isGet && Object.keys(fields).length > 0;
  const allHeaders = {
    accept: 'application/json',
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(key !== undefined && !open && { 'x-api-key': key }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...headers,
  };
  return [query ? `${address}?${query}` : address, { method, headers: allHeaders, ...(hasBody && { body: JSON.stringify(fields) }) }];
}

/** An object is written as `name[key]=value`. */
function queryOf(fields) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'object' && value !== null) for (const [key, text] of Object.entries(value)) query.set(`${name}[${key}]`, text);
    else query.set(name, value);
  return String(query);
}

/** An empty id or one of dots would lead to another path. */
function pathPart(name, value) {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`\`${name}\` must be a text that identifies the object.`);
  return encodeURIComponent(value);
}
