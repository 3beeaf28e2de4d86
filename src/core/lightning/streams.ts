import { pause } from '../kernel/clock.ts';

/** Ends a stream of a node without an error when the signal has aborted. */
export async function* untilAborted<T>(signal: AbortSignal, stream: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* stream;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

export interface Heartbeat {
  /** Throws if the connection is dead, which a node does not report. */
  readonly send: () => Promise<unknown>;
  readonly intervalMs: number;
}

/** Streams until the signal aborts. @throws the error of a heartbeat that fails; the signal of the stream aborts then. */
export async function* withHeartbeat<T>(
  { send, intervalMs }: Heartbeat,
  signal: AbortSignal,
  stream: (connected: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const broken = new AbortController();
  const ended = new AbortController();
  const waiting = AbortSignal.any([signal, ended.signal]);
  void (async () => {
    while (!(await pause(intervalMs, waiting))) await send().catch((error) => broken.abort(error));
  })();
  const connected = AbortSignal.any([signal, broken.signal]);
  try {
    yield* untilAborted(connected, stream(connected));
    if (!signal.aborted) broken.signal.throwIfAborted();
  } finally {
    ended.abort();
  }
}
