import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { billFor, callBack, decryptAction, type Extras, expectRefused, metadataOf, type Terms, termsOf, visit } from './strict-payer.ts';

reloadModulesAfterFile();

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');

onFakeNode('a payer of a pay link', ({ client, net, time, rows, problems }) => {
  let wallet: TestWallet;

  beforeAll(async () => {
    wallet = await client.wallet();
  });

  const create = (fields: object = {}, of = wallet): Promise<Json> => client.post(`/v1/wallet/${of.id}/lnurlp`, fields);
  const change = (id: string, fields: object): Promise<Json> => client.post(`/v1/lnurlp/${id}`, fields);
  const newTerms = async (fields: object = {}, of = wallet): Promise<Terms> => termsOf((await create(fields, of)).url);
  const payFromOutside = (pr: string): Promise<Json> => client.post('/playground/pay', { payment_request: pr });
  const newest = async (of = wallet): Promise<Json> => (await client.get(`/v1/wallet/${of.id}/transactions?per-page=1`))[0];
  const countInvoices = async () => Number((await rows('SELECT count(*) AS n FROM invoice'))[0]?.n);
  /** Each wallet has a rate limit for payers of one address. */
  const freshWallet = async () => {
    wallet = await client.wallet();
  };

  it('sees all texts and the image, and the invoice commits to them', async () => {
    const terms = await newTerms({
      lnurlp_short_desc: 'Tea & "cake" ☕',
      lnurlp_long_desc: 'one\ntwo',
      lnurlp_image: PNG,
      lnurlp_identifier: 'tea.room',
    });
    expect(metadataOf(terms, 'text/plain')).toEqual(['Tea & "cake" ☕']);
    expect(metadataOf(terms, 'text/long-desc')).toEqual(['one\ntwo']);
    expect(metadataOf(terms, 'image/png;base64')).toEqual([PNG]);
    expect(metadataOf(terms, 'text/identifier')).toEqual([`tea.room@${new URL(client.url).host}`]);
    await billFor(terms, 1000);
  });

  it('L6: gets invoices of exactly the amount in millisatoshis, at both limits, and nothing outside of them', async () => {
    const terms = await newTerms({ lnurlp_minSendable_msat: 1001, lnurlp_maxSendable_msat: 123_457 });
    for (const amount of [1001, 1002, 99_999, 123_456, 123_457]) await billFor(terms, amount);
    const before = await countInvoices();
    const wrong = [
      '1000',
      '123458',
      '0',
      '-1001',
      '1001.5',
      '1e4',
      '0x7d0',
      ' 2000',
      '2000 ',
      'NaN',
      '',
      '9007199254740992',
      '99999999999999999999',
      'ten',
    ];
    for (const amount of wrong) await expectRefused(callBack(terms, encodeURIComponent(amount)), /amount/);
    await expectRefused(visit(`${terms.callback}?amount=2000&amount=2000`), /amount/);
    expect(await countInvoices()).toBe(before);
  });

  it('L6: pays the default link of a wallet from 1 sat to 1 BTC', async () => {
    const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
    const terms = await termsOf((await client.get(`/v1/lnurlp/${id}`)).lnurl_encoded);
    expect(terms).toMatchObject({ minSendable: 1000, maxSendable: 100_000_000_000, metadata: '[["text/plain","Lightning payment"]]' });
    await billFor(terms, 1000);
    await billFor(terms, 100_000_000_000);
  });

  describe('with a comment', () => {
    it('L7: sees it stored as text, whatever it contains', async () => {
      const terms = await newTerms({ lnurlp_commentAllowed: 60 });
      for (const comment of [
        '<script>alert("1")</script>',
        'a&b=c#d?e+f%20',
        '"}],{"x":1',
        "Robert'); DROP TABLE invoice;--",
        '👩‍👩‍👧 ☕ é',
        '=1+1',
        '☕'.repeat(60),
      ]) {
        const { pr } = await billFor(terms, 1000, { comment });
        await payFromOutside(pr);
        const row = await newest();
        expect(row.passThru.comment).toBe(comment);
        expect([row.user_label, row.lnTx.memo]).toEqual(['Lightning payment', 'Lightning payment']);
      }
      const response = await client.request('GET', `/v1/wallet/${wallet.id}/transactions`, { key: wallet.read });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const csv = await client.request('GET', `/v1/wallet/${wallet.id}/statement`, { key: wallet.read });
      expect(csv.text).not.toContain('script');
    });

    it('L7: is refused if it is too long or has control characters', async () => {
      const terms = await newTerms({ lnurlp_commentAllowed: 10 });
      const before = await countInvoices();
      for (const comment of [
        'x'.repeat(11),
        '☕'.repeat(11),
        'a\nb',
        'a\rb',
        'a\tb',
        'a\u0000b',
        '\u001b[2Jb',
        'a\u0085b',
        'x'.repeat(5000),
      ])
        await expectRefused(callBack(terms, 1000, { comment }), /comment/);
      const { commentAllowed: _, ...silent } = await newTerms({ lnurlp_commentAllowed: 0 });
      await expectRefused(callBack(silent, 1000, { comment: 'x' }), /accepts none/);
      expect(await countInvoices()).toBe(before);
      expect((await termsOf(silent.callback)).commentAllowed).toBeUndefined();
      await billFor(silent, 1000, { comment: '' });
    });
  });

  describe('with data about the payer', () => {
    beforeAll(freshWallet);

    it('L12: commits the invoice to the data as it was sent, and shows the owner what the link asked for', async () => {
      const terms = await newTerms({ lnurlp_payerData: { name: { mandatory: true }, email: { mandatory: false } } });
      expect(terms.payerData).toEqual({ name: { mandatory: true }, email: { mandatory: false } });
      for (const payerData of ['{"name":"bob"}', '{ "name" : "b\\u00f6b ☕", "email":"a@b.example", "more":[1,{}] }']) {
        const { pr } = await billFor(terms, 1000, { payerData });
        await payFromOutside(pr);
        const { name, email } = JSON.parse(payerData);
        expect((await newest()).passThru.payerData).toEqual({ name, ...(email !== undefined && { email }) });
      }
      const [stored] = await rows('SELECT payer_data FROM pay_link_invoice WHERE payer_data IS NOT NULL ORDER BY invoice_id DESC LIMIT 1');
      expect(stored?.payer_data).toBe('{ "name" : "b\\u00f6b ☕", "email":"a@b.example", "more":[1,{}] }');
    });

    it.each<[string, Extras]>([
      ['nothing', {}],
      ['no name', { payerData: { email: 'a@b.example' } }],
      ['an invalid email address', { payerData: { name: 'a', email: 'b' } }],
      ['no JSON', { payerData: 'name=bob' }],
      ['control characters', { payerData: { name: 'a\u001bb' } }],
      ['too much', { payerData: { name: 'a', more: 'x'.repeat(1000) } }],
      ['far too much', { payerData: { name: 'a', more: 'x'.repeat(5000) } }],
    ])('is refused if a mandatory name is asked for and it sends %s', async (_, extras) => {
      const terms = await newTerms({ lnurlp_payerData: { name: { mandatory: true }, email: { mandatory: false } } });
      await expectRefused(callBack(terms, 1000, extras), /[Pp]ayer ?data/);
    });

    it('may send data that a link does not ask for, which the invoice ignores', async () => {
      const terms = await newTerms();
      await billFor(terms, 1000, { payerData: { name: 'bob' } });
      await billFor(terms, 1000, { payerData: 'not JSON' });
    });
  });

  describe('after the payment', () => {
    beforeAll(freshWallet);

    it('sees the message, the URL, or the secret that only the preimage decrypts', async () => {
      const url = `${client.url}/thanks?x=1`;
      for (const action of [
        { tag: 'message', message: 'Thank you <3' },
        { tag: 'url', description: 'Your order', url },
      ]) {
        const { pr, successAction } = await billFor(await newTerms({ lnurlp_successAction: action }), 1000);
        expect(successAction).toEqual(action);
        await payFromOutside(pr);
      }
      const terms = await newTerms({ lnurlp_successAction: { tag: 'aes', description: 'The code', text: 'open sesame ☕' } });
      const [one, two] = [await billFor(terms, 1000), await billFor(terms, 1000)];
      expect(JSON.stringify([one, terms])).not.toContain('sesame');
      expect(one.successAction.ciphertext).not.toBe(two.successAction.ciphertext);
      await payFromOutside(one.pr);
      const { preimage, settled } = await visit(one.verify);
      expect(settled).toBe(true);
      expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(one.paymentHash);
      expect(decryptAction(one.successAction, preimage)).toBe('open sesame ☕');
      expect(() => expect(decryptAction(two.successAction, preimage)).toBe('open sesame ☕')).toThrow();
    });

    it('can verify the payment with the token alone', async () => {
      const { verify, pr } = await billFor(await newTerms(), 1000);
      const token = verify.split('/').at(-1) ?? '';
      expect(token).toMatch(/^[0-9A-Za-z]{24}$/);
      for (const other of [
        token.slice(0, -1),
        `${token}x`,
        token.toLowerCase() + token,
        'x',
        '%00',
        decodeBolt11(pr).paymentHash,
        "' OR 1=1 --",
      ])
        await expectRefused(visit(`${client.url}/v1/lnurlp/verify/${encodeURIComponent(other)}`));
      const stored = JSON.stringify(await rows('SELECT * FROM pay_link_invoice'));
      expect(stored).not.toContain(token);
    });
  });

  describe('and a change of the link', () => {
    beforeAll(freshWallet);

    it('L12: keeps invoices that were requested before as they were', async () => {
      const link = await create({ lnurlp_short_desc: 'old', lnurlp_successAction: { tag: 'message', message: 'old' } });
      const bill = await billFor(await termsOf(link.url), 5000);
      await change(link.id, { lnurlp_short_desc: 'new', lnurlp_maxSendable_msat: 2000, lnurlp_successAction: {} });
      await payFromOutside(bill.pr);
      const row = await newest();
      expect(row).toMatchObject({ num_msat: 5000, user_label: 'old', passThru: { lnurlp_id: link.id } });
      const [frozen] = await rows(
        'SELECT m.text AS text FROM pay_link_invoice i JOIN pay_metadata m ON m.hash = i.metadata_hash WHERE i.invoice_id = $1',
        row.lnTx.id,
      );
      expect(createHash('sha256').update(String(frozen?.text)).digest('hex')).toBe(decodeBolt11(bill.pr).descriptionHash);
      expect(metadataOf(await termsOf(link.url), 'text/plain')).toEqual(['new']);
      expect((await billFor(await termsOf(link.url), 2000)).successAction).toBeUndefined();
    });

    it('is refused by an inactive link and by the links of an inactive wallet, like by an unknown one', async () => {
      const other = await client.wallet();
      const link = await create({}, other);
      const terms = await termsOf(link.url);
      const unknown = await visit(link.url.replace(link.id, `${link.id}x`));
      await expectRefused(unknown);
      const refusals = async () => [await visit(link.url), await callBack(terms, 1000)];
      await change(link.id, { status: 'inactive' });
      expect(await refusals()).toEqual([unknown, unknown]);
      await change(link.id, { status: 'active' });
      const bill = await billFor(terms, 1000);
      await client.request('PATCH', `/v1/wallet/${other.id}`, { key: client.secretKey, json: { status: 'inactive' } });
      expect(await refusals()).toEqual([unknown, unknown]);
      // The wallet still receives what was promised before.
      await payFromOutside(bill.pr);
      expect((await client.get(`/v1/wallet/${other.id}`)).balance_msat).toBe(1000);
    });

    it('is refused with another key of the wallet or the key of another wallet in the path', async () => {
      const [link, other] = [await create(), await client.wallet()];
      for (const key of [wallet.admin, wallet.read, wallet.lnurlWithdraw, wallet.id, other.lnurlPay, 'waklp_x', client.publicKey])
        for (const query of ['', '?amount=1000'])
          await expectRefused(visit(`${client.url}/v1/wallet/${key}/lnurlp/${link.id}${query}`), /does not exist/);
      for (const id of [link.id.toLowerCase(), 'lnurlp_x', 'x', wallet.id, "lnurlp_' OR 1=1"])
        await expectRefused(visit(`${client.url}/v1/wallet/${wallet.lnurlPay}/lnurlp/${encodeURIComponent(id)}?amount=1000`));
    });
  });

  it('gets an error that asks for another try while the node is away, and nothing is stored', async () => {
    const terms = await newTerms({}, await client.wallet());
    const before = await countInvoices();
    net.down();
    try {
      await expectRefused(callBack(terms, 1000), /node cannot be reached.*Try again later/);
      // Step 1 needs no node.
      expect(await termsOf(terms.callback)).toEqual(terms);
    } finally {
      net.up();
    }
    await expect.poll(async () => (await callBack(terms, 1000)).status).toBe('OK');
    expect(await countInvoices()).toBe(before + 1);
  });

  it.each([
    ['the link', async (link: Json) => client.request('DELETE', `/v1/lnurlp/${link.id}`, { key: client.secretKey })],
    [
      'the wallet',
      async (link: Json) =>
        client.request('PATCH', `/v1/wallet/${link.wallet_id}`, { key: client.secretKey, json: { status: 'inactive' } }),
    ],
  ])('gets no invoice if %s is deactivated while the node creates it', async (_, deactivate) => {
    const link = await create({}, await client.wallet());
    const terms = await termsOf(link.url);
    const before = await countInvoices();
    net.next('createInvoice', { delayMs: 1000 });
    const queued = time.waiting;
    const response = callBack(terms, 1000);
    await expect.poll(() => time.waiting, { message: 'the request has reached the node' }).toBeGreaterThan(queued);
    expect((await deactivate(link)).status).toBe(200);
    time.advance(1000);
    await expectRefused(response, /accepts no payments now/);
    expect(await countInvoices()).toBe(before);
    net.calm();
  });

  it('may be another wallet of this service, whose payment stays inside and is free', async () => {
    const [payer, payee] = [await client.wallet(5), await client.wallet()];
    const terms = await newTerms({ lnurlp_identifier: 'inside', passThru: { till: '2' } }, payee);
    const { pr, verify } = await billFor(terms, 3210, { comment: 'hi' });
    const sent = await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: pr });
    expect(sent).toMatchObject({ num_msat: -3210, status: 'settled', lnTx: { fee_msat: 0 } });
    const row = await newest(payee);
    expect(row).toMatchObject({
      num_msat: 3210,
      wtxType: { name: 'ln_lnurl_pay_inbound' },
      passThru: { till: '2', comment: 'hi', lnurlp_id: expect.stringMatching(/^lnurlp_/) },
    });
    expect(await visit(verify)).toMatchObject({ settled: true, preimage: sent.lnTx.payment_preimage });
    const found = await client.get(`/v1/wallet/${payee.id}/transactions?pass_through[lnurlp_id]=${row.passThru.lnurlp_id}`);
    expect(found.map(({ id }: Json) => id)).toEqual([row.id]);
    const outsideToo = await client.request('POST', '/playground/pay', { key: client.secretKey, json: { payment_request: pr } });
    expect(outsideToo.body?.state).not.toBe('succeeded');
    expect((await client.get(`/v1/wallet/${payee.id}`)).balance_msat).toBe(3210);
  });

  it('fills passThru with at most 4 kB', async () => {
    const payee = await client.wallet();
    const terms = await newTerms(
      {
        lnurlp_commentAllowed: 500,
        lnurlp_payerData: { name: { mandatory: true } },
        passThru: { x: 'y'.repeat(890) },
        lnurlp_identifier: 'large',
      },
      payee,
    );
    const tagged = await termsOf(`${client.url}/.well-known/lnurlp/large+${'t'.repeat(32)}`);
    const { pr } = await billFor({ ...terms, callback: tagged.callback }, 1000, {
      comment: '\u{1f9d9}'.repeat(500),
      payerData: JSON.stringify({ name: 'n'.repeat(985) }),
    });
    await payFromOutside(pr);
    const { passThru } = await newest(payee);
    expect(passThru).toMatchObject({ address_tag: 't'.repeat(32), comment: '\u{1f9d9}'.repeat(500) });
    expect(Buffer.byteLength(JSON.stringify(passThru))).toBeLessThanOrEqual(4096);
  });

  it('leaves the books balanced', async () => {
    expect(await problems()).toEqual([]);
  });
});
