import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevnetRelay, startRelay } from '../../devnet/relay.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import { type EventTemplate, type NostrEvent, publicKeyOf, signEvent, verifyEvent } from '../../src/core/nostr/event.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';

const [PAYER, RECIPIENT] = [5, 6].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
const NOTE = 'ab'.repeat(32);
const AMOUNT = 21_000;

/** The attempts to publish a receipt. */
const ATTEMPTS = 6;

function requestOf(relays: readonly string[], changes: Partial<EventTemplate> = {}): NostrEvent {
  const tags = [
    ['relays', ...relays],
    ['amount', `${AMOUNT}`],
    ['p', publicKeyOf(RECIPIENT)],
    ['e', NOTE],
  ];
  return signEvent({ kind: 9734, created_at: 1_700_000_000, tags, content: 'Great post!', ...changes }, PAYER);
}

function withTags(event: NostrEvent, change: (tags: string[][]) => readonly (readonly string[])[]): NostrEvent {
  return signEvent({ ...event, tags: change(event.tags.map((tag) => [...tag])) }, PAYER);
}

const port = await freePort();

onFakeNode(
  'a zap',
  ({ client, rows, execute, restart, problems }) => {
    let relay: DevnetRelay;
    let wallet: TestWallet;
    let offer: Json;

    beforeAll(async () => {
      relay = await startRelay({ port });
      wallet = await client.wallet();
      await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'alma' });
      offer = await client.get('/.well-known/lnurlp/alma');
    });

    afterAll(() => relay.stop());

    /** Requests an invoice with any text as the zap request. Each wallet has a rate limit for payers of one address. */
    const call = (nostr: string, amount = AMOUNT): Promise<Json> =>
      client.get(`${offer.callback.slice(client.url.length)}?amount=${amount}&nostr=${encodeURIComponent(nostr)}`);
    const pay = (pr: string): Promise<Json> => client.post('/playground/pay', { payment_request: pr });
    const zap = async (event: NostrEvent): Promise<string> => {
      const { pr } = await call(JSON.stringify(event));
      await pay(pr);
      return pr;
    };
    const receipts = () => relay.events.filter(({ kind }) => kind === 9735);
    const receiptsOf = (pr: string) => receipts().filter(({ tags }) => tags.some(([name, value]) => name === 'bolt11' && value === pr));
    const zapOf = async (pr: string) =>
      (await rows('SELECT z.* FROM zap z JOIN invoice i ON i.id = z.invoice_id WHERE i.payment_request = $1', pr))[0];
    const isOver = (pr: string) => expect.poll(() => zapOf(pr)).toMatchObject({ due_at: null, attempts: expect.any(Number) });
    const makeDue = (fields = '') => execute(`UPDATE zap SET due_at = 0${fields} WHERE due_at IS NOT NULL OR attempts > 0`);
    const newest = async (): Promise<Json> => (await client.get(`/v1/wallet/${wallet.id}/transactions?per-page=1`))[0];
    const countInvoices = async () => Number((await rows('SELECT count(*) AS n FROM invoice'))[0]?.n);

    it('is offered by addresses and links with the same key, also after a restart', async () => {
      const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
      const link = await client.get(`/v1/wallet/${wallet.lnurlPay}/lnurlp/${id}`);
      expect(offer).toMatchObject({ allowsNostr: true, nostrPubkey: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(link).toMatchObject({ allowsNostr: true, nostrPubkey: offer.nostrPubkey });
      await restart();
      expect(await client.get('/.well-known/lnurlp/alma')).toMatchObject({ nostrPubkey: offer.nostrPubkey });
    });

    it('L12: gets an invoice that commits to the text as received, and is credited with the author and the text', async () => {
      const event = requestOf([relay.url], { content: 'Two\nlines, "quotes" and \u202e' });
      const { id, ...rest } = event;
      const text = `${JSON.stringify({ ...rest, unknown: [], id }, null, 1)} `;
      const { pr } = await call(text);
      expect(decodeBolt11(pr).descriptionHash).toBe(createHash('sha256').update(text).digest('hex'));
      await pay(pr);
      await expect.poll(() => receiptsOf(pr)).toHaveLength(1);
      expect((await newest()).passThru).toMatchObject({ zap: { pubkey: publicKeyOf(PAYER), content: 'Two\nlines, "quotes" and' } });
      expect(receiptsOf(pr)[0]?.tags).toContainEqual(['description', text]);
    });

    it('has exactly one receipt at the relay once it is paid, and none before', async () => {
      const event = requestOf([relay.url]);
      const text = JSON.stringify(event);
      const { pr } = await call(text);
      const unpaid = (await call(text)).pr;
      expect(receiptsOf(pr)).toEqual([]);
      await pay(pr);
      await expect.poll(() => receiptsOf(pr)).toHaveLength(1);
      await isOver(pr);
      const [receipt] = receiptsOf(pr) as [NostrEvent];
      const [invoice] = await rows('SELECT settled_at FROM invoice WHERE payment_request = $1', pr);
      expect(verifyEvent(receipt)).toBe(true);
      expect(receipt).toMatchObject({ kind: 9735, pubkey: offer.nostrPubkey, content: '', created_at: invoice?.settled_at });
      expect(receipt.tags).toEqual([
        ['p', publicKeyOf(RECIPIENT)],
        ['e', NOTE],
        ['P', publicKeyOf(PAYER)],
        ['bolt11', pr],
        ['description', text],
      ]);
      expect(receiptsOf(unpaid)).toEqual([]);
      expect(await zapOf(unpaid)).toMatchObject({ due_at: null, attempts: 0 });
    });

    it('keeps the same receipt when it is published again after a crash', async () => {
      const pr = await zap(requestOf([relay.url]));
      await expect.poll(() => receiptsOf(pr)).toHaveLength(1);
      await isOver(pr);
      const sent = relay.messageCount;
      // As if the service had ended before it stored the result.
      await makeDue(', attempts = 0, done_relays = 0');
      await expect.poll(() => relay.messageCount).toBeGreaterThan(sent);
      await isOver(pr);
      expect(receiptsOf(pr)).toHaveLength(1);
    });

    it('has one receipt for each payment of the same request', async () => {
      const event = requestOf([relay.url], { content: 'again' });
      const [one, other] = [await zap(event), await zap(event)];
      await expect.poll(() => [receiptsOf(one).length, receiptsOf(other).length]).toEqual([1, 1]);
    });

    it('of another wallet of the service has a receipt, too', async () => {
      const { pr } = await call(JSON.stringify(requestOf([relay.url])));
      const sender = await client.wallet(1000);
      await client.post(`/v1/wallet/${sender.id}/withdraw`, { payment_request: pr });
      await expect.poll(() => receiptsOf(pr)).toHaveLength(1);
    });

    it('copies the address and the kind of an article into the receipt', async () => {
      const address = ['a', `30023:${publicKeyOf(RECIPIENT)}:my-article`];
      const event = withTags(requestOf([relay.url]), (tags) => [
        ...tags,
        address,
        ['k', '30023'],
        ['P', offer.nostrPubkey],
        ['lnurl', 'x'],
      ]);
      const pr = await zap(event);
      await expect.poll(() => receiptsOf(pr)).toHaveLength(1);
      const { tags } = receiptsOf(pr)[0] as NostrEvent;
      expect(tags).toContainEqual(address);
      expect(tags).toContainEqual(['k', '30023']);
      expect(tags.filter(([name]) => name === 'P')).toEqual([['P', publicKeyOf(PAYER)]]);
    });

    it('is published to ten of its relays, each once', async () => {
      const before = relay.connectionCount;
      const relays = Array.from({ length: 15 }, (_, index) => `${relay.url}/${index}`);
      const pr = await zap(requestOf(['no URL', 'https://relay.example', ...relays.flatMap((url) => [url, url])]));
      await isOver(pr);
      expect(relay.connectionCount - before).toBe(10);
      expect(receiptsOf(pr)).toHaveLength(1);
    });

    it('is published again to relays that had no time, and not to those that refuse it', async () => {
      relay.behavior.refuseEvents = 'rate-limited: slow down';
      const pr = await zap(requestOf([relay.url]));
      await expect.poll(() => zapOf(pr)).toMatchObject({ attempts: 1, due_at: expect.any(Number) });
      relay.behavior.refuseEvents = undefined;
      await makeDue();
      await expect.poll(() => receiptsOf(pr)).toHaveLength(1);
      await isOver(pr);
      relay.behavior.refuseEvents = 'blocked: not here';
      const refused = await zap(requestOf([relay.url]));
      await isOver(refused);
      expect(await zapOf(refused)).toMatchObject({ attempts: 1 });
      relay.behavior.refuseEvents = undefined;
    });

    it('is given up at a relay that is away, and the money stays credited', async () => {
      const { balance } = await client.get(`/v1/wallet/${wallet.id}`);
      const pr = await zap(requestOf([`ws://127.0.0.1:${port}`, `ws://127.0.0.1:${port}/second`], { content: 'away' }));
      await expect.poll(() => receiptsOf(pr)).toHaveLength(1);
      await isOver(pr);
      await relay.stop();
      const lost = await zap(requestOf([relay.url]));
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        await expect.poll(async () => (await zapOf(lost))?.attempts).toBe(attempt);
        if (attempt < ATTEMPTS) await execute('UPDATE zap SET due_at = 0 WHERE due_at IS NOT NULL');
      }
      expect(await zapOf(lost)).toMatchObject({ due_at: null, done_relays: 0 });
      await relay.start();
      expect(receiptsOf(lost)).toEqual([]);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(balance + 42);
    });

    const good = requestOf(['wss://relay.example']);
    const other = requestOf(['wss://relay.example'], { content: 'another' });
    const without = (name: string) => withTags(good, (tags) => tags.filter(([tag]) => tag !== name));
    const adding = (...tags: string[][]) => withTags(good, (own) => [...own, ...tags]);
    it.each<[string, string | NostrEvent, RegExp]>([
      ['no JSON', 'zap', /signed Nostr event/],
      ['a list', JSON.stringify([good]), /signed Nostr event/],
      ['another kind', signEvent({ ...good, kind: 9735 }, PAYER), /kind 9734/],
      ['a changed text', { ...good, content: 'Great post?' }, /signature/],
      ['the signature of another request', { ...good, sig: other.sig }, /signature/],
      ['the id and signature of another request', { ...good, id: other.id, sig: other.sig }, /signature/],
      ['another author', { ...good, pubkey: publicKeyOf(RECIPIENT) }, /signature/],
      ['no recipient', without('p'), /one `p` tag/],
      ['two recipients', adding(['p', publicKeyOf(PAYER)]), /one `p` tag/],
      ['a recipient that is no key', withTags(without('p'), (tags) => [...tags, ['p', 'alma']]), /recipient/],
      ['a recipient without a value', withTags(without('p'), (tags) => [...tags, ['p']]), /recipient/],
      ['two notes', adding(['e', NOTE]), /at most one `e` tag/],
      ['a note that is no id', withTags(without('e'), (tags) => [...tags, ['e', 'note1']]), /event/],
      ['two receipt authors', adding(['P', '0'.repeat(64)], ['P', '0'.repeat(64)]), /at most one `P` tag/],
      ['another receipt author', adding(['P', publicKeyOf(PAYER)]), /nostrPubkey/],
      ['a malformed address', adding(['a', '30023:alma:article']), /kind:pubkey:identifier/],
      ['a malformed kind', adding(['k', 'article']), /kind of an event/],
      ['no relays', without('relays'), /`relays` tag/],
      ['an empty list of relays', withTags(without('relays'), (tags) => [...tags, ['relays']]), /`relays` tag/],
      ['two lists of relays', adding(['relays', 'wss://relay.example']), /`relays` tag/],
      ['101 relays', requestOf(Array.from({ length: 101 }, (_, index) => `wss://r${index}.example`)), /1 to 100 relays/],
      ['another amount', withTags(without('amount'), (tags) => [...tags, ['amount', '21001']]), /amount/],
      ['an amount with zeros in front', withTags(without('amount'), (tags) => [...tags, ['amount', '021000']]), /amount/],
      ['more than 4,096 bytes', requestOf(['wss://relay.example'], { content: 'x'.repeat(2500) + 'é'.repeat(600) }), /4096 bytes/],
      ['more than 4,096 characters', requestOf(['wss://relay.example'], { content: 'x'.repeat(4000) }), /4096/],
    ])('is refused with %s, without an invoice', async (_, request, reason) => {
      const before = await countInvoices();
      const response = await call(typeof request === 'string' ? request : JSON.stringify(request));
      expect(response).toEqual({ status: 'ERROR', reason: expect.stringMatching(reason) });
      expect(await countInvoices()).toBe(before);
    });

    it('may leave out the amount and the note', async () => {
      const event = withTags(without('amount'), (tags) => tags.filter(([name]) => name !== 'e'));
      expect(await call(JSON.stringify(event), 5000)).toMatchObject({ status: 'OK' });
    });

    it('leaves the books balanced', async () => {
      expect(await problems()).toEqual([]);
    });
  },
  { ZAPS: 'true', OUTBOUND_ALLOW: `127.0.0.1:${port}`, ADDRESS_RATE_LIMIT_PER_SECOND: '0' },
  { receiptsMs: 20 },
);

