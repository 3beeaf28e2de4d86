import { createHmac } from 'node:crypto';

export interface SignedMessage {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
  /** Unix seconds of the attempt. */
  readonly timestamp: number;
}

/**
 * Returns the headers of a delivery, with one signature per valid secret (https://www.standardwebhooks.com), and the headers of the old API.
 * @param secrets the texts of the valid secrets, newest first
 */
export function signedHeaders(message: SignedMessage, secrets: readonly [string, ...string[]]): Record<string, string> {
  const { webhookId, eventId, eventType, body, timestamp } = message;
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
