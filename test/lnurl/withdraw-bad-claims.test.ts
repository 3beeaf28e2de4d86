import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Bolt11Draft, encodeBolt11, ordinaryFields } from '../../devnet/fake/bolt11-encoder.ts';
import { onFakeNode } from '../support/app.ts';
import { SPEC_PRIVATE_KEY } from '../support/bolt11-forgery.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import {
  balancesOf,
  claim,
  linkOf,
  OK,
  permanentLink,
  readLink,
  refused,
  revokeLink,
  untilNothingPending,
  visit,
} from './claiming-wallet.ts';

reloadModulesAfterFile();

const hash = (): string => createHash('sha256').update(randomBytes(32)).digest('hex');
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** A well-formed invoice of an unknown node for 50 sat, with the changes of a test. */
function invoiceOf({ amountMsat = 50_000, ...change }: Partial<Bolt11Draft> = {}): string {
  return encodeBolt11({ ...draft(), amountMsat, ...change });
}

function withoutAmount(): string {
  return encodeBolt11(draft());
}

function draft(): Bolt11Draft {
  const fields = ordinaryFields({ paymentHash: hash(), paymentSecret: hash(), description: 'x' });
  return { network: 'regtest', timestamp: nowSeconds(), fields, privateKey: SPEC_PRIVATE_KEY };
}

interface Given {
  readonly wallet: TestWallet;
  readonly other: TestWallet;
  readonly link: Json;
  readonly offer: Json;
}

const PR = (): string => invoiceOf();

/** Claims that are rejected: with these parameters in place of the right ones. */
const BAD: readonly (readonly [what: string, send: (given: Given) => Promise<Json>, reason: RegExp])[] = [
  ['another k1', ({ offer }) => claim({ ...offer, k1: hash() }, PR()), /not valid/],
  ['an empty k1', ({ offer }) => claim({ ...offer, k1: '' }, `${PR()}&k1=x`), /./],
  ['a k1 twice', ({ offer }) => claim(offer, `${PR()}&k1=${offer.k1}`), /k1/],
  ['a k1 of 129 characters', ({ offer }) => claim({ ...offer, k1: 'a'.repeat(129) }, PR()), /k1/],
  [
    'the path of another wallet',
    ({ offer, wallet, other }) => claim({ ...offer, callback: offer.callback.replace(wallet.lnurlWithdraw, other.lnurlWithdraw) }, PR()),
    /not valid/,
  ],
  [
    'the path of another wallet, and the right one in the query',
    ({ offer, wallet, other }) =>
      claim(
        { ...offer, callback: offer.callback.replace(wallet.lnurlWithdraw, other.lnurlWithdraw) },
        `${PR()}&key=${wallet.lnurlWithdraw}`,
      ),
    /not valid/,
  ],
  [
    'an admin key of another wallet in the path',
    ({ offer, wallet, other }) => claim({ ...offer, callback: offer.callback.replace(wallet.lnurlWithdraw, other.admin) }, PR()),
    /not valid/,
  ],
  [
    'another token',
    ({ offer, link }) => claim({ ...offer, callback: offer.callback.replace(link.ott, 'A'.repeat(24)) }, PR()),
    /not valid/,
  ],
  ['1 msat too much', ({ offer }) => claim(offer, invoiceOf({ amountMsat: 100_001 })), /at most 100000/],
  ['the largest amount of Bitcoin', ({ offer }) => claim(offer, invoiceOf({ amountMsat: 2_100_000_000_000_000 })), /at most/],
  ['1 msat too little', ({ offer }) => claim(offer, invoiceOf({ amountMsat: 999 })), /at least 1000/],
  ['an invoice without an amount', ({ offer }) => claim(offer, withoutAmount()), /amount/],
  ['an invoice without an amount, and num_satoshis', ({ offer }) => claim(offer, `${withoutAmount()}&num_satoshis=50`), /./],
  ['an expired invoice', ({ offer }) => claim(offer, invoiceOf({ timestamp: nowSeconds() - 3601 })), /expired/],
  ['an invoice of mainnet', ({ offer }) => claim(offer, invoiceOf({ network: 'bitcoin' })), /for bitcoin/],
  ['an invoice of testnet', ({ offer }) => claim(offer, invoiceOf({ network: 'testnet' })), /for testnet/],
  ['no invoice', ({ offer }) => claim(offer, 'lnbc'), /BOLT11/],
  ['an LNURL', ({ offer, link }) => claim(offer, link.lnurl), /LNURL/],
  ['an invoice of 8001 characters', ({ offer }) => claim(offer, `lnbcrt${'q'.repeat(7995)}`), /pr/],
  ['a limit that is no number', ({ offer }) => claim(offer, `${PR()}&num_satoshis=1e3`), /num_satoshis/],
  [
    'a limit below the amount',
    ({ offer }) => visit(`${offer.callback.replace(/&num_satoshis=\d+/, '')}&num_satoshis=49&pr=${PR()}`),
    /at most 49000/,
  ],
];

