import { createHmac } from 'node:crypto';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { OutboundError } from '../../core/outbound/outbound.ts';
import type { DeliveryAttempt } from './delivery.ts';
import { validSecrets } from './secrets.ts';
import type { WebhookRow } from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

/** What a delivery sends. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
}

const UNREADABLE_SECRET = 'The signing secret cannot be decrypted. Rotate it.';

/**
 * Sends an event to a receiver once.
 * @returns the attempt; undefined if none was made, because too many requests are running or the signal aborted.
 */
export async function sendEvent(
  { outbound, secretBox, clock }: Pick<WebhookDependencies, 'outbound' | 'secretBox' | 'clock'>,
  webhook: WebhookRow,
  event: OutgoingEvent,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<DeliveryAttempt | undefined> {
  const timestamp = unixSeconds(clock);
  const [newest, ...earlier] = validSecrets(webhook, timestamp).map((stored) => secretBox.open(webhook.id, stored));
  const atMs = clock.nowMs();
  const started = performance.now();
  const ended = (result: Pick<DeliveryAttempt, 'status' | 'error' | 'response'>): DeliveryAttempt => ({
    atMs,
    durationMs: Math.round(performance.now() - started),
    ...result,
  });
  if (newest === undefined) return ended({ status: null, error: UNREADABLE_SECRET, response: '' });
  const secrets = [newest, ...earlier.filter((secret) => secret !== undefined)] as const;
  const headers = signedHeaders({ ...event, webhookId: webhook.id, timestamp }, secrets);
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
}

/**
 * Returns the headers of a delivery, with one signature per valid secret (https://www.standardwebhooks.com), and the headers of the old API.
 * @param secrets the texts of the valid secrets, newest first
 */
function signedHeaders(
  { webhookId, eventId, eventType, body, timestamp }: OutgoingEvent & { webhookId: string; timestamp: number },
  secrets: readonly [string, ...string[]],
): Record<string, string> {
  const signatures = secrets.map((secret) => `v1,${hmac(keyOf(secret), `${eventId}.${timestamp}.${body}`).toString('base64')}`);
  return {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
    'X-LNPay-Event': eventType,
    'X-LNPay-HookId': webhookId,
    'X-LNPay-Signature': hmac(secrets[0], body).toString('hex'),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
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
