const DEFAULT_TOLERANCE_SECONDS = 300;

/** The request is not a webhook that the service has signed with one of the secrets within the tolerance. */
export class WebhookError extends Error {
  name = 'WebhookError';
}

/**
 * Checks the signature and the age of a webhook (Standard Webhooks), and returns its event. `body` is the body as it was received: JSON that was
 * parsed and written again has another signature. @throws WebhookError
 */
export async function verifyWebhook(body, headers, secrets, { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = {}) {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ').flatMap(signatureBytes);
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookError('The header webhook-timestamp must be Unix seconds.');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('The webhook is too old, or from the future. Check the clock of this machine.');
  const sent = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), sent);
  for (const secret of [secrets].flat()) {
    const key = await crypto.subtle.importKey('raw', secretBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    // It takes the same time for every wrong signature.
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return parse(sent);
  }
  throw new WebhookError('No signature of the webhook is valid: the secret is wrong, or the body was changed.');
}

function parse(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new WebhookError('The body of the webhook is not JSON.');
  }
}

/** Takes the headers of a Fetch API request, and those of Node and of frameworks. */
function headerOf(headers, name) {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key, one]) => key.toLowerCase() === name && one !== undefined)?.[1];
  const text = [value].flat()[0];
  if (typeof text !== 'string' || text === '') throw new WebhookError(`The header ${name} is missing.`);
  return text;
}

/** Other versions than v1 are for other kinds of keys. */
function signatureBytes(text) {
  const [version, encoded = ''] = text.split(',');
  const bytes = version === 'v1' ? base64Bytes(encoded) : undefined;
  // Each signature has one spelling, as in the library of Standard Webhooks.
  return bytes && btoa(String.fromCharCode(...bytes)) === encoded ? [bytes] : [];
}

function secretBytes(secret) {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('A secret of a webhook is whsec_ followed by base64.');
  return bytes;
}

function base64Bytes(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
