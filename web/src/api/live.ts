import { useEffect, useState } from 'preact/hooks';
import { createClient } from '../../../client/satchel.js';
import { SERVICE_URL } from '../base-path.ts';
import { type Event, isLoggedOut } from './client.ts';
import { endSession } from './session.tsx';

/** `live`: events arrive. `lost`: the connection is being restored; screens show data that may be old. */
export type LiveState = 'connecting' | 'live' | 'lost';

/**
 * `asks`: a new tab asks the tab that reads the stream for its state. `isAnswer`: the state was the same when it asked, because a change in
 * between arrives before the answer.
 */
type Message = { readonly event: Event } | { readonly state: LiveState; readonly isAnswer?: boolean } | { readonly asks: true };

const listeners = new Set<(event: Event) => void>();
const stateListeners = new Set<(state: LiveState) => void>();
const missedListeners = new Set<() => void>();
let state: LiveState = 'connecting';

/** Calls `listener` for every event of the account until the returned function is called. */
export function onEvent(listener: (event: Event) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `listener` after each change of the connection. */
export function onLiveState(listener: (state: LiveState) => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

/** Calls `listener` each time that events have begun to arrive. Those before were missed: what was loaded before may be old. */
export function onMissedEvents(listener: () => void): () => void {
  missedListeners.add(listener);
  return () => missedListeners.delete(listener);
}

export function useLiveState(): LiveState {
  const [current, setCurrent] = useState(state);
  useEffect(() => {
    // It may have changed since the component was rendered.
    setCurrent(state);
    return onLiveState(setCurrent);
  }, []);
  return current;
}

/**
 * Receives the events of the account until `signal` aborts. A browser opens only six connections to a host, so the tabs share one stream: the
 * tab that holds the lock reads it and sends the events to the others. Only tabs of the same session share one.
 */
export function receiveEvents(sessionId: string, signal: AbortSignal): void {
  const name = `satchel ${SERVICE_URL} ${sessionId}`;
  const channel = new BroadcastChannel(name);
  let isReading = false;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!('asks' in data)) deliver(data);
    else if (isReading) channel.postMessage({ state, isAnswer: true });
  };
  channel.postMessage({ asks: true });
  signal.addEventListener('abort', () => {
    channel.close();
    state = 'connecting';
  });
  const send = (message: Message) => {
    if (signal.aborted) return;
    deliver(message);
    channel.postMessage(message);
  };
  const read = () => {
    isReading = true;
    // Events were missed if another tab has read until now, so all tabs load their data again once this stream is live.
    send({ state: 'connecting' });
    return readStream(send, signal);
  };
  // Locks need a secure context. Without them every tab has a stream of its own.
  const reading = navigator.locks ? navigator.locks.request(name, { signal }, read) : read();
  Promise.resolve(reading).catch((error) => {
    if (signal.aborted) return;
    send({ state: 'lost' });
    if (isLoggedOut(error)) endSession();
  });
}

async function readStream(send: (message: Message) => void, signal: AbortSignal): Promise<void> {
  const fetchAndNote: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (response.ok) send({ state: 'live' });
    return response;
  };
  const onDisconnect = () => send({ state: 'lost' });
  const { events } = createClient({ url: SERVICE_URL, fetch: fetchAndNote });
  for await (const event of events.stream({ signal, onDisconnect })) send({ event });
}

function deliver(message: Message): void {
  if ('event' in message) for (const listener of listeners) listener(message.event);
  else if ('state' in message && message.state !== state) {
    state = message.state;
    for (const listener of stateListeners) listener(state);
    if (state === 'live' && message.isAnswer !== true) for (const listener of missedListeners) listener();
  }
}
