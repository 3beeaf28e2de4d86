import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Event, LightningAddress } from '@getalby/lightning-tools/lnurl';
import { getParams, type LNURLAuthParams, type LNURLPayParams, type LNURLWithdrawParams } from 'js-lnurl';
import { requestInvoice, requestPayServiceParams, utils } from 'lnurl-pay';
import { expect, it } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import { type NostrEvent, publicKeyOf, signEvent, tagValue, verifyEvent } from '../../src/core/nostr/event.ts';
import { LinkingKey } from '../lnurl/linking-key.ts';
import { trustTestAuthority } from '../outbound/world.ts';
import { onPlayground } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { AUTHORITY_FILE, PublicDomain } from './public-domain.ts';

/** The Python interpreter of an environment with the packages `lnurl==2.0.2` and `bitstring<5`, if there is one. */
const { LNURL_PYTHON: python } = process.env;

const [PAYER, RECIPIENT] = [5, 6].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
const relayPort = await freePort();

onPlayground(
  'published LNURL clients',
  ({ client, rows, problems }, dialect) => {
    trustTestAuthority();
    const domain = PublicDomain.ofSuite(client);

    const createLink = async (name: string, fields: object = {}): Promise<{ wallet: TestWallet; link: Json }> => {
      const wallet = await client.wallet();
      const order = { lnurlp_short_desc: 'tips', lnurlp_identifier: name, ...fields };
      return { wallet, link: await client.post(`/v1/wallet/${wallet.id}/lnurlp`, order) };
    };
    const createWithdrawLink = async (): Promise<{ wallet: TestWallet; link: Json }> => {
      const wallet = await client.wallet(1000);
      return { wallet, link: await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 600, memo: 'gift' }) };
    };
    const payFromOutside = (paymentRequest: string) => client.post('/playground/pay', { payment_request: paymentRequest, from: 'carol' });
    const outsideInvoice = async (): Promise<string> => (await client.post('/playground/invoice', { num_satoshis: 600 })).payment_request;
    const balanceOf = async ({ id }: TestWallet): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance;
    const creditOf = async ({ id }: TestWallet): Promise<Json> => (await client.get(`/v1/wallet/${id}/transactions`))[0];
    const becomesBalance = (wallet: TestWallet, balance: number) => expect.poll(() => balanceOf(wallet)).toBe(balance);
    const fetchJson = async (url: string): Promise<Json> => (await fetch(url)).json();

    it('js-lnurl 0.6.0 reads a pay link, and its invoice is paid', async () => {
      const { wallet, link } = await createLink('jonas');
      const offer = (await getParams(link.lnurl_encoded)) as LNURLPayParams;
      expect(offer).toMatchObject({ tag: 'payRequest', domain: 'pay.test', minSendable: 1000, commentAllowed: 255 });
      expect(offer.decodedMetadata).toEqual([
        ['text/plain', 'tips'],
        ['text/identifier', 'jonas@pay.test'],
      ]);
      // The package has no function for the second request.
      const { pr, verify } = await fetchJson(`${offer.callback}?amount=21000&comment=hello`);
      await payFromOutside(pr);
      await becomesBalance(wallet, 21);
      expect(await fetchJson(verify)).toMatchObject({ settled: true, pr });
      expect(await creditOf(wallet)).toMatchObject({ num_msat: 21_000, passThru: { comment: 'hello' } });
    });

    it('js-lnurl 0.6.0 reads a withdraw link, which pays once', async () => {
      const { wallet, link } = await createWithdrawLink();
      const offer = (await getParams(link.lnurl)) as LNURLWithdrawParams;
      expect(offer).toMatchObject({ tag: 'withdrawRequest', domain: 'pay.test', minWithdrawable: 1000, maxWithdrawable: 600_000 });
      const claim = async () => fetchJson(`${offer.callback}&k1=${offer.k1}&pr=${await outsideInvoice()}`);
      expect(await claim()).toEqual({ status: 'OK' });
      expect(await claim()).toEqual({ status: 'ERROR', reason: expect.any(String) });
      await becomesBalance(wallet, 400);
    });

    it('js-lnurl 0.6.0 reads a login, which a wallet signs', async () => {
      const challenge = await client.post('/v1/lnurl-auth', { action: 'login' });
      const offer = (await getParams(challenge.lnurl)) as LNURLAuthParams;
      expect(offer).toMatchObject({ tag: 'login', domain: 'pay.test' });
      const key = new LinkingKey();
      expect(await fetchJson(`${offer.callback}&sig=${key.sign(offer.k1)}&key=${key.hex}`)).toEqual({ status: 'OK' });
      expect(await client.get(`/v1/lnurl-auth/${challenge.id}`)).toMatchObject({ status: 'authenticated', linking_key: key.hex });
    });

    it.each(['LNURL', 'address', 'lnurlp link of an address'])('lnurl-pay 5.0.2 pays an %s', async (form) => {
      const name = `lena${form.length}`;
      const { wallet, link } = await createLink(name, {
        lnurlp_successAction: { tag: 'aes', description: 'The door', text: 'code 4711 ☕' },
      });
      const forms: Record<string, string> = { LNURL: link.lnurl_encoded, address: link.ln_address };
      const lnUrlOrAddress = forms[form] ?? `lnurlp://pay.test/.well-known/lnurlp/${name}`;
      const asked = await requestInvoice({ lnUrlOrAddress, tokens: utils.toSats(21), comment: 'hello', validateInvoice: true });
      expect(asked).toMatchObject({ hasValidAmount: true, hasValidDescriptionHash: true });
      expect(asked.params).toMatchObject({ identifier: `${name}@pay.test`, description: 'tips', domain: 'pay.test', min: 1 });
      expect(await fetchJson(asked.rawData.verify)).toMatchObject({ settled: false, preimage: null });
      await payFromOutside(asked.invoice);
      await becomesBalance(wallet, 21);
      const { preimage } = await fetchJson(asked.rawData.verify);
      expect(asked.validatePreimage(preimage)).toBe(true);
      expect(asked.successAction?.decipher(preimage)).toBe('code 4711 ☕');
      expect(await creditOf(wallet)).toMatchObject({ num_msat: 21_000, passThru: { comment: 'hello' } });
    });

    it('lnurl-pay 5.0.2 cannot pay an lnurlp link of a key, because it writes the path in lower case', async () => {
      const { link } = await createLink('lukas');
      expect(link.lnurlp_uri).toMatch(/^lnurlp:\/\/pay\.test\/.*[A-Z]/);
      await expect(requestPayServiceParams({ lnUrlOrAddress: link.lnurlp_uri })).rejects.toThrow();
    });

    it('@getalby/lightning-tools 9.0.1 pays an address, with data of the payer, and verifies the payment', async () => {
      const { wallet } = await createLink('alma', {
        lnurlp_payerData: { name: { mandatory: true } },
        lnurlp_successAction: { tag: 'message', message: 'Thank you' },
      });
      const address = new LightningAddress('alma@pay.test', { proxy: false });
      await address.fetch();
      expect(address.lnurlpData).toMatchObject({ identifier: 'alma@pay.test', description: 'tips', commentAllowed: 255 });
      const invoice = await address.requestInvoice({ satoshi: 21, comment: 'hello', payerdata: { name: 'Bob' } });
      expect(invoice).toMatchObject({ satoshi: 21, successAction: { tag: 'message', message: 'Thank you' } });
      expect(await invoice.isPaid()).toBe(false);
      await payFromOutside(invoice.paymentRequest);
      await expect.poll(() => invoice.isPaid()).toBe(true);
      expect(invoice.validatePreimage(invoice.preimage ?? '')).toBe(true);
      expect(await balanceOf(wallet)).toBe(21);
      expect(await creditOf(wallet)).toMatchObject({ passThru: { comment: 'hello', payerData: { name: 'Bob' } } });
    });

    it('@getalby/lightning-tools 9.0.1 pays an address with a tag, in a domain of ADDRESS_DOMAINS', async () => {
      const { wallet } = await createLink('bruno', { lnurlp_domain: 'shop.pay.test' });
      const address = new LightningAddress('bruno+table7@shop.pay.test', { proxy: false });
      await address.fetch();
      const invoice = await address.requestInvoice({ satoshi: 21 });
      await payFromOutside(invoice.paymentRequest);
      await becomesBalance(wallet, 21);
      expect((await creditOf(wallet)).passThru).toMatchObject({ address_tag: 'table7' });
    });

    it('@getalby/lightning-tools 9.0.1 sends a zap, and the relay gets exactly one valid receipt', async () => {
      const relay = await startRelay({ port: relayPort });
      const { wallet } = await createLink('zita', { nostr_pubkey: publicKeyOf(RECIPIENT) });
      const address = new LightningAddress('zita@pay.test', { proxy: false });
      await address.fetch();
      expect(address).toMatchObject({ nostrPubkey: publicKeyOf(RECIPIENT), lnurlpData: { allowsNostr: true } });
      const nostr = {
        getPublicKey: async () => publicKeyOf(PAYER),
        signEvent: async (event: Event) => ({ ...event, ...signEvent(event, PAYER) }) as Event,
      };
      const invoice = await address.zapInvoice({ satoshi: 21, comment: 'zap', relays: [relay.url], e: 'ab'.repeat(32) }, { nostr });
      await payFromOutside(invoice.paymentRequest);
      await becomesBalance(wallet, 21);
      await expect.poll(() => relay.events).toHaveLength(1);
      await expect.poll(() => rows('SELECT due_at, attempts FROM zap')).toEqual([{ due_at: null, attempts: 1 }]);
      expect(relay.events).toHaveLength(1);
      const [receipt] = relay.events as [NostrEvent];
      expect(verifyEvent(receipt)).toBe(true);
      expect(receipt).toMatchObject({ kind: 9735, pubkey: (await fetchJson('https://pay.test/.well-known/lnurlp/zita')).nostrPubkey });
      expect(tagValue(receipt, 'bolt11')).toBe(invoice.paymentRequest);
      expect(tagValue(receipt, 'p')).toBe(publicKeyOf(RECIPIENT));
      const description = tagValue(receipt, 'description') ?? '';
      expect(decodeBolt11(invoice.paymentRequest).descriptionHash).toBe(createHash('sha256').update(description).digest('hex'));
      expect(JSON.parse(description)).toMatchObject({ kind: 9734, pubkey: publicKeyOf(PAYER), content: 'zap' });
      await relay.stop();
    });

    it.skipIf(!python)('lnurl 2.0.2 for Python pays, verifies, withdraws and signs a login', async () => {
      const { wallet, link } = await createLink('petra', {
        lnurlp_payerData: { name: { mandatory: false } },
        lnurlp_successAction: { tag: 'message', message: 'Thank you' },
      });
      const gift = await createWithdrawLink();
      const run = async (...args: string[]): Promise<Json> => {
        const env = { ...process.env, HTTPS_PROXY: domain.proxyUrl, SSL_CERT_FILE: AUTHORITY_FILE };
        const { stdout } = await promisify(execFile)(python ?? '', [join(import.meta.dirname, 'lnurl_client.py'), ...args], { env });
        return JSON.parse(stdout);
      };
      for (const [index, form] of [link.ln_address, link.lnurl_encoded, link.lnurlp_uri].entries()) {
        const asked = await run('execute', form, '21000');
        expect(asked).toMatchObject({ successAction: { tag: 'message', message: 'Thank you' }, disposable: false });
        expect(await run('verify', asked.verify)).toMatchObject({ settled: false });
        await payFromOutside(asked.pr);
        await becomesBalance(wallet, 21 * (index + 1));
        expect(await run('verify', asked.verify)).toMatchObject({ settled: true, preimage: expect.stringMatching(/^[0-9a-f]{64}$/) });
      }
      expect(await run('execute', gift.link.lnurl, await outsideInvoice())).toEqual({ status: 'OK' });
      await becomesBalance(gift.wallet, 400);
      // The package reports every error of a link so.
      await expect(run('execute', gift.link.lnurl, await outsideInvoice())).rejects.toThrow(/tag not implemented/);
      const challenge = await client.post('/v1/lnurl-auth', { action: 'login' });
      const { key, sig } = await run('sign', challenge.lnurl, '5eed'.repeat(16));
      expect(await fetchJson(`${challenge.url}&key=${key}&sig=${sig}`)).toEqual({ status: 'OK' });
      expect(await client.get(`/v1/lnurl-auth/${challenge.id}`)).toMatchObject({ status: 'authenticated', linking_key: key });
    });

    it(`leave a correct ledger on ${dialect}`, async () => {
      expect(await problems()).toEqual([]);
    });
  },
  { PUBLIC_URL: 'https://pay.test', ADDRESS_DOMAINS: 'shop.pay.test', ZAPS: 'true', OUTBOUND_ALLOW: `127.0.0.1:${relayPort}` },
);
