import { expect, it } from 'vitest';
import { invoiceToken } from '../../src/features/invoices/status-routes.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { openStream } from '../support/event-stream.ts';
import { countListeners } from '../support/listeners.ts';

const AT_ONCE = 30_000;
const PUBLIC_URL = 'https://wallets.example.com/sub';

onFakeNode('the status address of an invoice', (service) => {
  async function newInvoice(fields: object = { num_satoshis: 5 }): Promise<Json> {
    const wallet = await service.client.wallet();
    return service.client.post(`/v1/wallet/${wallet.id}/invoice`, fields);
  }
  const pathOf = ({ status_url }: Json): string => new URL(status_url).pathname;
  const read = (path: string, headers: Record<string, string> = {}) => service.client.request('GET', path, { headers });
  const pay = ({ payment_request }: Json, more: object = {}) => service.net.outside.pay({ paymentRequest: payment_request, ...more });

  it('C5: shows anyone the status, the amount and the expiry, and nothing else', async () => {
    const invoice = await newInvoice();
    const { status, body, headers } = await read(pathOf(invoice));
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'open', num_satoshis: 5, num_msat: 5000, expires_at: invoice.expires_at },
    });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    await pay(invoice);
    await expect.poll(async () => (await read(pathOf(invoice))).body.status).toBe('settled');
  });

  it('shows the received amount of an invoice for any amount', async () => {
    const invoice = await newInvoice({});
    expect((await read(pathOf(invoice))).body.num_satoshis).toBe(0);
    await pay(invoice, { amountMsat: 7000 });
    await expect.poll(async () => (await read(pathOf(invoice))).body.num_satoshis).toBe(7);
  });

  it(
    'waits for the payment',
    async () => {
      const invoice = await newInvoice();
      const waiting = read(`${pathOf(invoice)}?wait=60`);
      await expect.poll(() => countListeners(service.client)).toBe(1);
      await pay(invoice);
      expect((await waiting).body).toMatchObject({ status: 'settled', num_satoshis: 5 });
      expect((await read(`${pathOf(invoice)}?wait=61`)).status).toBe(400);
    },
    AT_ONCE,
  );

  it(
    'streams the status at once and when it changes, ends, and tells EventSource not to connect again',
    async () => {
      const invoice = await newInvoice();
      const stream = await openStream(service.client, pathOf(invoice));
      expect(stream.events.map(({ id, data }) => [id, data.status])).toEqual([['open', 'open']]);
      await pay(invoice);
      await stream.ended;
      expect(stream.events.map(({ id, data }) => [id, data.status])).toEqual([
        ['open', 'open'],
        ['settled', 'settled'],
      ]);
      const again = await openStream(service.client, pathOf(invoice));
      await again.ended;
      expect(again.events.map(({ data }) => data.status)).toEqual(['settled']);
      const headers = { accept: 'text/event-stream', 'last-event-id': 'settled' };
      expect((await read(pathOf(invoice), headers)).status).toBe(204);
    },
    AT_ONCE,
  );

  it(
    'streams the expiry',
    async () => {
      const invoice = await newInvoice();
      await service.execute('UPDATE invoice SET expires_at = $1 WHERE id = $2', Math.floor(Date.now() / 1000) + 2, invoice.id);
      const stream = await openStream(service.client, pathOf(invoice));
      await stream.ended;
      expect(stream.events.map(({ data }) => data.status)).toEqual(['open', 'expired']);
    },
    AT_ONCE,
  );

  it('C5: responds to every altered token as to an unknown one', async () => {
    const [one, other] = [await newInvoice(), await newInvoice()];
    const [token, foreign]: string[] = [one, other].map((invoice) => pathOf(invoice).split('/').at(-1) ?? '');
    const flipped = `${token?.slice(0, -1)}${token?.endsWith('0') ? '1' : '0'}`;
    const mixed = `${token?.slice(0, 22)}${foreign?.slice(22)}`;
    const altered = [flipped, mixed, token?.slice(0, -1), `${token}0`, token?.toUpperCase(), one.id, token?.slice(0, 22), '0'.repeat(54)];
    for (const text of altered) {
      for (const headers of [{}, { accept: 'text/event-stream' }]) {
        const { status, body } = await read(`/v1/invoice-status/${text}`, headers as Record<string, string>);
        expect({ status, type: body.type }).toEqual({ status: 404, type: 'not_found' });
      }
    }
  });

  it('is not given for keysends', async () => {
    const wallet = await service.client.wallet(100);
    const [{ preimage, id }] = (await service.rows('SELECT id, preimage FROM invoice WHERE wallet_id = $1', wallet.id)) as Json[];
    const path = `/v1/invoice-status/${invoiceToken({ id, preimage }, 'status')}`;
    expect((await read(path)).status).toBe(200);
    await service.execute('UPDATE invoice SET is_keysend = 1 WHERE id = $1', id);
    expect((await read(path)).status).toBe(404);
  });
});

onFakeNode(
  'the status address of an invoice, on a service with a public URL,',
  (service) => {
    it('is in the response that creates it, below PUBLIC_URL, also in a repetition, and in no other response', async () => {
      const wallet = await service.client.wallet();
      const create = () =>
        service.client.request('POST', `/v1/wallet/${wallet.id}/invoice`, {
          key: wallet.invoice,
          json: { num_satoshis: 5 },
          headers: { 'idempotency-key': 'one' },
        });
      const [first, again] = [await create(), await create()];
      expect(first.body.status_url).toMatch(/^https:\/\/wallets\.example\.com\/sub\/v1\/invoice-status\/[0-9A-Za-z]{22}[0-9a-f]{32}$/);
      expect(first.body.page_url).toMatch(/^https:\/\/wallets\.example\.com\/sub\/i\/[0-9A-Za-z]{22}[0-9a-f]{32}$/);
      expect(again.body).toMatchObject({ status_url: first.body.status_url, page_url: first.body.page_url });
      expect(await service.client.get(`/v1/lntx/${first.body.id}`)).not.toHaveProperty('status_url');
    });
  },
  { PUBLIC_URL },
);

it('derives a token that depends on the whole preimage and does not contain it', () => {
  const id = 'lntx_0Vbb5eQk00aT9sWfRb3xY1';
  const preimages = Array.from({ length: 32 }, (_, byte) => `${'00'.repeat(byte)}01${'00'.repeat(31 - byte)}`);
  const tokens = preimages.map((preimage) => invoiceToken({ id, preimage }, 'status'));
  expect(new Set(tokens).size).toBe(32);
  // Tokens that were handed out must stay valid.
  expect(
    invoiceToken({ id, preimage: '5f3c0d9e7b6a48121c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f50617283' }, 'status'),
  ).toMatchInlineSnapshot(`"0Vbb5eQk00aT9sWfRb3xY1d75be042218aaad32977aabf2299d9f4"`);
});
