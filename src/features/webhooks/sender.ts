import type { Clock } from '../../core/kernel/clock.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { type Outbound, OutboundError } from '../../core/outbound/outbound.ts';
import type { SecretBox, StoredSecret } from './secrets.ts';
import { signedHeaders } from './signature.ts';
import type { DeliveryAttempt, Webhook } from './webhook.ts';

/** What a delivery sends. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
}

/** Sends an event to a receiver once. */
export interface Sender {
  /** @returns the attempt; undefined if none was made, because too many requests are running or the signal aborted. */
  send(webhook: Webhook, event: OutgoingEvent, signal: AbortSignal): Promise<DeliveryAttempt | undefined>;
}

export interface SenderDependencies {
  readonly outbound: Pick<Outbound, 'post'>;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  /** How long a receiver may take. */
  readonly timeoutMs: number;
}

const UNREADABLE_SECRET = 'The signing secret cannot be decrypted. Rotate it.';

export function createSender({ outbound, secretBox, clock, timeoutMs }: SenderDependencies): Sender {
  return {
    async send(webhook, event, signal) {
      const [newest, ...earlier] = validSecrets(webhook.secrets, unixSeconds(clock)).map((stored) => secretBox.open(webhook.id, stored));
      const atMs = clock.nowMs();
      const started = performance.now();
      const ended = (result: Pick<DeliveryAttempt, 'status' | 'error' | 'response'>): DeliveryAttempt => ({
        atMs,
        durationMs: Math.round(performance.now() - started),
        ...result,
      });
      if (newest === undefined) return ended({ status: null, error: UNREADABLE_SECRET, response: '' });
      const secrets = [newest, ...earlier.filter((secret) => secret !== undefined)] as const;
      const headers = signedHeaders({ ...event, webhookId: webhook.id, timestamp: unixSeconds(clock) }, secrets);
      try {
        const { status, text } = await outbound.post(webhook.url, { headers, body: event.body, timeoutMs, signal });
        return ended({ status, error: errorOf(status), response: storable(text) });
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof OutboundError)) throw error;
        if (error.reason === 'busy') return undefined;
        const cause = error.reason === 'timed_out' ? `No response within ${timeoutMs / 1000} seconds.` : error.message;
        return ended({ status: null, error: cause, response: '' });
      }
    },
  };
}

/** Returns the secrets whose overlap has not ended. */
export function validSecrets(secrets: readonly StoredSecret[], nowSeconds: number): StoredSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > nowSeconds);
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? 'The receiver redirected. Redirects are not followed: change the URL.'
    : `The receiver responded ${status}, not 2xx.`;
}

/** A database stores neither NUL nor half of a surrogate pair. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