onFakeNode('bad claims', (app) => {
  for (const create of [linkOf, permanentLink]) {
    const kind = create === permanentLink ? 'permanent' : 'single-use';
    it(`L3 L6: pays nothing with a ${kind} link, which can still be claimed`, async () => {
      const [wallet, other] = [await app.client.wallet(1000), await app.client.wallet(1000)];
      const link = await create(app, wallet, { num_satoshis: 100, fee_limit_msat: 0, daily_limit_msat: 200_000 });
      const offer = await visit(link.url);
      const before = await readLink(app, wallet, link.id);
      for (const [what, send, reason] of BAD) {
        const response = await send({ wallet, other, link, offer });
        expect(response, what).toEqual(refused(reason));
        // Neither a token nor the balance of the wallet.
        for (const secret of [link.ott, offer.k1, wallet.admin, '1000000']) expect(response.reason).not.toContain(secret);
        expect(await readLink(app, wallet, link.id), what).toEqual(before);
      }
      for (const one of [wallet, other]) expect(await balancesOf(app, one)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
      const { paymentRequest } = app.net.outside.invoice({ amountMsat: 100_000, script: { fee: 0 } });
      expect(await claim(offer, paymentRequest)).toEqual(OK);
      await untilNothingPending(app, wallet);
      expect((await balancesOf(app, wallet)).balance_msat).toBe(900_000);
    });
  }

  it('L7: shows texts of the owner as they are, and no claimer sees the label', async () => {
    const wallet = await app.client.wallet(10);
    const memo = '<script>alert("1")</script> \u202e\n\t';
    const link = await linkOf(app, wallet, { num_satoshis: 1, memo, user_label: 'secret label', passThru: { secret: 'yes' } });
    const response = await fetch(link.url);
    // JSON, which no browser renders as a page.
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const text = await response.text();
    expect(JSON.parse(text).defaultDescription).toBe(memo);
    expect(text).not.toContain('secret');
    for (const bad of ['a\u0000b', '\ud800']) {
      const options = { key: app.client.secretKey, json: { num_satoshis: 1, user_label: bad } };
      expect((await app.client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, options)).status).toBe(400);
    }
  });

  it('refuses a revoked link to every token and step with the same reason', async () => {
    const wallet = await app.client.wallet(1000);
    const link = await linkOf(app, wallet, { num_satoshis: 100, uses: 2 });
    const offer = await visit(link.url);
    await revokeLink(app, wallet, link.id);
    const base = offer.callback.split('?')[0];
    for (const url of [
      link.url,
      offer.balanceCheck,
      `${base}?k1=${offer.k1}`,
      `${link.url}&pr=${PR()}`,
      `${offer.balanceCheck}&pr=${PR()}`,
    ])
      expect(await visit(url)).toEqual({ status: 'ERROR', reason: 'This withdraw link was revoked.' });
  });
});
