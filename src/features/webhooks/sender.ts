import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { hmacSha256 } from '../../core/kernel/crypto.ts';
import { tracedRemotely, traceparentOf } from '../../core/kernel/tracing.ts';
import { OutboundError } from '../../core/outbound/outbound.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import { eventIdOf } from './deliveries.ts';
import { validSecrets } from './secrets.ts';
import type { DeliveryAttempt } from './webhook-object.ts';
import type { WebhookRow } from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

const UNREADABLE_SECRET = 'The signing secret cannot be decrypted. Rotate it.';
const NOT_RENDERED = 'The service could not render the event.';

/** A delivery to send. `body` is undefined if the event cannot be rendered. */
interface Sendable {
  readonly row: DeliveryRow;
  readonly body: string | undefined;
  readonly traceparent?: string | undefined;
}

interface SendLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a delivery to its receiver once, in a span of the trace of the request that caused the event.
 * @returns the attempt; undefined if none was made, because too many requests are running or the signal aborted.
 */
export function sendDelivery(
  deps: WebhookDependencies,
  webhook: WebhookRow,
  delivery: Sendable,
  limits: SendLimits,
): Promise<DeliveryAttempt | undefined> {
  // Without the URL, which may contain a secret.
  const attributes = { 'satchel.webhook_id': webhook.id, 'satchel.event_type': delivery.row.event_type };
  return tracedRemotely('webhook delivery', { kind: SpanKind.PRODUCER, attributes }, delivery.traceparent, async (span) => {
    const attempt = await send(deps, webhook, { ...delivery, traceparent: traceparentOf(span) }, limits);
    if (attempt?.status_code) span.setAttribute('http.response.status_code', attempt.status_code);
    if (attempt && attempt.error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
    return attempt;
  });
}

async function send(
  { outbound, secretBox, clock }: WebhookDependencies,
  webhook: WebhookRow,
  { row, body, traceparent }: Sendable,
  { timeoutMs, signal }: SendLimits,
): Promise<DeliveryAttempt | undefined> {
  const at = unixSeconds(clock);
  const started = performance.now();
  const ended = (status_code: number | null, error: string | null, response = ''): DeliveryAttempt => ({
    at,
    duration_ms: Math.round(performance.now() - started),
    status_code,
    error,
    response,
  });
  if (body === undefined) return ended(null, NOT_RENDERED);
  const [newest, ...earlier] = validSecrets(webhook, at).map((stored) => secretBox.open(webhook.id, stored));
  if (newest === undefined) return ended(null, UNREADABLE_SECRET);
  const signed = signedHeaders(row, body, at, [newest, ...earlier.filter((secret) => secret !== undefined)]);
  const headers = traceparent === undefined ? signed : { ...signed, traceparent };
  try {
    const { status, text } = await outbound.post(webhook.url, { headers, body, timeoutMs, signal });
    return ended(status, errorOf(status), storable(text));
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof OutboundError)) throw error;
    if (error.reason === 'busy') return undefined;
    return ended(null, error.reason === 'timed_out' ? `No response within ${timeoutMs / 1000} seconds.` : error.message);
  }
}

/**
 * Returns the headers of a delivery, with one signature per valid secret (https://www.standardwebhooks.com), and the headers of the old API.
 * @param secrets the texts of the valid secrets, newest first
 */
function signedHeaders(row: DeliveryRow, body: string, timestamp: number, secrets: readonly [string, ...string[]]): Record<string, string> {
  const id = eventIdOf(row);
  const signatures = secrets.map((secret) => `v1,${hmacSha256(keyOf(secret), `${id}.${timestamp}.${body}`).toString('base64')}`);
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
    'X-LNPay-Event': row.event_type,
    'X-LNPay-HookId': row.webhook_id,
    'X-LNPay-Signature': hmacSha256(Buffer.from(secrets[0]), body).toString('hex'),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
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
