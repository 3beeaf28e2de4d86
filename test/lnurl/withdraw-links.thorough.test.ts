import { getParams, type LNURLWithdrawParams } from 'js-lnurl';
import { beforeAll, expect, it } from 'vitest';
import { decodeLnurl } from '../../src/core/lightning/bech32.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { rawGet } from '../support/raw-get.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';

reloadModulesAfterFile();

interface Link {
  readonly url: string;
  readonly lnurl: string;
  readonly ott: string;
  readonly num_satoshis: number;
}

onFakeNode('LNURL withdraw', ({ client, neighbour }) => {
  let wallet: TestWallet;

  beforeAll(async () => {
    wallet = await client.wallet(100_000);
  });

  const createLink = (fields: object = {}, of = wallet): Promise<Link> =>
    client.post(`/v1/wallet/${of.id}/lnurl/withdraw`, { num_satoshis: 100, ...fields });
  const invoiceOf = (num_satoshis: number | undefined, more: object = {}): Promise<Json> =>
    client.post('/playground/invoice', { num_satoshis, ...more });
  const stateOf = async (of = wallet) => {
    const { balance, pending_msat } = await client.get(`/v1/wallet/${of.id}`);
    return { balance, pending_msat };
  };

  /** Sends a request without a key, as another wallet does. */
  async function visit(url: string): Promise<Json> {
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    return response.json();
  }

  /** LUD-03, step 1, with a published client. */
  async function stepOne(lnurl: string): Promise<LNURLWithdrawParams> {
    const parameters = await getParams(lnurl);
    expect(parameters).toMatchObject({ tag: 'withdrawRequest' });
    return parameters as LNURLWithdrawParams;
  }

  /** LUD-03, step 5: "The wallet sends it to the service: <callback><?|&>k1=<k1>&pr=<invoice>". */
  function claim({ callback, k1 }: Pick<LNURLWithdrawParams, 'callback' | 'k1'>, pr: string): Promise<Json> {
    return visit(`${callback}${callback.includes('?') ? '&' : '?'}k1=${k1}&pr=${pr}`);
  }

  async function expectRefused(response: Promise<Json> | Json, reason: RegExp = /./): Promise<void> {
    expect(await response).toEqual({ status: 'ERROR', reason: expect.stringMatching(reason) });
  }

  /** Returns the amount that the outside node reports as received. */
  async function received(paymentHash: string): Promise<number> {
    const { payments } = await client.get('/playground/payments');
    const got = payments.filter(
      (one: Json) => one.payment_hash === paymentHash && one.direction === 'received' && one.state === 'succeeded',
    );
    return got.reduce((sum: number, one: Json) => sum + one.amount_msat, 0);
  }

  const settled = async (balance: number, of = wallet) => expect.poll(() => stateOf(of)).toEqual({ balance, pending_msat: 0 });

  it('pays a link made by GET or by POST once to a published client, and returns its state', async () => {
    const passThru = { ticketId: '23' };
    const base64 = encodeURIComponent(Buffer.from(JSON.stringify(passThru)).toString('base64'));
    const query = `num_satoshis=1000&memo=gift&passThru=${base64}`;
    const get = await client.request('GET', `/v1/user/wallet/${wallet.admin}/lnurl/withdraw?${query}`, { key: client.publicKey });
    const post = await client.request('POST', `/v1/wallet/${wallet.admin}/lnurl/withdraw`, {
      key: client.publicKey,
      json: { num_satoshis: 1000, memo: 'gift', passThru },
    });
    expect([get.status, post.status]).toEqual([200, 201]);
    for (const { body: link } of [get, post]) {
      const before = await stateOf();
      expect(link.lnurl).toMatch(/^LNURL1[02-9AC-HJ-NP-Z]+$/);
      expect(decodeLnurl(link.lnurl)).toBe(link.url);
      expect(link.url).toBe(`${client.url}/v1/user/wallet/${wallet.lnurlWithdraw}/lnurl-process?ott=${link.ott}&num_satoshis=1000`);
      const parameters = await stepOne(link.lnurl);
      expect(decodeLnurl(link.lnurl.toLowerCase())).toBe(link.url);
      expect(parameters).toMatchObject({
        minWithdrawable: 1000,
        maxWithdrawable: 1_000_000,
        defaultDescription: 'gift',
        domain: '127.0.0.1',
      });
      expect(parameters.callback).toMatch(`/v1/user/wallet/${wallet.lnurlWithdraw}/lnurl-process?ott=${link.ott}`);
      const { payment_request, payment_hash } = await invoiceOf(600);
      expect(await claim(parameters, payment_request)).toEqual({ status: 'OK' });
      await settled(before.balance - 600);
      expect(await received(payment_hash)).toBe(600_000);
      const [row] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
      expect(row).toMatchObject({
        num_satoshis: -600,
        wtxType: { layer: 'ln', name: 'ln_lnurl_withdraw', display_name: 'LNURL Withdraw' },
        passThru,
        lnTx: { settled: 1, r_hash_decoded: payment_hash },
      });
      // A smaller amount uses up the whole use.
      await expectRefused(claim(parameters, (await invoiceOf(100)).payment_request), /used/);
      await expectRefused(
        getParams(link.lnurl).then(({ status, reason }: Json) => ({ status, reason })),
        /used/,
      );
      expect(await stateOf()).toEqual({ balance: before.balance - 600, pending_msat: 0 });
    }
  });

  it('accepts a callback without k1, in both forms of the address', async () => {
    const [first, second] = [await createLink(), await createLink()];
    const { balance } = await stateOf();
    expect(await visit(`${first.url}&pr=${(await invoiceOf(10)).payment_request}`)).toEqual({ status: 'OK' });
    const other = second.url.replace('/v1/user/wallet/', '/v1/wallet/');
    expect(await visit(`${other}&pr=${(await invoiceOf(10)).payment_request.toUpperCase()}`)).toEqual({ status: 'OK' });
    await settled(balance - 20);
  });

  it('never consumes a link in the first step, however often it is read', async () => {
    const link = await createLink();
    const responses = await Promise.all(Array.from({ length: 10 }, () => visit(link.url)));
    for (const response of responses) expect(response).toEqual(responses[0]);
    const { balance } = await stateOf();
    expect(await claim(responses[0], (await invoiceOf(100)).payment_request)).toEqual({ status: 'OK' });
    await settled(balance - 100);
  });

  it('L3: reveals no secret in a link, and gives each link its own tokens and k1', async () => {
    const [one, two] = [await createLink(), await createLink()];
    const [first, second] = [await stepOne(one.lnurl), await stepOne(two.lnurl)];
    const texts = [one.url, decodeLnurl(one.lnurl), JSON.stringify(first)];
    const secrets = [client.secretKey, wallet.admin, wallet.invoice, wallet.read].map((key) => key.split('_')[1] ?? key);
    for (const text of texts) {
      // The random text of a token may contain such letters itself: a key begins after another character.
      expect(text).not.toMatch(/(?<![\w.-])(waka|waki|wakr|wa|sak|pak|wal)_/);
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    const tokenOf = (url: string | undefined) => new URL(url ?? '').searchParams.get('ott') ?? '';
    const tokens = [first, second].flatMap(({ callback, balanceCheck, k1 }) => [tokenOf(callback), tokenOf(balanceCheck), k1]);
    expect(new Set(tokens).size).toBe(6);
    for (const token of tokens) expect(token.length).toBeGreaterThanOrEqual(24);
  });

  it('L3: rejects an altered token, k1, key or amount, and moves nothing', async () => {
    const link = await createLink();
    const other = await client.wallet(1000);
    const foreign = await neighbour.wallet(1000);
    const otherLink = await createLink({}, other);
    const { k1 } = await visit(link.url);
    const { payment_request: pr } = await invoiceOf(100);
    const { payment_request: larger } = await invoiceOf(101);
    const before = await stateOf();
    const altered = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
    const at = (key: string, query: string) => visit(`${client.url}/v1/wallet/${key}/lnurl-process?${query}`);
    const { ott } = link;
    const cases: [key: string, query: string][] = [
      [wallet.lnurlWithdraw, `ott=${altered(ott)}&k1=${k1}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott.toLowerCase()}${ott.toUpperCase()}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&ott=${ott}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${k1}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=&pr=${pr}`],
      [wallet.lnurlWithdraw, `pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${otherLink.ott}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${altered(k1)}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${'0'.repeat(64)}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}x&pr=${pr}`],
      [altered(wallet.lnurlWithdraw), `ott=${ott}&k1=${k1}&pr=${pr}`],
      [other.lnurlWithdraw, `ott=${ott}&k1=${k1}&pr=${pr}`],
      [other.admin, `ott=${ott}&k1=${k1}&pr=${pr}`],
      [foreign.lnurlWithdraw, `ott=${ott}&k1=${k1}&pr=${pr}`],
      ['waklw_', `ott=${ott}&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&pr=${larger}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&num_satoshis=101&pr=${larger}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&num_satoshis=9007199254740&pr=${larger}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&num_satoshis=0&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&num_satoshis=-1&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&num_satoshis=99&pr=${pr}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&pr=${(await invoiceOf(undefined)).payment_request}`],
      [wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&num_satoshis=50&pr=${(await invoiceOf(undefined)).payment_request}`],
    ];
    for (const [key, query] of cases) await expectRefused(at(key, query));
    expect(await stateOf()).toEqual(before);
    expect(await stateOf(other)).toEqual({ balance: 1000, pending_msat: 0 });
    // None of these requests has changed the link.
    expect(await at(wallet.lnurlWithdraw, `ott=${ott}&k1=${k1}&pr=${pr}`)).toEqual({ status: 'OK' });
    await settled(before.balance - 100);
  });

  it('returns the same error for a wrong token, a wrong key and a wrong k1', async () => {
    const { url, ott } = await createLink();
    const other = await client.wallet();
    const responses = [
      url.replace(ott, 'x'),
      url.replace(wallet.lnurlWithdraw, other.lnurlWithdraw),
      url.replace(wallet.lnurlWithdraw, 'waklw_x'),
      `${url}&k1=x`,
    ];
    const [first, ...rest] = await Promise.all(responses.map(visit));
    for (const response of rest) expect(response).toEqual(first);
  });

  it('lowers the maximum by num_satoshis in the address, and never raises it', async () => {
    const { url } = await createLink();
    const at = (num: number) => visit(url.replace('num_satoshis=100', `num_satoshis=${num}`));
    const lowered = await at(40);
    expect(lowered.maxWithdrawable).toBe(40_000);
    expect((await at(5000)).maxWithdrawable).toBe(100_000);
    // The callback keeps the lower maximum.
    const { balance } = await stateOf();
    await expectRefused(claim(lowered, (await invoiceOf(41)).payment_request));
    expect(await claim(lowered, (await invoiceOf(40)).payment_request)).toEqual({ status: 'OK' });
    await settled(balance - 40);
  });

  it('pays nothing for an expired link', async () => {
    const { payment_request } = await invoiceOf(10);
    const before = await stateOf();
    const link = await createLink({ expiry: 60 });
    expect(await visit(link.url)).toMatchObject({ tag: 'withdrawRequest' });
    const now = Date.now;
    Date.now = () => now() + 61_000;
    try {
      await expectRefused(visit(link.url), /expired/);
      await expectRefused(visit(`${link.url}&pr=${payment_request}`), /expired/);
    } finally {
      Date.now = now;
    }
    expect(await stateOf()).toEqual(before);
  });

  it('LUD-14: gives the balance check its own token, returns the remainder, and withdraws once', async () => {
    const link = await createLink();
    const parameters = await stepOne(link.lnurl);
    const check = parameters.balanceCheck ?? '';
    expect(new URL(check).searchParams.get('ott')).not.toBe(link.ott);
    expect(check).not.toContain(link.ott);
    const checked = await visit(check);
    expect(checked).toMatchObject({ tag: 'withdrawRequest', maxWithdrawable: 100_000, balanceCheck: check });
    expect(checked.k1).not.toBe(parameters.k1);
    await expectRefused(claim({ ...checked, k1: parameters.k1 }, (await invoiceOf(1)).payment_request));
    await expectRefused(claim(checked, (await invoiceOf(101)).payment_request));
    const { balance } = await stateOf();
    expect(await claim(checked, (await invoiceOf(100)).payment_request)).toEqual({ status: 'OK' });
    await settled(balance - 100);
    await expectRefused(visit(check), /used/);
    await expectRefused(visit(link.url), /used/);
    await expectRefused(claim(parameters, (await invoiceOf(1)).payment_request), /used/);
  });

  it('R6: 100 callbacks at once with different invoices on a single-use link pay exactly one', async () => {
    const link = await createLink({ num_satoshis: 50 });
    const before = await stateOf();
    const invoices = await Promise.all(Array.from({ length: 100 }, () => invoiceOf(50)));
    const parameters = await visit(link.url);
    const check = await visit(parameters.balanceCheck);
    // The callbacks use both of its tokens.
    const responses = await Promise.all(invoices.map(({ payment_request }, i) => claim(i % 2 ? parameters : check, payment_request)));
    expect(responses.filter(({ status }) => status === 'OK')).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 'OK')) await expectRefused(response);
    await settled(before.balance - 50);
    const paid = await Promise.all(invoices.map(({ payment_hash }) => received(payment_hash)));
    expect(paid.filter((amountMsat) => amountMsat > 0)).toEqual([50_000]);
  });

  it('allows three claims with uses: 3, also at once, and rejects a fourth', async () => {
    const link = await createLink({ uses: 3 });
    const { balance } = await stateOf();
    expect(await visit(`${link.url}&pr=${(await invoiceOf(100)).payment_request}`)).toEqual({ status: 'OK' });
    await settled(balance - 100);
    const { balanceCheck } = await visit(link.url);
    const invoices = await Promise.all(Array.from({ length: 10 }, () => invoiceOf(100)));
    const responses = await Promise.all(invoices.map(({ payment_request }) => visit(`${balanceCheck}&pr=${payment_request}`)));
    expect(responses.filter(({ status }) => status === 'OK')).toHaveLength(2);
    await settled(balance - 300);
    await expectRefused(visit(link.url), /used/);
    await expectRefused(visit(balanceCheck), /used/);
  });

  it('pays the same invoice once, through any link', async () => {
    const [one, two] = [await createLink(), await createLink()];
    const { payment_request, payment_hash } = await invoiceOf(100);
    const { balance } = await stateOf();
    expect(await visit(`${one.url}&pr=${payment_request}`)).toEqual({ status: 'OK' });
    await settled(balance - 100);
    await expectRefused(visit(`${two.url}&pr=${payment_request}`));
    expect(await received(payment_hash)).toBe(100_000);
    expect(await stateOf()).toEqual({ balance: balance - 100, pending_msat: 0 });
    // The rejected claim consumed no use.
    expect(await visit(two.url)).toMatchObject({ tag: 'withdrawRequest' });
  });

  it('L4: reports a pending payout, and accepts a new claim after a definitive failure', async () => {
    const link = await createLink();
    const { balance } = await stateOf();
    const held = await invoiceOf(100, { hold: true });
    const parameters = await visit(link.url);
    expect(await claim(parameters, held.payment_request)).toEqual({ status: 'OK' });
    await expectRefused(visit(link.url), /in progress/);
    await expectRefused(visit(parameters.balanceCheck), /in progress/);
    await expectRefused(claim(parameters, (await invoiceOf(100)).payment_request), /in progress/);
    expect((await stateOf()).pending_msat).toBeGreaterThanOrEqual(100_000);
    await client.decideHold(held.payment_hash, 'cancel');
    await settled(balance);
    const again = await visit(link.url);
    expect(again).toEqual(parameters);
    const { payment_request, payment_hash } = await invoiceOf(100);
    expect(await claim(again, payment_request)).toEqual({ status: 'OK' });
    await settled(balance - 100);
    expect([await received(held.payment_hash), await received(payment_hash)]).toEqual([0, 100_000]);
    await expectRefused(visit(link.url), /used/);
  });

  it('pays an invoice of another wallet of the service internally', async () => {
    const payee = await client.wallet();
    const link = await createLink();
    const { balance } = await stateOf();
    const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    expect(await visit(`${link.url}&pr=${payment_request}`)).toEqual({ status: 'OK' });
    await settled(balance - 100);
    await settled(100, payee);
    const own = await createLink();
    const { payment_request: ours } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 100 });
    await expectRefused(visit(`${own.url}&pr=${ours}`), /own/);
    expect(await visit(own.url)).toMatchObject({ tag: 'withdrawRequest' });
  });

  it('offers the link limit, or the wallet balance less the fee limit when that is lower', async () => {
    const poor = await client.wallet(70);
    const rich = await createLink({ num_satoshis: 100 }, poor);
    expect(rich.num_satoshis).toBe(100);
    expect(await visit(rich.url)).toMatchObject({ minWithdrawable: 1000, maxWithdrawable: 69_000 });
    await expectRefused(visit(`${rich.url}&pr=${(await invoiceOf(70)).payment_request}`));
    const all = await createLink({ num_satoshis: undefined, fee_limit_msat: 0 }, poor);
    expect(all.num_satoshis).toBe(70);
    expect(await visit(`${all.url}&pr=${(await invoiceOf(70)).payment_request}`)).toEqual({ status: 'OK' });
    await settled(0, poor);
    await expectRefused(visit(rich.url), /nothing/);
    await expectRefused(visit(`${rich.url}&pr=${(await invoiceOf(1)).payment_request}`), /nothing/);
    const none = await client.request('GET', `/v1/wallet/${poor.id}/lnurl/withdraw`, { key: client.secretKey });
    expect(none.body).toMatchObject({ status: 400, type: 'insufficient_balance' });
    expect(await stateOf(poor)).toEqual({ balance: 0, pending_msat: 0 });
  });

  it('L8: ignores Host, Forwarded and Referer in the addresses that it returns', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=https',
      'x-original-host': 'evil.example',
      referer: 'https://evil.example/',
      origin: 'https://evil.example',
    };
    for (const host of [{}, { host: 'evil.example' }, { host: '127.0.0.1:1' }]) {
      const allHeaders = { ...headers, ...host, 'x-api-key': client.secretKey };
      const { body: link } = await rawGet(`${client.url}/v1/wallet/${wallet.id}/lnurl/withdraw?num_satoshis=1`, allHeaders);
      expect(link.url).toContain(`${client.url}/v1/user/wallet/`);
      expect(decodeLnurl(link.lnurl)).toBe(link.url);
      const { body: parameters } = await rawGet(link.url, { ...headers, ...host });
      for (const url of [parameters.callback, parameters.balanceCheck]) expect(new URL(url).origin).toBe(client.url);
    }
  });

  it('returns HTTP 200 with a reason and no internals for every error of a public address', async () => {
    const { url } = await createLink();
    for (const path of [
      '',
      '?ott=x',
      '?ott=x&num_satoshis=abc',
      `?ott=x&pr=${'l'.repeat(9000)}`,
      '?ott=x&pr=nonsense',
      '?ott[a]=1',
      `?ott=${'x'.repeat(200)}`,
    ]) {
      for (const base of ['wallet/waklw_x', `user/wallet/${wallet.lnurlWithdraw}`, 'wallet/x', `wallet/${'x'.repeat(300)}`]) {
        await expectRefused(visit(`${client.url}/v1/${base}/lnurl-process${path}`), /^[^{}]{1,200}$/);
      }
    }
    await expectRefused(visit(`${url}&pr=nonsense`));
    expect(await visit(url)).toMatchObject({ tag: 'withdrawRequest' });
  });
});

onFakeNode(
  'a service behind a proxy',
  ({ client }) => {
    it('L8: returns the address that its operator configured', async () => {
      const wallet = await client.wallet(10);
      const { url, lnurl } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 5 });
      expect(decodeLnurl(lnurl)).toBe(url);
      expect(url).toMatch(/^https:\/\/wallet\.example\/satchel\/v1\/user\/wallet\/waklw_/);
      const { body } = await client.request('GET', url.slice('https://wallet.example/satchel'.length));
      for (const address of [body.callback, body.balanceCheck]) expect(address).toMatch(/^https:\/\/wallet\.example\/satchel\/v1\//);
    });
  },
  { PUBLIC_URL: 'https://wallet.example/satchel/' },
);
