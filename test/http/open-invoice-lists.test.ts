import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';

const idsOf = (rows: Json[]): string[] => rows.map(({ id }) => id);
const lntxOf = (rows: Json[]): string[] => rows.map(({ lnTx }) => lnTx.id);

onFakeNode('GET …/transactions?status=open', (service) => {
  const { net } = service;
  const request = (path: string, key = service.client.secretKey): Promise<HttpResponse> => service.client.request('GET', path, { key });
  const invoice = (walletId: string, fields: object): Promise<Json> => service.client.post(`/v1/wallet/${walletId}/invoice`, fields);

  it('lists payable invoices, newest first, with the requested amount, and leaves balance and other lists unchanged', async () => {
    const wallet = await service.client.wallet(50);
    const path = `/v1/wallet/${wallet.id}/transactions`;
    const settled = await service.client.get(path);
    const {
      status_url,
      page_url,
      receivable_msat: _,
      ...fixed
    } = await invoice(wallet.id, { num_satoshis: 20, memo: 'tea', passThru: { order: '17' } });
    const any = await invoice(wallet.id, { memo: 'tips' });
    const rows: Json[] = await service.client.get(`${path}?status=open`);
    expect(rows).toHaveLength(2);
    expect(status_url).toContain('/v1/invoice-status/');
    expect(page_url).toContain('/i/');
    expect(rows[0]).toMatchObject({ num_satoshis: 0, num_msat: 0, user_label: 'tips', lnTx: { id: any.id, num_satoshis: 0 } });
    expect(rows[1]).toEqual({
      id: expect.stringMatching(/^wtx_\w{22}i$/),
      created_at: fixed.created_at,
      num_satoshis: 20,
      num_msat: 20_000,
      balance_after_msat: null,
      user_label: 'tea',
      wal: await service.client.get(`/v1/wallet/${wallet.id}`),
      wtxType: { layer: 'ln', name: 'ln_deposit', display_name: 'LN Deposit' },
      lnTx: fixed,
      passThru: { order: '17' },
      status: 'open',
      failure_reason: null,
    });
    expect(rows[1].wal.balance).toBe(50);
    expect(await service.client.get(path)).toEqual(settled);
    for (const status of ['pending', 'failed', 'all']) {
      const other = await service.client.get(`${path}?status=${status}`);
      expect(idsOf(other).filter((id) => idsOf(rows).includes(id))).toEqual([]);
    }
    expect((await request(`${path}?status=open`, wallet.invoice)).body).toEqual(rows);
    expect((await request(`${path}?status=open`, service.neighbour.secretKey)).status).toBe(404);
  });

  it('returns the list once, in the same order, by pages and cursors, and all wallets to the account', async () => {
    const [a, b] = [await service.client.wallet(), await service.client.wallet()];
    const theirs = (await service.neighbour.post('/v1/wallet', {})).id;
    for (let i = 1; i <= 6; i++) await invoice(i % 2 ? a.id : b.id, { num_satoshis: i, memo: 'walk' });
    await service.neighbour.post(`/v1/wallet/${theirs}/invoice`, { num_satoshis: 1, memo: 'walk' });
    for (const path of [`/v1/wallet/${a.id}/transactions?status=open`, '/v1/wallet-transactions?status=open&label=walk']) {
      const first = await request(path);
      const all: Json[] = first.body;
      expect(first.headers.get('x-pagination-total-count')).toBe(String(all.length));
      expect(all).toHaveLength(path.includes('wallet-') ? 6 : 3);
      for (const start of [`${path}&per-page=2`, `${path}&per-page=2&after=${all[0].id}`]) {
        const walked: string[] = start.includes('after') ? [all[0].id] : [];
        for (let at: string | undefined = start; at !== undefined; ) {
          const response: HttpResponse = await request(at);
          expect(response.status).toBe(200);
          walked.push(...idsOf(response.body));
          const next: string | undefined = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
          at = next && path.split('?')[0] + next;
        }
        expect(walked).toEqual(idsOf(all));
      }
      expect((await request(`${path}&page=300`)).body).toEqual([]);
    }
  });

  it('drops an invoice that is paid, cancelled or expired, and accepts a cursor that points at one', async () => {
    const wallet = await service.client.wallet();
    const path = `/v1/wallet/${wallet.id}/transactions`;
    const made: Json[] = [];
    for (let i = 1; i <= 4; i++) made.push(await invoice(wallet.id, { num_satoshis: i }));
    const [oldest, cancelled, paid, newest] = made;
    const rows: Json[] = await service.client.get(`${path}?status=open`);
    expect(lntxOf(rows)).toEqual(made.map(({ id }) => id).reverse());
    expect((await service.client.request('DELETE', `/v1/lntx/${cancelled.id}`, { key: service.client.secretKey })).status).toBe(200);
    await net.outside.pay({ paymentRequest: paid.payment_request });
    await expect.poll(async () => lntxOf(await service.client.get(path))).toContain(paid.id);
    expect(lntxOf(await service.client.get(`${path}?status=open`))).toEqual([newest.id, oldest.id]);
    for (const row of rows.slice(1, 3)) {
      expect(lntxOf((await request(`${path}?status=open&after=${row.id}`)).body)).toEqual([oldest.id]);
    }
    // The address of an open item returns its final state.
    const one = (row: Json) => request(`/v1/wallet-transactions/${row.id}`);
    expect((await one(rows[0])).body).toEqual((await service.client.get(`${path}?status=open`))[0]);
    expect((await one(rows[1])).body).toMatchObject({ status: 'settled', num_satoshis: 3, lnTx: { id: paid.id } });
    expect((await one(rows[2])).status).toBe(404);
    const stranger = await service.neighbour.request('GET', `/v1/wallet-transactions/${rows[0].id}`, { key: service.neighbour.secretKey });
    expect(stranger.status).toBe(404);
    expect((await request(`${path}?status=all&after=${rows[0].id}`)).status).toBe(400);
    expect((await request(`${path}?after=${rows[0].id}`)).status).toBe(400);
    expect(await service.problems()).toEqual([]);
  });

  it('keeps an invoice that an internal payment holds until that payment ends', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const made = await invoice(payee.id, { num_satoshis: 100 });
    net.always('cancelInvoice', { unavailable: true });
    const json = { payment_request: made.payment_request };
    const headers = { prefer: 'respond-async' };
    expect((await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers })).status).toBe(202);
    const open: Json[] = await service.client.get(`/v1/wallet/${payee.id}/transactions?status=open`);
    expect(open).toMatchObject([{ status: 'open', lnTx: { id: made.id, status: 'open' } }]);
    net.always('cancelInvoice', undefined);
  });
});
