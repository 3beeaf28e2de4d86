import { describe, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client } from '../support/client.ts';

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
type Event = any;

const nameOf = ({ event, data }: Event) => `${event.name} ${data.wtx?.num_satoshis ?? ''}`.trim();

/** Reads a list of events from its start to its end, with pages of a size. */
async function walk(client: Client, path: string, perPage: number): Promise<Event[]> {
  const events: Event[] = [];
  const [base, filter] = path.split('?');
  for (let query = `?per-page=${perPage}&${filter ?? ''}`; ; ) {
    const response = await client.request('GET', `${base}${query}`, { key: client.secretKey });
    expect(response.status).toBe(200);
    events.push(...response.body);
    const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    if (next === undefined) return events;
    query = next;
  }
}

onFakeNode('the events of bookings', ({ client, net }) => {
  it('are one for each side of a transfer, one for each payment and none for its fee, in the order of the ledger', async () => {
    const [a, b] = [await client.wallet(1000), await client.wallet()];
    await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 10 });
    const { paymentRequest } = net.outside.invoice({ amountMsat: 5000 });
    await client.post(`/v1/wallet/${a.id}/withdraw`, { payment_request: paymentRequest });
    const invoice = await client.post(`/v1/wallet/${b.id}/invoice`, { num_satoshis: 3 });
    await client.post(`/v1/wallet/${a.id}/withdraw`, { payment_request: invoice.payment_request });
    const booked = (event: Event) => event.data.wtx?.status === 'settled';
    const ofA = (await walk(client, `/v1/wallet/${a.id}/events`, 50)).filter(booked);
    expect(ofA.map(nameOf)).toEqual(['wallet_receive 1000', 'wallet_transfer_out -10', 'wallet_send -5', 'wallet_send -3']);
    const ofB = (await walk(client, `/v1/wallet/${b.id}/events`, 50)).filter(booked);
    expect(ofB.map(nameOf)).toEqual(['wallet_transfer_in 10', 'wallet_receive 3']);
    const transactions = await client.get(`/v1/wallet/${a.id}/transactions`);
    const shown = transactions.filter(({ wtxType }: Event) => wtxType.name !== 'network_fee').reverse();
    expect(ofA.map(({ data }) => ({ ...data.wtx, wal: 0 }))).toEqual(shown.map((wtx: Event) => ({ ...wtx, wal: 0 })));
  });

  it('are the same through pages of any size, for a wallet and for the account', async () => {
    const [a, b] = [await client.wallet(1000), await client.wallet()];
    for (let i = 1; i <= 7; i++)
      await client.post(`/v1/wallet/${i % 3 ? a.id : b.id}/transfer`, { dest_wallet_id: i % 3 ? b.id : a.id, num_satoshis: 1 });
    for (const path of [`/v1/wallet/${a.id}/events`, '/v1/events', `/v1/events?wallet_id=${b.id}`]) {
      const whole = (await walk(client, path, 500)).map(({ id }) => id);
      expect(whole).toEqual([...new Set(whole)].sort());
      for (const size of [1, 2, 3, 5]) expect((await walk(client, path, size)).map(({ id }) => id)).toEqual(whole);
    }
  });
});

describe('cursors', () => {
  onFakeNode('of events', ({ client, neighbour }) => {
    it('that are unknown are a 410 that names the oldest event', async () => {
      const wallet = await client.wallet(1000);
      const events = await client.get(`/v1/wallet/${wallet.id}/events`);
      const forged = `${events[0].id.slice(0, -1)}${events[0].id.endsWith('1') ? 2 : 1}`;
      for (const after of [forged, 'evt_1', 'nonsense']) {
        const { status, body } = await client.request('GET', `/v1/wallet/${wallet.id}/events?after=${after}`, { key: client.secretKey });
        expect({ status, type: body.type }).toEqual({ status: 410, type: 'cursor_expired' });
        expect(body.message).toContain(events[0].id);
      }
    });

    it('list no event of another account', async () => {
      await client.wallet(1000);
      expect(await neighbour.get('/v1/events')).toEqual([]);
    });

    it('filter by type, and name an unknown type', async () => {
      const wallet = await client.wallet(1000);
      expect((await client.get(`/v1/wallet/${wallet.id}/events?type=wallet_receive`)).map(nameOf)).toEqual(['wallet_receive 1000']);
      expect(await client.get(`/v1/wallet/${wallet.id}/events?type=wallet_send,wallet_transfer_in`)).toEqual([]);
      const { status, body } = await client.request('GET', '/v1/events?type=wallet_recieve', { key: client.secretKey });
      expect(status).toBe(400);
      expect(body.message).toContain('wallet_receive');
    });
  });
});
