import { ConnectionError, isTemporary } from './errors.js';
import { createEventParser } from './event-parser.js';
import { pause, readResponse, withConnectionErrors } from './response.js';

const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** Three heartbeats of the service. */
const SILENCE_MS = 45_000;

/**
 * Yields the events of the account, or of one wallet, as they happen. When the connection is lost, it connects again and continues after the
 * last event, so that no event is missing and none is repeated.
 */
export async function* streamEvents(options) {
  const { signal, onDisconnect } = options;
  const state = { after: options.after, retryMs: RETRY_MS, failures: 0 };
  for (;;) {
    try {
      yield* connect(options, state);
      onDisconnect?.(undefined);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTemporary(error)) throw error;
      onDisconnect?.(error);
    }
    const longest = Math.min(state.retryMs * 2 ** state.failures, LONGEST_RETRY_MS);
    state.failures += 1;
    // Many clients that lost their connections at the same time do not all return at once.
    await pause(longest * (0.5 + Math.random() / 2), signal);
  }
}

/** Yields the events of one connection, and stores in `state` from where the next one continues. */
async function* connect({ url, key, wallet, types, signal, fetch: sendRequest = fetch }, state) {
  const path = wallet === undefined ? '/v1/events' : `/v1/wallet/${encodeURIComponent(wallet)}/events`;
  const query = types === undefined ? '' : `?type=${encodeURIComponent(types.join(','))}`;
  const connection = new AbortController();
  let timer;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new Error('The stream was silent for too long.')), SILENCE_MS);
  };
  signal?.throwIfAborted();
  try {
    restartTimer();
    const headers = {
      accept: 'text/event-stream',
      ...(key !== undefined && { 'x-api-key': key }),
      ...(state.after !== undefined && { 'last-event-id': state.after }),
    };
    const response = await withConnectionErrors(signal, async () => {
      const both = signal ? AbortSignal.any([signal, connection.signal]) : connection.signal;
      const received = await sendRequest(`${url.replace(/\/+$/, '')}${path}${query}`, { headers, signal: both });
      if (/^text\/event-stream\b/.test(received.headers.get('content-type') ?? '')) return received;
      await readResponse(received);
      throw new ConnectionError('The response is no stream of events.');
    });
    const parser = createEventParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await withConnectionErrors(signal, () => reader.read());
      if (done) return;
      restartTimer();
      for (const { id, data } of parser.push(decoder.decode(value, { stream: true }))) {
        state.failures = 0;
        state.retryMs = parser.retryMs ?? RETRY_MS;
        if (id !== undefined) state.after = id;
        // The consumer may take its time.
        clearTimeout(timer);
        if (data !== '') yield JSON.parse(data);
        restartTimer();
      }
    }
  } finally {
    clearTimeout(timer);
    connection.abort();
  }
}
