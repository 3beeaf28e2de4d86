import { expect, it } from 'vitest';
import type { PaymentScript } from '../../devnet/fake/script.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

type Row = { id: string; status: string; created_at: number; num_msat: number; wtxType: { name: string }; wal: { id: string } };

const idsOf = (rows: Row[]) => rows.map(({ id }) => id);

/** Follows `next` to the end. */
async function walk({ client }: FakeNodeApp, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  const base = path.split('?')[0];
  for (let at: string | undefined = path; at !== undefined; ) {
    const response: HttpResponse = await client.request('GET', at, { key: client.secretKey });
    if (response.status !== 200) throw new Error(`${at}: ${response.text}`);
    rows.push(...response.body);
    const next: string | undefined = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    at = next && base + next;
  }
  return rows;
}

/** A wallet with a mix of three deposits, three payments of each outcome, and transfers. Failed and pending payments have no ledger entries. */
async function busyWallet({ client, net }: FakeNodeApp): Promise<{ wallet: TestWallet; other: TestWallet }> {
  const [wallet, other] = [await client.wallet(1000), await client.wallet()];
  const pay = (script: PaymentScript, prefer = '') =>
    client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: client.secretKey,
      json: { payment_request: net.outside.invoice({ amountMsat: 10_000, script }).paymentRequest },
      headers: { prefer },
    });
  for (let i = 1; i <= 3; i++) {
    await pay({ fee: 1000 });
    await pay({ hold: true }, 'respond-async');
    await pay({ fail: 'NO_ROUTE' });
    await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: i });
    await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 5 });
  }
  return { wallet, other };
}

