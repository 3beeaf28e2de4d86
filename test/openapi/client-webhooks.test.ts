import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookError } from '../../client/satchel.js';

const secretBytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
const secretOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;
const SECRET = secretOf(new Uint8Array(32).fill(7));
const bodies = fc.json().filter((text) => text.isWellFormed());
const ids = fc.stringMatching(/^evt_[0-9A-Za-z]{1,24}$/);

/** Signs as the library for senders does. */
function signed(body: string, { secret = SECRET, id = 'evt_1', at = new Date() } = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

/** Returns the error's message; undefined if the webhook is accepted. */
async function rejection(...[body, headers, secrets, options]: Parameters<typeof verifyWebhook>): Promise<string | undefined> {
  try {
    await verifyWebhook(body, headers, secrets, options);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(WebhookError);
    return (error as Error).message;
  }
}

describe('verifyWebhook and the library standardwebhooks', () => {
  it('accept the same webhooks, for any body, id and secret', async () => {
    const property = fc.asyncProperty(secretBytes, ids, bodies, async (bytes, id, body) => {
      const secret = secretOf(bytes);
      const headers = signed(body, { secret, id });
      expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
      expect(await verifyWebhook(Buffer.from(body), new Headers(headers), [SECRET, secret])).toEqual(JSON.parse(body));
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('agree on any change of a header, of the body, of the secret and of the age', async () => {
    const change = fc.record({
      header: fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', ''),
      at: fc.nat(200),
      character: fc.constantFrom(...'0aZ+/=, v1'),
      body: fc.boolean(),
      otherSecret: fc.boolean(),
      ageSeconds: fc.constantFrom(0, 0, 0, 200, 400, -200, -400),
    });
    const property = fc.asyncProperty(bodies, change, async (original, { header, at, character, body, otherSecret, ageSeconds }) => {
      const headers = signed(original, { at: new Date(Date.now() - ageSeconds * 1000) });
      const text = headers[header] ?? '';
      if (header !== '') headers[header] = text.slice(0, at % text.length) + character + text.slice((at % text.length) + 1);
      const sent = body ? `${original} ` : original;
      const secret = otherSecret ? secretOf(new Uint8Array(32).fill(8)) : SECRET;
      let isValid = true;
      try {
        new Webhook(secret).verify(sent, headers);
      } catch {
        isValid = false;
      }
      expect((await rejection(sent, headers, secret)) === undefined).toBe(isValid);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});

describe('verifyWebhook', () => {
  const body = '{"id":"evt_1"}';

  it('accepts one valid signature among others, and the headers of Node', async () => {
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': one } = signed(body);
    const headers = { 'Webhook-Id': [id ?? ''], 'WEBHOOK-TIMESTAMP': time, 'webhook-signature': `v1a,xyz v1,AAAA v1,%% ${one}` };
    expect(await verifyWebhook(body, headers, SECRET)).toEqual({ id: 'evt_1' });
  });

  it('rejects old webhooks, beyond a tolerance of choice', async () => {
    const headers = signed(body, { at: new Date(Date.now() - 60_000) });
    expect(await rejection(body, headers, SECRET)).toBeUndefined();
    expect(await rejection(body, headers, SECRET, { toleranceSeconds: 30 })).toMatch(/too old/);
    expect(await rejection(body, signed(body, { at: new Date(Date.now() + 600_000) }), SECRET)).toMatch(/future/);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('names the missing header %s', async (name) => {
    const { [name]: _, ...headers } = signed(body);
    expect(await rejection(body, headers, SECRET)).toContain(name);
  });

  it('rejects a body that is not JSON, and a secret that is none', async () => {
    expect(await rejection('text', signed('text'), SECRET)).toContain('not JSON');
    for (const secret of ['', 'whsec_', 'whsec_%']) await expect(verifyWebhook(body, signed(body), secret)).rejects.toThrow(TypeError);
  });
});
