import type { Duplex } from 'node:stream';
import { parseJson } from '../kernel/json.ts';
import { shownReason } from '../kernel/shown-text.ts';
import type { NostrEvent } from './event.ts';
import type { PublishResult } from './relay-session.ts';
import { openWebSocket } from './websocket.ts';

const LIMITS = { maxMessageBytes: 65_536, maxUnsentBytes: 131_072 };
const MAX_MESSAGES = 100;

/**
 * Publishes an event to a relay over a connected socket, and closes it. For relays that others choose: it reads at most 100 messages.
 * @throws Error if the signal aborts or the connection ends before the relay's answer
 */
export async function publishOnSocket(socket: Duplex, url: URL, event: NostrEvent, signal: AbortSignal): Promise<PublishResult> {
  const connection = await openWebSocket(url, { open: async () => socket, signal, ...LIMITS });
  const { promise, resolve, reject } = Promise.withResolvers<PublishResult>();
  const abort = () => reject(signal.reason);
  let messages = 0;
  connection.listen({
    onText(text) {
      messages += 1;
      const message = parseJson(text);
      const [type, id, accepted, reason] = Array.isArray(message) ? (message as unknown[]) : [];
      if (type === 'OK' && id === event.id) resolve({ accepted: accepted === true, message: shownReason(reason) });
      else if (messages >= MAX_MESSAGES) reject(new Error('the relay sends too many messages'));
    },
    onEnd: (error) => reject(error ?? new Error('the relay closed the connection')),
  });
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    connection.send(JSON.stringify(['EVENT', event]));
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    connection.end();
  }
}
