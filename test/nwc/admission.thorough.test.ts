import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { type NostrEvent, tagValue } from '../../src/core/nostr/event.ts';
import { CONNECTION_PERMISSIONS, type ConnectionPermission, METHODS, type NwcMethod, ruleOf } from '../../src/features/nwc/methods.ts';
import { TIMING } from '../hold-invoices/harness.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp, openApp, payHoldInvoice } from '../support/nwc.ts';
import { codeOf, QUICK } from './timing.ts';

const HASH = 'ab'.repeat(32);
const [HOUR, MINUTE] = [3600, 60];
const relay = await startRelay();
afterAll(() => relay.stop());
const settings = { PAYMENT_WAIT_SECONDS: '1', NWC_RELAYS: relay.url, MAX_HELD_PER_WALLET: '1000', MAX_HELD_PER_ACCOUNT: '1000' };

const now = () => Math.floor(Date.now() / 1000);

onFakeNode(
  'the admission of requests',
  (service) => {
    const { client, net, execute, rows, problems } = service;
    let wallet: TestWallet;
    let app: NwcApp;
    let pubkey: string;
    const invoice = (amountMsat = 1000) => net.outside.invoice({ amountMsat, memo: 'fee=0' });
    const balance = async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat;
    const sentTo = (paymentHash: string) => net.outside.payments().filter((one) => one.paymentHash === paymentHash);
    const path = (one: NwcApp) => `/v1/wallet/${wallet.id}/connections/${one.id}`;

    /** Returns the hold invoices that the methods settle and cancel: one for each. Their payments wait. */
    const paidHolds = async () => ({
      settled: await payHoldInvoice(service, wallet.id),
      cancelled: await payHoldInvoice(service, wallet.id),
    });
    type Holds = Awaited<ReturnType<typeof paidHolds>>;

    /** The payments of the hold invoices still wait. */
    const expectUndecided = ({ settled, cancelled }: Holds) => expect([settled.payer(), cancelled.payer()]).toEqual(['pending', 'pending']);
    const expectDecided = ({ settled, cancelled }: Holds) => expect([settled.payer(), cancelled.payer()]).toEqual(['succeeded', 'failed']);

    /** Parameters with which each method succeeds. */
    const paramsOf = (method: NwcMethod, { settled, cancelled }: Holds): object => {
      const keysend = { amount: 1000, pubkey };
      const params: Partial<Record<NwcMethod, () => object>> = {
        make_invoice: () => ({ amount: 1000 }),
        receive: () => ({ amount: 1000 }),
        lookup_invoice: () => ({ payment_hash: HASH }),
        pay_invoice: () => ({ invoice: invoice().paymentRequest }),
        pay: () => ({ payment: invoice().paymentRequest }),
        pay_keysend: () => keysend,
        make_hold_invoice: () => ({ amount: 1000, payment_hash: randomBytes(32).toString('hex') }),
        settle_hold_invoice: () => ({ preimage: settled.preimage }),
        cancel_hold_invoice: () => ({ payment_hash: cancelled.paymentHash }),
        multi_pay_invoice: () => ({ invoices: [{ invoice: invoice().paymentRequest }] }),
        multi_pay_keysend: () => ({ keysends: [keysend] }),
      };
      return params[method]?.() ?? {};
    };
    const successOf = (method: NwcMethod) => (method === 'lookup_invoice' ? 'NOT_FOUND' : undefined);

    /** Returns how many events were ignored for a reason. */
    const ignored = async (reason: string): Promise<number> => {
      const { text } = await client.request('GET', '/metrics', { key: client.secretKey });
      return Number(new RegExp(`satchel_app_events_ignored_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    };

    /** Sends events that must be ignored for a reason, and waits until they have been. */
    async function expectIgnored(reason: string, events: readonly NostrEvent[]): Promise<void> {
      const [before, money] = [await ignored(reason), await balance()];
      for (const event of events) await app.send(event);
      await expect.poll(() => ignored(reason)).toBe(before + events.length);
      expect(relay.events.filter(({ tags }) => events.some(({ id }) => tags.some(([, value]) => value === id)))).toEqual([]);
      const stored = await rows('SELECT id FROM nwc_request');
      expect(stored.filter(({ id }) => events.some((event) => String(id).startsWith(event.id)))).toEqual([]);
      expect(await balance()).toBe(money);
      expect(await problems()).toEqual([]);
    }

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      app = await connectApp(client, wallet.id);
      pubkey = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
    });

    afterAll(() => app.close());

    for (const permission of CONNECTION_PERMISSIONS)
      it(`allows an app with ${permission} the methods that need it, and no others`, async () => {
        const limited = await connectApp(client, wallet.id, { permissions: [permission] });
        const holds = await paidHolds();
        const offered: string[] = (await limited.call('get_info')).result.methods;
        for (const method of Object.keys(METHODS) as NwcMethod[]) {
          const { permission: needed, isHidden }: { permission?: ConnectionPermission; isHidden?: boolean } = ruleOf(method);
          const isAllowed = needed === undefined || needed === permission;
          const before = await balance();
          expect([method, await codeOf(limited, method, paramsOf(method, holds))]).toEqual([
            method,
            isAllowed ? successOf(method) : 'RESTRICTED',
          ]);
          expect([method, (await balance()) < before]).toEqual([method, isAllowed && needed === 'wallet_withdraw']);
          expect([method, offered.includes(method)]).toEqual([method, isAllowed && !isHidden]);
        }
        if (permission === 'wallet_deposit') expectDecided(holds);
        else expectUndecided(holds);
        limited.close();
        expect(await problems()).toEqual([]);
      });

    it('answers the requests of an expired connection with EXPIRED, and pays nothing', async () => {
      const expiring = await connectApp(client, wallet.id, { expiry: HOUR });
      expect(await codeOf(expiring, 'get_balance')).toBeUndefined();
      const [before, holds] = [await balance(), await paidHolds()];
      const ofConnection = 'id = (SELECT key_id FROM nwc_connection WHERE id = $1)';
      await execute(`UPDATE access_key SET created_at = $2 - ${HOUR}, expires_at = $2 WHERE ${ofConnection}`, expiring.id, now() - 1);
      for (const method of Object.keys(METHODS) as NwcMethod[])
        expect([method, await codeOf(expiring, method, paramsOf(method, holds))]).toEqual([method, 'EXPIRED']);
      expect(await balance()).toBe(before);
      expectUndecided(holds);
      expiring.close();
      expect(await problems()).toEqual([]);
    });

    it('does not name the app in the info event, which everybody can read', async () => {
      const info = () => relay.events.filter(({ kind }) => kind === 13_194);
      await vi.waitUntil(() => info().length > 0, { timeout: 150_000 });
      expect(info().flatMap(({ tags }) => tags.filter(([name]) => name === 'p'))).toEqual([]);
    });

    it('answers the requests of a revoked connection with UNAUTHORIZED, and deletes its info event', async () => {
      const revoked = await connectApp(client, wallet.id);
      const info = () => relay.events.filter(({ kind, pubkey: author }) => kind === 13_194 && author === revoked.servicePubkey);
      await vi.waitUntil(() => info().length === 1, { timeout: 150_000 });
      const [announced] = info();
      const [before, holds] = [await balance(), await paidHolds()];
      await client.request('DELETE', path(revoked), { key: client.secretKey });
      const deletion = () => relay.events.find(({ kind, pubkey: author }) => kind === 5 && author === revoked.servicePubkey);
      await vi.waitUntil(deletion, { timeout: 150_000 });
      expect([tagValue(deletion() as NostrEvent, 'e'), tagValue(deletion() as NostrEvent, 'k')]).toEqual([announced?.id, '13194']);
      expect(info()).toEqual([]);
      for (const method of Object.keys(METHODS) as NwcMethod[])
        expect([method, await codeOf(revoked, method, paramsOf(method, holds))]).toEqual([method, 'UNAUTHORIZED']);
      expect(await balance()).toBe(before);
      expectUndecided(holds);
      revoked.close();
      expect(await problems()).toEqual([]);
    });

    for (const [name, freeze, thaw, receives] of [
      ['a receive-only account', "UPDATE account SET status = 'receive_only'", "UPDATE account SET status = 'active'", true],
      ['a frozen account', "UPDATE account SET status = 'frozen'", "UPDATE account SET status = 'active'", false],
      ['an inactive wallet', "UPDATE wallet SET status = 'inactive'", "UPDATE wallet SET status = 'active'", true],
    ] as const)
      it(`answers payments of ${name} with RESTRICTED, still reads, and ${receives ? 'receives' : 'makes no invoices'}`, async () => {
        const [before, holds] = [await balance(), await paidHolds()];
        await execute(freeze);
        try {
          for (const method of Object.keys(METHODS) as NwcMethod[]) {
            const { permission } = ruleOf(method);
            const isDecision = method === 'settle_hold_invoice' || method === 'cancel_hold_invoice';
            const code = await codeOf(app, method, paramsOf(method, holds));
            // A payment to an account that may not receive goes back to its payer, perhaps before the decision.
            if (isDecision && !receives) {
              if (method === 'settle_hold_invoice') expect(code).toEqual(expect.any(String));
              continue;
            }
            const isRefused = permission === 'wallet_withdraw' || (permission === 'wallet_deposit' && !receives);
            expect([method, code]).toEqual([method, isRefused ? 'RESTRICTED' : successOf(method)]);
          }
        } finally {
          await execute(thaw);
        }
        await expect.poll(() => [holds.settled.payer(), holds.cancelled.payer()]).toEqual([receives ? 'succeeded' : 'failed', 'failed']);
        expect(await balance()).toBe(receives ? before + 1000 : before);
        expect((await service.openAlerts()).filter(({ kind }) => kind === 'received_restricted')).toEqual([]);
        expect(await codeOf(app, 'pay_invoice', { invoice: invoice().paymentRequest })).toBeUndefined();
        expect(await problems()).toEqual([]);
      });

    it('answers an unsupported encryption with UNSUPPORTED_ENCRYPTION in NIP-44, and pays nothing', async () => {
      const before = await balance();
      for (const scheme of ['nip44_v3', '']) {
        const tags = [
          ['p', app.servicePubkey],
          ['encryption', scheme],
        ];
        const event = app.request('pay_invoice', { invoice: invoice().paymentRequest }, { tags });
        await app.send(event);
        expect((await app.responseTo(event)).error).toMatchObject({ code: 'UNSUPPORTED_ENCRYPTION', message: expect.any(String) });
        expect(app.responsesTo(event)[0]?.event.content).not.toContain('?iv=');
      }
      expect(await balance()).toBe(before);
    });

    it('answers content that cannot be decrypted, or is no request, with BAD_REQUEST', async () => {
      const other = await connectApp(client, wallet.id);
      const foreign = other.request('get_balance').content;
      const good = app.request('get_balance').content;
      const contents = ['', 'x', '#', foreign, good.slice(0, -4), `${good.slice(0, 40)}${good[40] === 'A' ? 'B' : 'A'}${good.slice(41)}`];
      const events = contents.map((content) => app.request('get_balance', {}, { content }));
      for (const event of events) {
        await app.send(event);
        expect((await app.responseTo(event)).error.code).toBe('BAD_REQUEST');
      }
      other.close();
    });

    it('ignores requests of another author', async () => {
      const uri = app.uri.replace(/secret=[0-9a-f]{64}/, `secret=${'11'.repeat(32)}`);
      const stranger = await openApp({ id: app.id, uri });
      const { paymentRequest, paymentHash } = invoice();
      await expectIgnored('wrong_author', [stranger.request('pay_invoice', { invoice: paymentRequest }), stranger.request('get_balance')]);
      expect(sentTo(paymentHash)).toEqual([]);
      stranger.close();
    });

    it('ignores payments that are older than 6 hours and reads that are older than 10 minutes', async () => {
      const { paymentRequest, paymentHash } = invoice();
      const at = (seconds: number) => ({ createdAt: now() - seconds });
      // A relay that ignores `since` delivers them.
      for (const filter of relay.requests().flat()) Object.assign(filter, { since: 0 });
      await expectIgnored('too_old', [
        app.request('pay_invoice', { invoice: paymentRequest }, at(6 * HOUR + 5)),
        app.request('make_invoice', { amount: 1000 }, at(6 * HOUR + 5)),
        app.request('get_balance', {}, at(10 * MINUTE + 5)),
        app.request('lookup_invoice', { payment_hash: paymentHash }, at(10 * MINUTE + 5)),
      ]);
      expect(sentTo(paymentHash)).toEqual([]);
      const [late, read] = [
        app.request('pay_invoice', { invoice: paymentRequest }, at(6 * HOUR - MINUTE)),
        app.request('get_balance', {}, at(9 * MINUTE)),
      ];
      for (const event of [late, read]) {
        await app.send(event);
        expect((await app.responseTo(event)).error).toBeUndefined();
      }
    });

    it('ignores requests that are more than a minute in the future', async () => {
      const { paymentRequest, paymentHash } = invoice();
      const createdAt = now() + 2 * MINUTE;
      await expectIgnored('in_future', [
        app.request('pay_invoice', { invoice: paymentRequest }, { createdAt }),
        app.request('get_balance', {}, { createdAt }),
      ]);
      expect(sentTo(paymentHash)).toEqual([]);
      const event = app.request('get_balance', {}, { createdAt: now() + MINUTE / 2 });
      await app.send(event);
      expect((await app.responseTo(event)).error).toBeUndefined();
    });

    it('ignores requests that have expired', async () => {
      const { paymentRequest, paymentHash } = invoice();
      const tags = (expiration: string) => [
        ['p', app.servicePubkey],
        ['encryption', 'nip44_v2'],
        ['expiration', expiration],
      ];
      await expectIgnored('expired', [
        app.request('pay_invoice', { invoice: paymentRequest }, { tags: tags(String(now() - 1)) }),
        app.request('get_balance', {}, { tags: tags('0') }),
      ]);
      expect(sentTo(paymentHash)).toEqual([]);
      const event = app.request('get_balance', {}, { tags: tags(String(now() + HOUR)) });
      await app.send(event);
      expect((await app.responseTo(event)).error).toBeUndefined();
    });

    it('ignores an event whose signature is wrong', async () => {
      const { paymentRequest, paymentHash } = invoice();
      const event = app.request('pay_invoice', { invoice: paymentRequest });
      const before = await ignored('invalid');
      relay.store({ ...event, sig: app.request('get_balance').sig });
      await expect.poll(() => ignored('invalid')).toBe(before + 1);
      expect(app.responsesTo(event)).toEqual([]);
      expect(sentTo(paymentHash)).toEqual([]);
      expect(await problems()).toEqual([]);
    });
  },
  settings,
  { ...TIMING, ...QUICK },
);