onFakeNode('lists', (service) => {
  const request = (path: string, key = service.client.secretKey) => service.client.request('GET', path, { key });
  let busy: Awaited<ReturnType<typeof busyWallet>>;
  let path: string;

  it('returns pending, failed, settled and all transactions as separate lists, newest first', async () => {
    busy = await busyWallet(service);
    path = `/v1/wallet/${busy.wallet.id}/transactions`;
    const [settled, pending, failed, all]: Row[][] = (await Promise.all(
      ['settled', 'pending', 'failed', 'all'].map((status) => service.client.get(`${path}?status=${status}`)),
    )) as [Row[], Row[], Row[], Row[]];
    expect([settled?.length, pending?.length, failed?.length]).toEqual([13, 3, 3]);
    expect(pending?.every(({ status }) => status === 'pending')).toBe(true);
    expect(failed?.every(({ status, num_msat }) => status === 'failed' && num_msat === -10_000)).toBe(true);
    expect(idsOf(all ?? []).toSorted()).toEqual(idsOf([...(settled ?? []), ...(pending ?? []), ...(failed ?? [])]).toSorted());
    const times = (all ?? []).map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(await service.client.get(path)).toEqual(settled);
  });

  it('lists alternating payments of a wallet in the order in which they began', async () => {
    const all: Row[] = await service.client.get(`${path}?status=all`);
    const kinds = all.map(({ wtxType, status }) => `${wtxType.name}:${status}`).reverse();
    const round = [
      'ln_withdrawal:settled',
      'network_fee:settled',
      'ln_withdrawal:pending',
      'ln_withdrawal:failed',
      'ln_transfer_out:settled',
      'ln_deposit:settled',
    ];
    expect(kinds).toEqual(['ln_deposit:settled', ...round, ...round, ...round]);
  });

  it('returns every list once, in the same order, by pages and by cursors', async () => {
    for (const query of ['status=pending', 'status=failed', 'status=all', 'type=ln_deposit', 'status=all&type=ln_withdrawal', 'from=1']) {
      const whole: Row[] = await service.client.get(`${path}?${query}`);
      expect(whole.length).toBeGreaterThan(2);
      const [first] = whole;
      expect(idsOf(await walk(service, `${path}?${query}&per-page=2&after=${first?.id}`)), query).toEqual(idsOf(whole.slice(1)));
      expect(idsOf(await walk(service, `${path}?${query}&per-page=2`)), query).toEqual(idsOf(whole));
      expect((await request(`${path}?${query}&per-page=2`)).headers.get('x-pagination-total-count')).toBe(String(whole.length));
    }
  });

  it('returns an empty page past the end of every list', async () => {
    expect((await request(`${path}?status=all&page=50`)).body).toEqual([]);
    for (const query of ['from=1', 'status=all', 'status=pending', 'type=ln_deposit']) {
      expect(await request(`${path}?${query}&page=300`), query).toMatchObject({ status: 200, body: [] });
      expect(await request(`/v1/wallet-transactions?${query}&page=300`), query).toMatchObject({ status: 200, body: [] });
    }
  });

  it('includes both limits of from and to, for booked and for other transactions', async () => {
    const all: Row[] = await service.client.get(`${path}?status=all`);
    for (const status of ['settled', 'pending', 'failed', 'all']) {
      const of = async (from: number, to: number) => (await service.client.get(`${path}?status=${status}&from=${from}&to=${to}`)).length;
      const [newest, oldest] = [all[0]?.created_at ?? 0, all.at(-1)?.created_at ?? 0];
      expect(await of(oldest, newest), status).toBe((await service.client.get(`${path}?status=${status}`)).length);
      expect(await of(newest + 1, newest + 1000), status).toBe(0);
      expect(await of(1000, oldest - 1), status).toBe(0);
      expect(await of(newest, oldest - 1), status).toBe(0);
    }
  });

  it.each([
    'status=done',
    'type=deposit',
    'from=-1',
    'to=1.5',
    'from=yesterday',
    'status=all&after=wtx_0000000000000000000000o',
    'status=all&after=nonsense',
    'status=all&after=wtx_%00000000000000000000000o',
    'status=all&status=failed',
    'status=all&page=1&after=x',
  ])('%s is refused', async (query) => {
    expect(await request(`${path}?${query}`)).toMatchObject({ status: 400, body: { type: 'validation_failed' } });
  });

  it('rejects a cursor of another wallet or of another list', async () => {
    const [pending]: Row[] = await service.client.get(`${path}?status=pending`);
    expect((await request(`/v1/wallet/${busy.other.id}/transactions?status=all&after=${pending?.id}`)).status).toBe(400);
    expect((await request(`${path}?type=ln_withdrawal&after=${pending?.id}`)).status).toBe(400);
    expect((await request(`${path}?status=all&after=${pending?.id}`)).status).toBe(200);
  });

  it('returns the transactions of all wallets of the account, and no others, in one list', async () => {
    const whole: Row[] = await service.client.get('/v1/wallet-transactions?per-page=100');
    expect(whole.filter(({ wal }) => wal.id === busy.wallet.id)).toHaveLength(13);
    expect(whole.filter(({ wal }) => wal.id === busy.other.id)).toHaveLength(3);
    expect(whole).toHaveLength(16);
    for (const query of ['', 'status=all', 'status=pending', 'status=failed', 'type=ln_transfer_in']) {
      const list: Row[] = await service.client.get(`/v1/wallet-transactions?${query}`);
      expect(list.length, query).toBeGreaterThan(2);
      expect(idsOf(await walk(service, `/v1/wallet-transactions?${query}&per-page=2&after=${list[0]?.id}`)), query).toEqual(
        idsOf(list.slice(1)),
      );
      expect(
        (await service.neighbour.request('GET', `/v1/wallet-transactions?${query}`, { key: service.neighbour.secretKey })).body,
      ).toEqual([]);
    }
    const own: Row[] = await service.client.get(`/v1/wallet-transactions?wallet_id=${busy.wallet.id}&status=all`);
    expect(own).toEqual(await service.client.get(`${path}?status=all`));
  });

  it('A1, A3: requires the secret key for the list of the account, and does not find objects of others', async () => {
    expect((await request('/v1/wallet-transactions', busy.wallet.admin)).status).toBe(403);
    expect((await request('/v1/wallet-transactions', service.client.publicKey)).status).toBe(403);
    const [row]: Row[] = await service.client.get(`${path}?status=pending`);
    const stranger = (at: string) => service.neighbour.request('GET', at, { key: service.neighbour.secretKey });
    expect((await stranger(`/v1/wallet-transactions?wallet_id=${busy.wallet.id}`)).status).toBe(404);
    expect((await stranger(`/v1/wallet-transactions/${row?.id}`)).status).toBe(404);
    expect((await stranger(`/v1/wallet-transactions?after=${row?.id}`)).status).toBe(400);
    expect((await request(`/v1/wallet-transactions/${row?.id}`, busy.wallet.admin)).status).toBe(403);
  });

  it('returns each transaction by its id', async () => {
    const all: Row[] = await service.client.get('/v1/wallet-transactions?status=all');
    for (const row of all) expect(await service.client.get(`/v1/wallet-transactions/${row.id}`)).toEqual(row);
    for (const id of ['wtx_0000000000000000000000i', 'nonsense', `${all[0]?.id}x`]) {
      expect((await request(`/v1/wallet-transactions/${id}`)).status, id).toBe(404);
    }
  });

  it('moves a payment that ends from one list to the other and keeps its id', async () => {
    const [row]: Json[] = await service.client.get(`${path}?status=pending`);
    await service.client.decideHold(row.lnTx.r_hash_decoded, 'settle');
    await expect.poll(async () => idsOf(await service.client.get(path))).toContain(row.id);
    expect(idsOf(await service.client.get(`${path}?status=pending`))).not.toContain(row.id);
  });

  it('lists wallets by pages and by cursors in the same order', async () => {
    const whole = idsOf(await service.client.get('/v1/wallets'));
    expect(idsOf(await walk(service, `/v1/wallets?per-page=1&after=${whole[0]}`))).toEqual(whole.slice(1));
    expect((await service.client.request('GET', '/v1/wallets?after=wal_nobody', { key: service.client.secretKey })).status).toBe(400);
  });

  it('searches wallets by label and status, page by page', async () => {
    const { client } = service;
    const made: Json[] = [];
    for (const label of ['Überweisung 1', 'kasse', 'ÜBERWEISUNG 2', 'überweisung 3'])
      made.push(await client.post('/v1/wallet', { user_label: label }));
    const [first, , second, third] = idsOf(made as Row[]);
    const search = `/v1/wallets?label=${encodeURIComponent('überweisung')}`;
    expect(idsOf(await client.get(search))).toEqual([third, second, first]);
    for (const size of [1, 2, 3]) expect(idsOf(await walk(service, `${search}&per-page=${size}`))).toEqual([third, second, first]);
    await client.request('PATCH', `/v1/wallet/${second}`, { key: client.secretKey, json: { status: 'inactive' } });
    await expect.poll(async () => idsOf(await client.get(`${search}&status=inactive`))).toEqual([second]);
    expect(idsOf(await client.get(`${search}&status=active`))).toEqual([third, first]);
    expect(await client.get('/v1/wallets?label=nobody')).toEqual([]);
  });

  it('lists wallets by their ids, with the other filters, and ignores those of another account', async () => {
    const { client, neighbour } = service;
    const [first, second] = [await client.namedWallet('by id one'), await client.namedWallet('by id two')];
    const foreign = await neighbour.namedWallet('by id three');
    const list = `/v1/wallets?id=${[second.id, first.id, foreign.id, 'wal_unknown'].join()}`;
    expect(idsOf(await client.get(list))).toEqual([second.id, first.id]);
    expect(idsOf(await walk(service, `${list}&per-page=1`))).toEqual([second.id, first.id]);
    expect(idsOf(await client.get(`${list}&label=ONE`))).toEqual([first.id]);
    expect(
      (await client.request('GET', `${list}&page=2&per-page=1`, { key: client.secretKey })).headers.get('x-pagination-total-count'),
    ).toBe('2');
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `wal_${index}`).join();
    expect(await client.get(`/v1/wallets?id=${ids(100)}`)).toEqual([]);
    for (const id of [ids(101), '', 'wal_', 'lntx_1', `${first.id},`, client.secretKey])
      expect((await client.request('GET', `/v1/wallets?id=${id}`, { key: client.secretKey })).status, id).toBe(400);
  });

  it('links to no page by number in a search for wallets, which rejects them', async () => {
    const { client } = service;
    const linkOf = async (query: string) =>
      (await client.request('GET', `/v1/wallets?${query}`, { key: client.secretKey })).headers.get('link');
    expect(await linkOf('per-page=1')).toContain('rel="last"');
    for (const query of ['status=active&per-page=1', 'label=nobody']) expect((await linkOf(query)) ?? '').not.toContain('rel="last"');
  });

  it('rejects a search for wallets with a page number, without a text, or for a key', async () => {
    const { client } = service;
    for (const query of ['label=a&page=1', 'status=active&page=2', 'label=', `label=${client.secretKey}`])
      expect((await client.request('GET', `/v1/wallets?${query}`, { key: client.secretKey })).status, query).toBe(400);
  });
});
