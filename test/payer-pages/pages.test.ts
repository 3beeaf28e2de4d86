import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeStale, RateSource, sendsPrices, setPrices } from '../rates/rate-source.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

const source = await RateSource.start('50000');
afterAll(() => source.close());

const SITE = 'https://shop.example';
const PAGE = { accept: 'text/html,application/xhtml+xml' };

/** The texts of a page without markup, with plain spaces. */
const textOf = (markup: string) =>
  markup
    .replaceAll(/<(svg|head)[\s\S]*?<\/\1>|<[^>]*>/g, ' ')
    .replaceAll(/[\s\u202f]+/g, ' ')
    .trim();

onFakeNode(
  'the pages for payers',
  (service) => {
    const { client, rows, problems } = service;
    let wallet: TestWallet;
    let names = 0;

    beforeAll(async () => {
      wallet = await client.wallet();
      await setPrices(client, source, { EUR: '50000' });
    });

    const newLink = async (fields: object = {}): Promise<{ link: Json; path: string }> => {
      const name = `shop${++names}`;
      const link = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: name, ...fields });
      return { link, path: `/pay/${name}` };
    };
    const open = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${client.url}${path}`, { headers: { ...PAGE, ...headers } });
      return { response, status: response.status, markup: await response.text() };
    };
    const submit = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams(fields);
      const response = await fetch(`${client.url}${path}`, { method: 'POST', body, headers: PAGE, redirect: 'manual' });
      return { status: response.status, location: response.headers.get('location'), markup: await response.text() };
    };
    /** Fills the form of a link and opens the page of the invoice. */
    const order = async (path: string, fields: Record<string, string>) => {
      const { status, location } = await submit(path, fields);
      expect(status).toBe(303);
      const at = new URL(location ?? '', `${client.url}${path}`).pathname;
      return { at, ...(await open(at)) };
    };
    const invoiceIn = (markup: string) => /href="lightning:(lnbc\w+)"/.exec(markup)?.[1];
    const invoiceCount = async () => Number((await rows('SELECT count(*) AS n FROM invoice'))[0]?.n);

    it.each(['', '/embed'])(
      'accept the form of %s/pay/… from their own page and from programs, and not from another site',
      async (prefix) => {
        const { path } = await newLink();
        const send = async (headers: Record<string, string>) => {
          const body = new URLSearchParams({ amount: '5', currency: 'sats' });
          return (
            await fetch(`${client.url}${prefix}${path}`, { method: 'POST', body, headers: { ...PAGE, ...headers }, redirect: 'manual' })
          ).status;
        };
        const before = await invoiceCount();
        for (const headers of [
          { origin: 'https://evil.example' },
          { origin: 'null' },
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site', origin: client.url },
        ])
          expect([headers, await send(headers)]).toEqual([headers, 403]);
        expect(await invoiceCount()).toBe(before);
        for (const headers of [{}, { origin: client.url }, { origin: client.url, 'sec-fetch-site': 'same-origin' }])
          expect([headers, await send(headers)]).toEqual([headers, 303]);
        // With no-referrer, a browser would send the form of the page with the Origin `null`.
        expect((await open(`${prefix}${path}`)).response.headers.get('referrer-policy')).toBe('same-origin');
      },
    );

    it('take an amount and a comment, show the invoice, and then the receipt, without scripts', async () => {
      const { path } = await newLink({ lnurlp_short_desc: 'Beans' });
      const { at, markup } = await order(path, { amount: '5 000', currency: 'sats', comment: 'For Mara' });
      expect(textOf(markup)).toMatch(/5 000 sats .*For Mara .*Waiting for payment until .* UTC .*Check for the payment/);
      await client.post('/playground/pay', { payment_request: invoiceIn(markup) });
      await expect
        .poll(async () => textOf((await open(at)).markup))
        .toMatch(/5 000 sats Paid .*Comment For Mara Payment hash [0-9a-f]{64}/);
      expect((await client.get(`/v1/wallet/${wallet.id}/transactions`))[0]).toMatchObject({
        num_satoshis: 5000,
        passThru: { comment: 'For Mara' },
      });
      expect((await open(at)).markup).not.toContain('lightning:ln');
      expect(await problems()).toEqual([]);
    });

    it('L14: have no secret in their URLs and never show the preimage', async () => {
      const { path } = await newLink();
      const { at, markup } = await order(path, { amount: '21', currency: 'sats' });
      await client.post('/playground/pay', { payment_request: invoiceIn(markup) });
      const read = async () => (await client.get(`/v1/wallet/${wallet.id}/transactions`))[0].lnTx;
      await expect.poll(async () => (await read()).settled).toBe(1);
      const preimage = (await read()).payment_preimage;
      expect(preimage).toMatch(/^[0-9a-f]{64}$/);
      for (const text of [at, (await open(at)).markup]) expect(text).not.toContain(preimage);
      const made = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1, memo: 'Order 2231' });
      expect(textOf((await open(new URL(made.page_url).pathname)).markup)).toMatch(/Order 2231 1 sat .*Waiting for payment/);
      // The public status shows less, so its token does not open the page.
      expect((await open(`/i/${made.status_url.split('/').at(-1)}`)).status).toBe(404);
      const altered = `${at.slice(0, -1)}${at.endsWith('0') ? '1' : '0'}`;
      const other = await open(altered);
      expect([other.status, textOf(other.markup)]).toEqual([404, expect.stringContaining('There is no such invoice.')]);
    });

    it('convert a price at the rate, and show its age and its source', async () => {
      const { path } = await newLink();
      const form = await open(path);
      expect(textOf(form.markup)).toMatch(/1 BTC = 50 000.00 EUR, \d+ s ago, from 127\.0\.0\.1:\d+\./);
      const { markup, at } = await order(path, { amount: '5,00', currency: 'EUR' });
      expect(textOf(markup)).toMatch(/10 000 sats 5.00 EUR at 50 000 EUR per BTC, read .* UTC from 127\.0\.0\.1:\d+ .*Waiting/);
      const { num_satoshis, amount, rate } = await client.get(`/v1/lntx/lntx_${at.slice(3, 25)}`);
      expect({ num_satoshis, amount, rate }).toEqual({ num_satoshis: 10_000, amount: '5.00', rate: '50000' });
    });

    it('show no amount field for a fixed price, and ignore an amount that was sent', async () => {
      const { path } = await newLink({ currency: 'EUR', amount: '3.33' });
      const form = await open(path);
      expect(form.markup).not.toContain('name="amount"');
      expect(textOf(form.markup)).toContain('Pay 6 660 sats');
      expect(textOf((await order(path, { amount: '1', currency: 'sats' })).markup)).toContain('6 660 sats 3.33 EUR');
    });

    it.each([
      [{ amount: '' }, 'Enter an amount.'],
      [{ amount: '9', currency: 'sats' }, 'The amount must be from 10 sats to 5 000 sats.'],
      [{ amount: '5001', currency: 'sats' }, 'The amount must be from 10 sats to 5 000 sats.'],
      [{ amount: '1.5', currency: 'sats' }, 'The amount must be a whole number of sats.'],
      [{ amount: '-5', currency: 'sats' }, 'The amount must be a whole number of sats.'],
      [{ amount: '9'.repeat(30), currency: 'sats' }, 'The amount must be a whole number of sats.'],
      [{ amount: 'x', currency: 'EUR' }, 'The amount must be a number such as 4.50, above 0.'],
      [{ amount: '1', currency: 'USD' }, 'There is no rate of this currency now.'],
      [{ amount: '10', currency: 'sats', comment: 'x'.repeat(6) }, 'The comment must have at most 5 characters.'],
      [{ amount: '10', currency: 'sats', comment: 'a\nb' }, 'The comment must be one line.'],
      [{ amount: '10', currency: 'sats', payer_name: ' ' }, 'This field is required.'],
    ])('L15: show the form again with what was entered for %j', async (fields: Record<string, string>, message) => {
      const { path } = await newLink({
        lnurlp_minSendable_msat: 10_000,
        lnurlp_maxSendable_msat: 5_000_999,
        lnurlp_commentAllowed: 5,
        lnurlp_payerData: { name: { mandatory: true } },
      });
      const before = await invoiceCount();
      const { status, markup } = await submit(path, { payer_name: 'Ada', ...fields });
      expect([status, textOf(markup)]).toEqual([400, expect.stringContaining(message)]);
      expect(markup).toContain('aria-invalid="true"');
      expect(markup).toContain(`value="${(fields.amount ?? '').slice(0, 500)}"`);
      expect(await invoiceCount()).toBe(before);
    });

    it("pass the payer's data on to the receiver", async () => {
      const { path } = await newLink({ lnurlp_payerData: { name: { mandatory: true }, email: { mandatory: false } } });
      const { markup } = await order(path, { amount: '7', currency: 'sats', payer_name: 'Ada', payer_email: '' });
      await client.post('/playground/pay', { payment_request: invoiceIn(markup) });
      const newest = async () => (await client.get(`/v1/wallet/${wallet.id}/transactions`))[0].passThru;
      await expect.poll(newest).toMatchObject({ payerData: { name: 'Ada' } });
    });

    it('L7: show texts of people as text that cannot change its surroundings', async () => {
      const hostile = '<img src=x onerror=alert(1)>\u202egnirts';
      const { path } = await newLink({ lnurlp_short_desc: hostile, lnurlp_long_desc: hostile });
      const form = await open(`${path}?amount=${encodeURIComponent('"><script>')}&comment=${encodeURIComponent(hostile)}`);
      const invoice = await order(path, { amount: '8', currency: 'sats', comment: hostile });
      for (const { markup } of [form, invoice]) {
        expect(markup).not.toMatch(/<img src=x|"><script>/);
        expect(markup).toContain('<bdi>&lt;img src=x onerror=alert(1)&gt; gnirts</bdi>');
      }
    });

    it('L5: do not reveal whether a link exists', async () => {
      const { link } = await newLink();
      await client.request('DELETE', `/v1/lnurlp/${link.id}`, { key: client.secretKey });
      const answers = await Promise.all(
        ['/pay/nobody', `/pay/${link.id}`, '/pay/lnurlp_nothing', '/pay/..%2Fx', '/embed/pay/nobody'].map((at) => open(at)),
      );
      for (const { status, markup } of answers) expect([status, textOf(markup)]).toEqual([400, textOf(answers[0]?.markup ?? '')]);
      expect(textOf(answers[0]?.markup ?? '')).toContain('does not exist, or it accepts no payments now');
    });

    it('L16: may be framed only under /embed, and only by the listed sites', async () => {
      const { path } = await newLink();
      const { at } = await order(path, { amount: '9', currency: 'sats' });
      const policyAt = async (url: string) => (await open(url)).response.headers.get('content-security-policy') ?? '';
      for (const page of [path, at, '/pay/nobody']) expect(await policyAt(page), page).toContain("frame-ancestors 'none'");
      for (const page of [`/embed${path}`, `/embed${at}`])
        expect(await policyAt(page), page).toContain(`frame-ancestors ${SITE};`.slice(0, -1));
      for (const page of [path, at, `/embed${path}`]) {
        const policy = await policyAt(page);
        expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
        expect(policy).not.toContain('unsafe');
      }
      expect((await submit(`/embed${path}`, { amount: '9', currency: 'sats' })).location).toMatch(/^\.\.\/\.\.\/embed\/i\//);
    });

    it('L8: lead to the address of the service, from each URL of a link, whatever the Host header is', async () => {
      const { link, path } = await newLink();
      for (const url of [new URL(link.url).pathname, path.replace('/pay/', '/@'), path.replace('/pay/', '/.well-known/lnurlp/')]) {
        const response = await fetch(`${client.url}${url}`, {
          headers: { ...PAGE, 'x-forwarded-host': 'evil.example' },
          redirect: 'manual',
        });
        expect([url, response.status, response.headers.get('location')]).toEqual([url, 302, `${client.url}${path}`]);
        expect(response.headers.get('vary')).toContain('Accept');
      }
      expect(link.page_url).toBe(`${client.url}${path}`);
    });

    it('say so when no price can be converted, and still take sats', async () => {
      const [priced, free] = [await newLink({ currency: 'EUR', amount: '2' }), await newLink()];
      await makeStale(service, source);
      const { status, markup } = await open(priced.path);
      expect([status, textOf(markup)]).toEqual([503, expect.stringContaining('there is no current rate')]);
      expect((await open(free.path)).markup).not.toContain('<select');
      expect((await order(free.path, { amount: '10' })).status).toBe(200);
      // The next service reads its first rates when it starts.
      source.behave = sendsPrices({ EUR: '50000' });
    });
  },
  {
    ...source.settings('EUR'),
    ADDRESS_RATE_LIMIT_PER_SECOND: '0',
    EMBED_SITES: SITE,
  },
);
