import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../src/core/journal/event-log.ts';
import { type Outbound, OutboundError } from '../../src/core/outbound/outbound.ts';
import type { DeliveryRow } from '../../src/features/webhooks/deliveries.sql.ts';
import { createSecretBox, newSecret, validSecrets } from '../../src/features/webhooks/secrets.ts';
import { sendDelivery } from '../../src/features/webhooks/sender.ts';
import type { ClaimedDelivery } from '../../src/features/webhooks/sending.ts';
import type { WebhookRow } from '../../src/features/webhooks/webhooks.sql.ts';
import type { WebhookDependencies } from '../../src/features/webhooks/webhooks.ts';

const NOW = 1_700_000_000;
const box = createSecretBox(new Uint8Array(32).fill(7));

function webhook(...secrets: { text: string; expiresAt?: number }[]): WebhookRow {
  const stored = secrets.map(({ text, ...rest }) => ({ ...box.seal('whk_1', text), ...rest }));
  return { id: 'whk_1', url: 'https://shop.example/hook', secrets: JSON.stringify(stored) } as WebhookRow;
}

const ROW = { event_position: 1, event_created_at_ms: 1, event_type: 'wallet_receive', webhook_id: 'whk_1' } as DeliveryRow;
const EVENT = { row: ROW, body: '{"id":"evt_1","data":"ü"}' };
const EVENT_ID = eventId(1, 1);

/** Sends the event to a receiver, and returns the attempt and the headers. */
async function send(to: WebhookRow, post: Outbound['post'], signal = new AbortController().signal, delivery: ClaimedDelivery = EVENT) {
  let headers: Record<string, string> = {};
  const deps = {
    outbound: {
      checkUrl: () => undefined,
      post: (url: string, options: Parameters<Outbound['post']>[1]) => {
        headers = { ...options.headers };
        return post(url, options);
      },
    },
    secretBox: box,
    clock: { nowMs: () => NOW * 1000 + 500 },
  } as unknown as WebhookDependencies;
  return { attempt: await sendDelivery(deps, to, delivery, { timeoutMs: 15_000, signal }), headers };
}

const respond =
  (status: number, text = '') =>
  async () => ({ status, text });
const fail = (error: Error) => async () => Promise.reject(error);

describe('a request of a webhook', () => {
  it('has the headers of Standard Webhooks and of LNPay, signed with every valid secret', async () => {
    const [newest, earlier, expired] = [newSecret(), newSecret(), newSecret()];
    const to = webhook({ text: newest }, { text: earlier, expiresAt: NOW + 1 }, { text: expired, expiresAt: NOW });
    const { headers, attempt } = await send(to, respond(200, 'ok'));
    const signatureOf = (secret: string) =>
      `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
        .update(`${EVENT_ID}.${NOW}.${EVENT.body}`)
        .digest('base64')}`;
    expect(headers).toEqual({
      'content-type': 'application/json',
      'webhook-id': EVENT_ID,
      'webhook-timestamp': String(NOW),
      'webhook-signature': `${signatureOf(newest)} ${signatureOf(earlier)}`,
      'X-LNPay-Event': 'wallet_receive',
      'X-LNPay-HookId': 'whk_1',
      'X-LNPay-Signature': createHmac('sha256', newest).update(EVENT.body).digest('hex'),
    });
    expect(attempt).toMatchObject({ at: NOW, status_code: 200, error: null, response: 'ok' });
  });

  it.each([
    [204, null],
    [299, null],
    [301, 'The receiver redirected. Redirects are not followed: change the URL.'],
    [404, 'The receiver responded 404, not 2xx.'],
    [500, 'The receiver responded 500, not 2xx.'],
  ])('with the response %i has the error %j', async (status, error) => {
    expect((await send(webhook({ text: newSecret() }), respond(status))).attempt).toMatchObject({ status_code: status, error });
  });

  it('that gets no response states why', async () => {
    const to = webhook({ text: newSecret() });
    const timedOut = await send(to, fail(new OutboundError('timed_out', 'x')));
    expect(timedOut.attempt).toMatchObject({ status_code: null, error: 'No response within 15 seconds.', response: '' });
    const unreachable = await send(to, fail(new OutboundError('no_valid_response', 'The service could not be reached.')));
    expect(unreachable.attempt).toMatchObject({ status_code: null, error: 'The service could not be reached.' });
  });

  it('that was not made is no attempt', async () => {
    const to = webhook({ text: newSecret() });
    expect((await send(to, fail(new OutboundError('busy', 'too many')))).attempt).toBeUndefined();
    const aborted = AbortSignal.abort();
    expect((await send(to, fail(new Error('aborted')), aborted)).attempt).toBeUndefined();
    await expect(send(to, fail(new TypeError('a bug')))).rejects.toThrow('a bug');
  });

  it('is never sent unsigned', async () => {
    const sealedByAnother = createSecretBox(new Uint8Array(32)).seal('whk_1', newSecret());
    const sealedForAnother = box.seal('whk_2', newSecret());
    for (const stored of [[sealedByAnother], [sealedForAnother], []]) {
      const to = { ...webhook(), secrets: JSON.stringify(stored) };
      const { attempt, headers } = await send(to, respond(200));
      expect(attempt).toMatchObject({ status_code: null, error: expect.stringContaining('Rotate it') });
      expect(headers).toEqual({});
    }
  });

  it('is not made for an event that cannot be rendered', async () => {
    const { attempt, headers } = await send(webhook({ text: newSecret() }), respond(200), undefined, { row: ROW, body: undefined });
    expect(attempt).toMatchObject({ status_code: null, error: 'The service could not render the event.' });
    expect(headers).toEqual({});
  });

  it('stores a response without what a database rejects', async () => {
    const { attempt } = await send(webhook({ text: newSecret() }), respond(200, 'a\0b\ud800'));
    expect(attempt?.response).toBe('a\ufffdb\ufffd');
  });
});

describe('a signing secret', () => {
  it('is stored sealed for its webhook, and valid until the end of its overlap', () => {
    const secret = newSecret();
    const row = webhook({ text: secret }, { text: newSecret(), expiresAt: NOW });
    expect(row.secrets).not.toContain(secret.slice(6, 20));
    expect(validSecrets(row, NOW - 1)).toHaveLength(2);
    const [valid, ...expired] = validSecrets(row, NOW);
    expect(expired).toEqual([]);
    expect(valid && box.open('whk_1', valid)).toBe(secret);
    expect(valid && box.open('whk_2', valid)).toBeUndefined();
  });
});
