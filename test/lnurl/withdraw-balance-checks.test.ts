import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { secretHash } from '../../src/core/kernel/ids.ts';
import { k1Of, linkOfBalanceToken, openBalanceToken, sealBalanceToken } from '../../src/features/lnurl/withdraw/tokens.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { claim, linkOf, OK, permanentLink, refused, revokeLink, setClock, untilNothingPending, visit } from './claiming-wallet.ts';

reloadModulesAfterFile();
afterEach(() => vi.restoreAllMocks());

const DAY = 86_400;
const PERIOD = 30 * DAY;
const UNUSABLE = refused(/^This withdraw link is not valid\.$/);

const ottOf = (url: string): string => new URL(url).searchParams.get('ott') ?? '';

onFakeNode('the URL of a balance check (LUD-14)', (service) => {
  const { client, net } = service;
  /** Unix seconds: the start of a period after the present one. */
  let start = 0;
  let wallet: TestWallet;
  let link: Json;

  const at = (seconds: number) => setClock((start + seconds) * 1000);
  const invoice = (amountMsat: number) =>
    net.outside.invoice({ amountMsat, script: { fee: 0 }, expirySeconds: 10 * 365 * DAY }).paymentRequest;

  beforeEach(async () => {
    start = (Math.floor(Date.now() / 1000 / PERIOD) + 1) * PERIOD;
    at(0);
    wallet = await client.wallet(1000);
    link = await permanentLink(service, wallet, { num_satoshis: 100 });
  });

  it('is the same within 30 days, whether the link or the URL is read, and another one afterwards', async () => {
    const { balanceCheck: first } = await visit(link.url);
    for (const seconds of [0, 1, PERIOD - 1]) {
      at(seconds);
      for (const url of [link.url, first]) expect((await visit(url)).balanceCheck).toBe(first);
    }
    at(PERIOD);
    const { balanceCheck: second } = await visit(first);
    expect(second).not.toBe(first);
    for (const url of [link.url, first, second]) expect((await visit(url)).balanceCheck).toBe(second);
    expect(ottOf(second).length).toBeLessThanOrEqual(128);
  });

  it('works for 12 more periods of 30 days if it is not read, and not after them', async () => {
    const offer = await visit(link.url);
    const checked = await visit(offer.balanceCheck);
    at(13 * PERIOD - 1);
    expect(await visit(offer.balanceCheck)).toMatchObject({ tag: 'withdrawRequest', maxWithdrawable: 100_000 });
    expect(await claim(checked, invoice(10_000))).toEqual(OK);
    await untilNothingPending(service, wallet);
    at(13 * PERIOD);
    const base = `${offer.balanceCheck.split('?')[0]}`;
    for (const url of [offer.balanceCheck, `${offer.balanceCheck}&pr=${invoice(10_000)}`, `${base}?k1=${checked.k1}`])
      expect(await visit(url)).toEqual(UNUSABLE);
    expect(await claim(checked, invoice(10_000))).toEqual(UNUSABLE);
    expect(await visit(`${base}?k1=${checked.k1}&pr=${invoice(10_000)}`)).toEqual(UNUSABLE);
    // The link itself does not change.
    expect(await claim(await visit(link.url), invoice(10_000))).toEqual(OK);
    await untilNothingPending(service, wallet);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(980);
  });

  it('is renewed for as long as a wallet reads it once a year', async () => {
    let { balanceCheck } = await visit(link.url);
    for (let year = 1; year <= 5; year++) {
      at(year * 365 * DAY);
      const offer = await visit(balanceCheck);
      expect(await claim(offer, invoice(10_000))).toEqual(OK);
      await untilNothingPending(service, wallet);
      balanceCheck = offer.balanceCheck;
    }
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(950);
  });

  it('leads to claims with tokens and a k1 of the present period', async () => {
    const old = await visit((await visit(link.url)).balanceCheck);
    at(5 * PERIOD);
    const offer = await visit(old.balanceCheck);
    expect([ottOf(offer.callback), offer.k1]).not.toEqual(expect.arrayContaining([ottOf(old.callback), old.k1]));
    expect(ottOf(offer.callback)).toBe(ottOf(offer.balanceCheck));
    // Each callback accepts only its own k1.
    expect(await claim({ ...offer, k1: old.k1 }, invoice(10_000))).toEqual(UNUSABLE);
    expect(await claim({ ...old, k1: offer.k1 }, invoice(10_000))).toEqual(UNUSABLE);
    for (const each of [old, offer]) expect(await claim(each, invoice(10_000))).toEqual(OK);
    await untilNothingPending(service, wallet);
  });

  it('is refused when any part of it is changed', async () => {
    const other = await permanentLink(service, wallet, { num_satoshis: 100 });
    const { balanceCheck } = await visit(link.url);
    const token = ottOf(balanceCheck);
    const [id = '', period = '', sealed = ''] = token.split('.');
    const otherSealed = ottOf((await visit(other.url)).balanceCheck).split('.')[2];
    const altered = [
      [id, String(Number(period) + 1), sealed],
      [id, String(Number(period) - 1), sealed],
      [id, `0${period}`, sealed],
      [id, '', sealed],
      [id, '99999999999999999999', sealed],
      [other.id.slice('lnurlw_'.length), period, sealed],
      [id, period, otherSealed],
      [id, period, `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`],
      [id, period, `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`],
      [id, period, sealed.slice(0, 40)],
      [id, period, sealed, 'x'],
      ['0'.repeat(22), period, sealed],
    ].map((parts) => parts.join('.'));
    const base = balanceCheck.split('?')[0];
    for (const text of altered) {
      expect(await visit(`${base}?ott=${text}`)).toEqual(UNUSABLE);
      expect(await visit(`${base}?k1=${text}`)).toEqual(UNUSABLE);
      expect(await visit(`${balanceCheck}&k1=${text}`)).toEqual(UNUSABLE);
    }
    const stranger = await client.wallet(10);
    expect(await visit(balanceCheck.replace(wallet.lnurlWithdraw, stranger.lnurlWithdraw))).toEqual(UNUSABLE);
    expect(await visit(balanceCheck)).toMatchObject({ tag: 'withdrawRequest' });
  });

  it('is refused for a revoked link', async () => {
    const { balanceCheck } = await visit(link.url);
    await revokeLink(service, wallet, link.id);
    expect(await visit(balanceCheck)).toEqual(refused(/revoked/));
  });

  it('cannot be computed from a copy of the database', async () => {
    const single = await linkOf(service, wallet, { num_satoshis: 5 });
    const token = ottOf((await visit(single.url)).balanceCheck);
    const rows = await service.rows('SELECT * FROM withdraw_link');
    const { k1_hash } = rows.find(({ id }) => id === single.id) ?? {};
    const stored = ['hex', 'base64url'].map((encoding) =>
      JSON.stringify(rows, (_name, value) => (value instanceof Uint8Array ? Buffer.from(value).toString(encoding as 'hex') : value)),
    );
    expect(k1_hash).toBeInstanceOf(Uint8Array);
    const k1 = k1Of(single.ott);
    for (const secret of [token.split('.')[2], k1, Buffer.from(k1, 'hex').toString('base64url'), single.ott])
      for (const text of stored) expect(text).not.toContain(secret);
  });
});

