import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';

reloadModulesAfterFile();

/** An address without a key, as a wallet calls it. */
async function visit(url: string): Promise<Json> {
  return (await fetch(url)).json();
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

onFakeNode('the figures of links', ({ client, net, problems, rows }) => {
  const payLink = (of: TestWallet, fields: object = {}): Promise<Json> => client.post(`/v1/wallet/${of.id}/lnurlp`, fields);
  const bill = async ({ url }: Json, amountMsat: number): Promise<string> => (await visit(`${url}?amount=${amountMsat}`)).pr;
  const remove = (path: string) => client.request('DELETE', path, { key: client.secretKey });
  const payFromOutside = (pr: string) => client.post('/playground/pay', { payment_request: pr });

  /** Returns the settled transactions of a wallet that name the link, which the history has without any counter. */
  async function transactionsOf(of: TestWallet, name: 'lnurlp_id' | 'lnurlw_id', id: string): Promise<Json[]> {
    return client.get(`/v1/wallet/${of.id}/transactions?pass_through[${name}]=${id}&per-page=100`);
  }

  it('of a pay link are the sums of its paid invoices: from outside, from inside, after an unpaid and a cancelled one', async () => {
    const wallet = await client.wallet();
    const payer = await client.wallet(1000);
    const link = await payLink(wallet, { lnurlp_short_desc: 'till' });
    const unused = await payLink(wallet, { lnurlp_short_desc: 'unused' });
    const read = async (id: string) => {
      const { payments, received_msat, last_paid_at } = await client.get(`/v1/lnurlp/${id}`);
      return { payments, received_msat, last_paid_at };
    };
    const nothing = { payments: 0, received_msat: 0, last_paid_at: null };
    expect(await read(link.id)).toEqual(nothing);
    for (const amountMsat of [1001, 25_000, 333_333]) await payFromOutside(await bill(link, amountMsat));
    await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: await bill(link, 40_000) });
    await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: await bill(link, 60_000) });
    await bill(link, 77_000);
    const [open] = await client.get(`/v1/wallet/${wallet.id}/transactions?status=open`);
    await remove(`/v1/lntx/${open.lnTx.id}`);
    await bill(link, 88_000);
    await expect.poll(() => read(link.id)).toMatchObject({ payments: 5 });
    const history = await transactionsOf(wallet, 'lnurlp_id', link.id);
    expect(history.length).toBe(5);
    expect(await read(link.id)).toEqual({
      payments: 5,
      received_msat: sum(history.map(({ num_msat }) => num_msat)),
      last_paid_at: Math.max(...history.map(({ lnTx }) => lnTx.settled_at)),
    });
    expect(await read(unused.id)).toEqual(nothing);
    const listed = await client.get(`/v1/wallet/${wallet.id}/lnurlp`);
    expect(listed.find(({ id }: Json) => id === link.id)).toMatchObject({ payments: 5, received_msat: 459_334 });
    expect(await problems()).toEqual([]);
  });

  it('of a pay link are hidden from public keys', async () => {
    const wallet = await client.wallet();
    const link = await payLink(wallet);
    await payFromOutside(await bill(link, 5000));
    const seen = (await client.request('GET', `/v1/lnurlp/${link.id}`, { key: client.publicKey })).body;
    expect(seen).toMatchObject({ id: link.id, payments: null, received_msat: null, last_paid_at: null });
  });

  it('of a list are the sums over its links, with its filters', async () => {
    const [one, two] = [await client.wallet(), await client.wallet()];
    const [first, second] = [await payLink(one), await payLink(two)];
    const total = (query = '') => client.get(`/v1/lnurlp/summary${query}`);
    const before = await total();
    await payFromOutside(await bill(first, 3000));
    await payFromOutside(await bill(second, 4000));
    await client.post(`/v1/lnurlp/${second.id}`, { status: 'inactive' });
    await expect.poll(async () => (await total()).payments).toBe(before.payments + 2);
    expect(await total()).toMatchObject({ links: before.links, received_msat: before.received_msat + 7000 });
    // Each wallet has a link from the beginning.
    expect(await total(`?wallet_id=${one.id}`)).toMatchObject({ links: 2, payments: 1, received_msat: 3000 });
    expect(await total(`?wallet_id=${two.id}&status=inactive`)).toMatchObject({ links: 1, payments: 1, received_msat: 4000 });
    expect(await total(`?wallet_id=${two.id}&status=active`)).toEqual({ links: 1, payments: 0, received_msat: 0, last_paid_at: null });
    const inactive = await client.get(`/v1/lnurlp?wallet_id=${two.id}&status=inactive`);
    expect(inactive.map(({ id }: Json) => id)).toEqual([second.id]);
    const wrong = await client.request('GET', '/v1/lnurlp/summary?wallet_id=wal_0', { key: client.secretKey });
    expect(wrong.status).toBe(404);
  });

  it('of a withdraw link are the sums of its paid claims: not of one that failed, and not of one in flight', async () => {
    const wallet = await client.wallet(1000);
    const link = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100, uses: 9 });
    const read = async () => {
      const { claims, claimed_msat, last_claimed_at } = await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraws/${link.id}`);
      return { claims, claimed_msat, last_claimed_at };
    };
    const claim = async (amountMsat: number, script: object = { fee: 0 }) => {
      const step = await visit(link.url);
      const invoice = net.outside.invoice({ amountMsat, script });
      expect(await visit(`${step.callback}&k1=${step.k1}&pr=${invoice.paymentRequest}`)).toEqual({ status: 'OK' });
      return invoice.paymentHash;
    };
    expect(await read()).toEqual({ claims: 0, claimed_msat: 0, last_claimed_at: null });
    net.nextPayment({ fail: 'NO_ROUTE' });
    await claim(10_000, {});
    await expect.poll(read).toEqual({ claims: 0, claimed_msat: 0, last_claimed_at: null });
    await claim(20_500);
    await claim(30_000, { fee: 300 });
    await expect.poll(async () => (await read()).claimed_msat).toBe(50_500);
    const held = await claim(40_000, { hold: true, fee: 0 });
    await expect.poll(() => net.outside.payments().find((paid) => paid.paymentHash === held)?.state).toBe('pending');
    expect(await read()).toMatchObject({ claims: 3, claimed_msat: 50_500 });
    const total = () => client.get(`/v1/lnurl/withdraws/summary?wallet_id=${wallet.id}`);
    expect(await total()).toMatchObject({ links: 1, claimed_msat: 50_500 });
    net.outside.resolveHold(held, 'settle');
    await expect.poll(async () => (await read()).claimed_msat).toBe(90_500);
    const history = (await transactionsOf(wallet, 'lnurlw_id', link.id)).filter(({ wtxType }) => wtxType.name === 'ln_lnurl_withdraw');
    expect(await read()).toEqual({
      claims: 3,
      claimed_msat: -sum(history.map(({ num_msat }) => num_msat)),
      last_claimed_at: expect.closeTo(Date.now() / 1000, -2),
    });
    expect(await total()).toEqual({ links: 1, claimed_msat: 90_500, last_claimed_at: (await read()).last_claimed_at });
    expect(await problems()).toEqual([]);
  });

  it('are computed from earlier payments and claims by the migration that stores them', async () => {
    const migration = readFileSync('migrations/0013-figures-of-links.sql', 'utf8');
    const [earlier = ''] = /SELECT p\.link_id[^;]+/.exec(migration) ?? [];
    const counted = (await rows(earlier)).map((row) => Object.values(row).map(String));
    const stored = await rows('SELECT link_id, payments, received_msat, last_paid_at FROM pay_link_total');
    expect(counted.toSorted()).toEqual(stored.map((row) => Object.values(row).map(String)).toSorted());
    expect(counted.length).toBeGreaterThan(1);
    const [, claimed = '', last = ''] = /claimed_msat = (\(SELECT.*?id\)),\s+last_claimed_at = (\([^;]+\));/s.exec(migration) ?? [];
    const differing = await rows(
      `SELECT id FROM withdraw_link WHERE claimed_msat <> ${claimed} OR coalesce(last_claimed_at, 0) <> coalesce(${last}, 0)`,
    );
    expect(differing).toEqual([]);
    expect(Number((await rows(`SELECT count(*) AS n FROM withdraw_link WHERE ${claimed} > 0 AND ${last} > 0`))[0]?.n)).toBeGreaterThan(0);
  });

  it('of a list leave out links whose key was revoked where the list does', async () => {
    const wallet = await client.wallet(1000);
    const { key, id } = await client.post('/v1/keys', { user_label: 'till' });
    const request = { key, json: { num_satoshis: 100 } };
    const made = (await client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, request)).body;
    const idsOf = async (status: string) =>
      (await client.get(`/v1/lnurl/withdraws?wallet_id=${wallet.id}&status=${status}`)).map((link: Json) => link.id);
    const linksOf = async (status: string) =>
      (await client.get(`/v1/lnurl/withdraws/summary?wallet_id=${wallet.id}&status=${status}`)).links;
    expect([await idsOf('active'), await idsOf('ended')]).toEqual([[made.id], []]);
    const { key: successor } = await client.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 0 });
    expect([await idsOf('active'), await linksOf('active')]).toEqual([[made.id], 1]);
    const [{ id: newId }] = (await client.get('/v1/keys')).filter((one: Json) => one.user_label === 'till' && one.status === 'active');
    expect(successor).toBeDefined();
    await remove(`/v1/keys/${newId}`);
    expect([await idsOf('active'), await idsOf('ended')]).toEqual([[], [made.id]]);
    expect([await linksOf('active'), await linksOf('ended')]).toEqual([0, 1]);
    expect((await client.get(`/v1/lnurl/withdraws?wallet_id=${wallet.id}&status=ended`))[0].status).toBe('inactive');
  });
});
