import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import {
  balancesOf,
  claimAll,
  linkOf,
  MONTH,
  noonIn,
  OK,
  permanentLink,
  readLink,
  refused,
  revokeLink,
  setClock,
  untilNothingPending,
  visit,
} from './claiming-wallet.ts';

reloadModulesAfterFile();
afterEach(() => {
  vi.restoreAllMocks();
});

const SECRETS = ['ott', 'lnurl', 'url', 'lnurlw_uri', 'lnurl_fast'];

onFakeNode('the owner of withdraw links', (service) => {
  const { client, neighbour, net } = service;
  const invoice = (amountMsat: number, script: object = { fee: 0 }) => net.outside.invoice({ amountMsat, script, expirySeconds: MONTH });

  it('reads a link without its token, with its uses and what was claimed', async () => {
    const wallet = await client.wallet(1000);
    const created = await linkOf(service, wallet, {
      num_satoshis: 100,
      uses: 3,
      memo: 'gift',
      user_label: 'for alice',
      expiry: 3600,
      passThru: { order: 7 },
    });
    const { ott, lnurl, url, lnurlw_uri, lnurl_fast, ...shown } = created;
    expect([ott, lnurl, url, lnurl_fast].map((text) => typeof text)).toEqual(new Array(4).fill('string'));
    expect(lnurlw_uri).toBeNull();
    expect(await readLink(service, wallet, created.id)).toEqual(shown);
    expect(shown).toEqual({
      id: expect.stringMatching(/^lnurlw_/),
      created_at: expect.any(Number),
      wallet_id: wallet.id,
      user_label: 'for alice',
      memo: 'gift',
      num_satoshis: 100,
      num_msat: 100_000,
      fee_limit_msat: 1_000,
      uses: 3,
      uses_left: 3,
      claims: 0,
      claimed_msat: 0,
      last_claimed_at: null,
      pending_msat: 0,
      daily_limit_msat: null,
      daily_spent_msat: 0,
      daily_pending_msat: 0,
      expires_at: created.created_at + 3600,
      revoked_at: null,
      status: 'active',
      statusType: { type: 'lnurl', name: 'lnurl_active', display_name: 'Active' },
      passThru: { order: 7 },
    });
    const [paid, failed, held] = [invoice(60_000), invoice(50_000, { fail: 'NO_ROUTE' }), invoice(40_000, { hold: true, fee: 0 })];
    for (const { paymentRequest } of [paid, failed]) {
      expect(await claimAll(url, paymentRequest)).toEqual(OK);
      await untilNothingPending(service, wallet);
    }
    expect(await claimAll(url, held.paymentRequest)).toEqual(OK);
    expect(await readLink(service, wallet, created.id)).toMatchObject({
      uses_left: 1,
      claims: 2,
      claimed_msat: 60_000,
      pending_msat: 41_000,
    });
    // The claim is paid after its response.
    await vi.waitFor(() => net.outside.resolveHold(held.paymentHash, 'settle'), { timeout: 150_000 });
    await untilNothingPending(service, wallet);
    expect(await readLink(service, wallet, created.id)).toMatchObject({ uses_left: 1, claims: 2, claimed_msat: 100_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('sees an inactive link when it is used up, expired or revoked, or its key is no longer valid', async () => {
    const wallet = await client.wallet(1000);
    const fields = { num_satoshis: 10 };
    const key = (await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' })) as Json;
    const made = (await client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, { key: key.key, json: fields })).body;
    const [used, expired, revoked] = [
      await linkOf(service, wallet, fields),
      await linkOf(service, wallet, { ...fields, expiry: 60 }),
      await linkOf(service, wallet, fields),
    ];
    expect(await claimAll(used.url, invoice(10_000).paymentRequest)).toEqual(OK);
    await revokeLink(service, wallet, revoked.id);
    await client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${key.id}`, { key: client.secretKey });
    const now = Date.now();
    setClock(now + 61_000);
    for (const { id } of [used, expired, revoked, made])
      expect((await readLink(service, wallet, id)).statusType).toEqual({ type: 'lnurl', name: 'lnurl_inactive', display_name: 'Inactive' });
    const listed = await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraws`);
    expect(listed.map(({ statusType }: Json) => statusType.name)).toEqual(new Array(4).fill('lnurl_inactive'));
  });

  it('revokes a link once; a claim in flight continues', async () => {
    const wallet = await client.wallet(1000);
    const link = await linkOf(service, wallet, { num_satoshis: 100, uses: 5 });
    const held = invoice(100_000, { hold: true, fee: 0 });
    expect(await claimAll(link.url, held.paymentRequest)).toEqual(OK);
    const revoked = await revokeLink(service, wallet, link.id);
    expect(revoked).toMatchObject({ revoked_at: expect.any(Number), uses_left: 4, statusType: { name: 'lnurl_inactive' } });
    setClock(noonIn(1));
    expect((await revokeLink(service, wallet, link.id)).revoked_at).toBe(revoked.revoked_at);
    const other = invoice(100_000).paymentRequest;
    for (const response of [await visit(link.url), await visit(`${link.url}&pr=${other}`)]) expect(response).toEqual(refused(/revoked/));
    // The claimer may repeat the claim in flight, which is paid.
    expect(await visit(`${link.url}&pr=${held.paymentRequest}`)).toEqual(OK);
    await expect.poll(() => net.outside.resolveHold(held.paymentHash, 'settle') ?? 'settled').toBe('settled');
    await untilNothingPending(service, wallet);
    expect(await balancesOf(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
    expect(await readLink(service, wallet, link.id)).toMatchObject({ uses_left: 4, claims: 1, claimed_msat: 100_000 });
    expect(await service.problems()).toEqual([]);
  });

  it('returns the use of a failed claim to a revoked link, which stays revoked', async () => {
    const wallet = await client.wallet(1000);
    const link = await linkOf(service, wallet, { num_satoshis: 100 });
    const held = invoice(100_000, { hold: true });
    expect(await claimAll(link.url, held.paymentRequest)).toEqual(OK);
    await revokeLink(service, wallet, link.id);
    net.outside.resolveHold(held.paymentHash, 'cancel');
    await untilNothingPending(service, wallet);
    expect(await readLink(service, wallet, link.id)).toMatchObject({ uses_left: 1, claims: 0, statusType: { name: 'lnurl_inactive' } });
    expect(await claimAll(link.url, invoice(100_000).paymentRequest)).toEqual(refused(/revoked/));
    expect(await service.problems()).toEqual([]);
  });

  it('L11: revokes while claims arrive: every claim is either paid or refused', async () => {
    const wallet = await client.wallet(10_000);
    const link = await permanentLink(service, wallet, { num_satoshis: 10 });
    const invoices = Array.from({ length: 40 }, () => invoice(10_000));
    const claims = invoices.map(({ paymentRequest }) => visit(`${link.url}&pr=${paymentRequest}`));
    const revoked = revokeLink(service, wallet, link.id);
    const responses = await Promise.all(claims);
    const { claims: before } = await revoked;
    await untilNothingPending(service, wallet);
    const paid = responses.filter(({ status }) => status === 'OK').length;
    // No claim is accepted after the revocation.
    expect(before).toBe(paid);
    expect(await readLink(service, wallet, link.id)).toMatchObject({ claims: paid, claimed_msat: paid * 10_000 });
    expect(await balancesOf(service, wallet)).toEqual({ balance_msat: 10_000_000 - paid * 10_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('finds no link of another wallet or account, and needs a key that can withdraw', async () => {
    const [wallet, sibling, foreign] = [await client.wallet(10), await client.wallet(10), await neighbour.wallet(10)];
    const { id } = await linkOf(service, wallet, { num_satoshis: 1 });
    const paths = ['', `/${id}`];
    const status = async (of: TestWallet, key: string | undefined, path: string, method = 'GET') =>
      (await client.request(method, `/v1/wallet/${of.id}/lnurl/withdraws${path}`, { key })).status;
    for (const path of paths) {
      expect(await status(wallet, client.secretKey, path)).toBe(200);
      expect(await status(wallet, wallet.admin, path)).toBe(200);
      for (const key of [wallet.invoice, wallet.read, client.publicKey]) expect(await status(wallet, key, path)).toBe(403);
      for (const key of [sibling.admin, neighbour.secretKey, foreign.admin]) expect(await status(wallet, key, path)).toBe(404);
      expect(await status(wallet, undefined, path)).toBe(401);
    }
    for (const method of ['GET', 'DELETE']) {
      expect(await status(sibling, client.secretKey, `/${id}`, method)).toBe(404);
      expect(await status(foreign, neighbour.secretKey, `/${id}`, method)).toBe(404);
      expect(await status(wallet, client.secretKey, '/lnurlw_0', method)).toBe(404);
      expect(await status(wallet, wallet.read, `/${id}`, method)).toBe(403);
    }
    expect(await readLink(service, wallet, id)).toMatchObject({ revoked_at: null });
    const pak = await client.request('DELETE', `/v1/user/wallet/${wallet.admin}/lnurl/withdraws/${id}`, { key: client.publicKey });
    expect([pak.status, pak.body.revoked_at]).toEqual([200, expect.any(Number)]);
  });

  it('A3: revokes nothing with a key that is revoked in the meantime', async () => {
    const wallet = await client.wallet(10);
    const { id } = await linkOf(service, wallet, { num_satoshis: 1 });
    const key = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
    // The cache of keys has it, so only the guard in the transaction can reject it.
    expect((await client.request('GET', `/v1/wallet/${wallet.id}`, { key: key.key })).status).toBe(200);
    await client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${key.id}`, { key: client.secretKey });
    expect((await client.request('DELETE', `/v1/wallet/${wallet.id}/lnurl/withdraws/${id}`, { key: key.key })).status).toBe(401);
    expect(await readLink(service, wallet, id)).toMatchObject({ revoked_at: null });
  });
});

onFakeNode('the list of withdraw links', (service) => {
  const { client } = service;
  let wallet: TestWallet;
  let ids: string[];

  beforeAll(async () => {
    wallet = await client.wallet(10);
    const created: Json[] = [];
    for (let n = 0; n < 5; n++) created.push(await linkOf(service, wallet, { num_satoshis: 1, user_label: `link ${n}` }));
    ids = created.map(({ id }) => id).reverse();
    await linkOf(service, await client.wallet(10), { num_satoshis: 1 });
  });

  const list = (query = '') => client.request('GET', `/v1/wallet/${wallet.id}/lnurl/withdraws${query}`, { key: client.secretKey });
  const idsOf = (body: Json) => body.map(({ id }: Json) => id);

  it('is sorted from the newest to the oldest, in pages, without any token', async () => {
    const all = await list('?count=1');
    expect(idsOf(all.body)).toEqual(ids);
    expect(all.headers.get('x-pagination-total-count')).toBe('5');
    for (const name of SECRETS) for (const link of all.body) expect(link).not.toHaveProperty(name);
    const oldest = await list('?order=asc&per-page=2');
    expect(idsOf(oldest.body)).toEqual(ids.toReversed().slice(0, 2));
    expect(oldest.headers.get('link')).toContain('rel="next"');
  });

  it('continues after a link', async () => {
    const seen: string[] = [];
    for (let query: string | undefined = `?after=${ids[0]}&per-page=2`; query !== undefined; ) {
      const { body, headers } = await list(query);
      expect(headers.has('x-pagination-total-count')).toBe(false);
      seen.push(...idsOf(body));
      query = /<(\?[^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids.slice(1));
  });

  it.each([
    ['?after=lnurlw_0', 'after'],
    ['?page=1', 'page'],
    ['?per-page=x', 'per-page'],
    ['?status=active', 'status'],
  ])('rejects %s', async (query, name) => {
    const { status, body } = await list(query);
    expect([status, body.message]).toEqual([400, expect.stringContaining(`\`${name}\``)]);
  });
});

onFakeNode('the transactions of claims', (service) => {
  const { client, net } = service;

  it('have a passThru of at most 4 kB with the id of the link', async () => {
    const wallet = await client.wallet(1000);
    const passThruOf = (length: number) => ({ fill: 'x'.repeat(length) });
    const room = 4096 - JSON.stringify({ fill: '', lnurlw_id: `lnurlw_${'0'.repeat(22)}` }).length;
    const link = await permanentLink(service, wallet, { passThru: passThruOf(room) });
    const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
    expect(await claimAll(link.url, paymentRequest)).toEqual(OK);
    await untilNothingPending(service, wallet);
    const [claim] = await client.get(`/v1/wallet/${wallet.id}/transactions?type=ln_lnurl_withdraw`);
    expect(claim.passThru).toEqual({ ...passThruOf(room), lnurlw_id: link.id });
    expect(JSON.stringify(claim.passThru)).toHaveLength(4096);
    const json = { num_satoshis: 10, passThru: passThruOf(room + 1) };
    const tooLong = await client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, { key: client.secretKey, json });
    expect(tooLong.body).toMatchObject({ status: 400, message: '`passThru` with `lnurlw_id` must be at most 4096 bytes of JSON.' });
  });

  it('have the id, the label and the passThru of the link in lists, the search and the statement', async () => {
    const wallet = await client.wallet(1000);
    const fields = { num_satoshis: 100, memo: 'for all', passThru: { order: '7' } };
    const links = [await permanentLink(service, wallet, { ...fields, user_label: 'till 3' }), await permanentLink(service, wallet, fields)];
    for (const link of links) {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000, memo: 'claimer', script: { fee: 10 } });
      expect(await claimAll(link.url, paymentRequest)).toEqual(OK);
      await untilNothingPending(service, wallet);
    }
    const statement = (await client.request('GET', `/v1/wallet/${wallet.id}/statement`, { key: client.secretKey })).text;
    for (const [index, label] of ['till 3', 'for all'].entries()) {
      const { id } = links[index];
      const found = await client.get(`/v1/wallet/${wallet.id}/transactions?pass_through[lnurlw_id]=${id}`);
      expect(found).toMatchObject([{ user_label: label, passThru: { order: '7', lnurlw_id: id }, wtxType: { name: 'ln_lnurl_withdraw' } }]);
      expect(found[0].lnTx).toMatchObject({ memo: 'claimer', passThru: { lnurlw_id: id } });
      expect(statement).toMatch(new RegExp(`${found[0].id},ln_lnurl_withdraw,${label},-5000,.*,${id},,,,,\\r\\n`));
    }
  });
});