onFakeNode(
  'a zap to relays in the network of the service',
  ({ client, rows, problems }) => {
    let relay: DevnetRelay;
    let wallet: TestWallet;

    beforeAll(async () => {
      relay = await startRelay();
      wallet = await client.wallet();
    });

    afterAll(() => relay.stop());

    it('L2: is paid, and causes no connection', async () => {
      const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
      const { host } = new URL(relay.url);
      const { port: listening } = new URL(relay.url);
      const relays = [
        relay.url,
        `wss://${host}`,
        `ws://localhost:${listening}`,
        `wss://localhost:${listening}`,
        `wss://[::1]:${listening}`,
      ];
      const text = encodeURIComponent(JSON.stringify(requestOf([...relays, `wss://2130706433:${listening}`, `wss://user:word@${host}`])));
      const { pr } = await client.get(`/v1/wallet/${wallet.lnurlPay}/lnurlp/${id}?amount=${AMOUNT}&nostr=${text}`);
      await client.post('/playground/pay', { payment_request: pr });
      await expect.poll(async () => (await rows('SELECT attempts FROM zap'))[0]?.attempts).toBe(1);
      expect(relay.connectionCount).toBe(0);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(21);
      expect(await problems()).toEqual([]);
    });

    it('with 200 relays is refused, and causes no connection', async () => {
      const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
      const event = requestOf(Array.from({ length: 200 }, () => 'ws://a'));
      const text = encodeURIComponent(JSON.stringify(event));
      const response = await client.get(`/v1/wallet/${wallet.lnurlPay}/lnurlp/${id}?amount=${AMOUNT}&nostr=${text}`);
      expect(response).toEqual({ status: 'ERROR', reason: expect.stringContaining('1 to 100 relays') });
      expect(await rows('SELECT invoice_id FROM zap')).toHaveLength(1);
    });
  },
  { ZAPS: 'true' },
  { receiptsMs: 20 },
);

onFakeNode('zaps of a service that does not offer them', ({ client }) => {
  it('are refused, and not offered', async () => {
    const wallet = await client.wallet();
    const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
    const path = `/v1/wallet/${wallet.lnurlPay}/lnurlp/${id}`;
    const offer = await client.get(path);
    expect(offer).toMatchObject({ tag: 'payRequest' });
    expect(offer).not.toHaveProperty('allowsNostr');
    expect(offer).not.toHaveProperty('nostrPubkey');
    const text = encodeURIComponent(JSON.stringify(requestOf(['wss://relay.example'])));
    expect(await client.get(`${path}?amount=${AMOUNT}&nostr=${text}`)).toMatchObject({ status: 'ERROR' });
    expect(await client.get(`${path}?amount=${AMOUNT}`)).toMatchObject({ status: 'OK' });
  });
});