describe('the token of a balance check', () => {
  const k1 = k1Of('a'.repeat(24));
  const link = { id: `lnurlw_${'1'.repeat(22)}`, k1_hash: secretHash(k1) };

  it('contains the k1 only for the stored hash with which it was made', () => {
    const token = sealBalanceToken(link, k1, 700 * PERIOD);
    expect(linkOfBalanceToken(token)).toBe(link.id);
    expect(openBalanceToken(link, token, 700 * PERIOD)).toBe(k1);
    expect(openBalanceToken({ ...link, k1_hash: secretHash('another') }, token, 700 * PERIOD)).toBeUndefined();
  });

  it('is refused for another k1 than that of the link, which a reader of the database could encrypt', () => {
    const token = sealBalanceToken(link, k1Of('another'), 700 * PERIOD);
    expect(openBalanceToken(link, token, 700 * PERIOD)).toBeUndefined();
  });

  it.each([
    [-2, false],
    [-1, true],
    [0, true],
    [12, true],
    [13, false],
  ])('%i periods after its own is accepted: %s', (age, isAccepted) => {
    const token = sealBalanceToken(link, k1, 700 * PERIOD);
    expect(openBalanceToken(link, token, (700 + age) * PERIOD) !== undefined).toBe(isAccepted);
  });
});
