import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FakeNodeApp } from '../support/app.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { eventsOf, eventsOfWallet, nameOf } from '../support/events.ts';

/** What a customer, an outside payer or a receiver does. Numbers are indexes, taken modulo the number of items. */
type Step =
  | {
      readonly do: 'invoice' | 'cancel' | 'outside pays' | 'keysend in' | 'rename' | 'claim' | 'restart';
      readonly a: number;
      readonly b: number;
    }
  | { readonly do: 'pay'; readonly a: number; readonly b: number; readonly end: 'succeed' | 'fail' | 'hold' }
  | { readonly do: 'decide'; readonly a: number; readonly b: number }
  | { readonly do: 'transfer' | 'inside'; readonly a: number; readonly b: number };

const indexes = { a: fc.nat(99), b: fc.nat(99) };
const kinds = ['invoice', 'cancel', 'outside pays', 'keysend in', 'rename', 'claim', 'transfer', 'inside', 'decide'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constantFrom(...kinds), ...indexes }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pay' as const), ...indexes, end: fc.constantFrom('succeed', 'fail', 'hold') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), ...indexes }) },
);

/** The event of an object: its name and the id of the wallet transaction or invoice. */
type Told = readonly [name: string, id: string];

const idOf = ({ data }: Json): string => data.lnTx?.id ?? data.wtx?.id ?? data.wal.id;

/** Applies steps through the API, and derives the events of each wallet from the responses alone. */
class EventTwin {
  readonly #app: FakeNodeApp;
  readonly #wallets: readonly TestWallet[];
  readonly #expected = new Map<string, Told[]>();
  readonly #invoices: { readonly wallet: TestWallet; readonly made: Json }[] = [];
  readonly #held: { readonly wallet: TestWallet; readonly paymentHash: string; readonly wtx: Json }[] = [];
  #keys = 0;

  constructor(app: FakeNodeApp, wallets: readonly TestWallet[]) {
    this.#app = app;
    this.#wallets = wallets;
  }

  static async begin(app: FakeNodeApp): Promise<EventTwin> {
    const wallets = [await app.client.wallet(100_000), await app.client.wallet(100_000), await app.client.wallet(20)];
    const twin = new EventTwin(app, wallets);
    for (const wallet of wallets)
      twin.#expected.set(
        wallet.id,
        (await eventsOfWallet(app.client, wallet)).map((event) => [nameOf(event), idOf(event)]),
      );
    return twin;
  }

  #tell(wallet: TestWallet, name: string, id: string): void {
    this.#expected.get(wallet.id)?.push([name, id]);
  }

  #wallet(index: number): TestWallet {
    return this.#wallets[index % this.#wallets.length] as TestWallet;
  }

  /** Sends a request, and again with the same Idempotency-Key. The repetition has no event. */
  async #post(path: string, json: object, headers: Record<string, string> = {}): Promise<HttpResponse> {
    this.#keys += 1;
    const request = {
      key: this.#app.client.secretKey,
      json,
      headers: { ...headers, 'idempotency-key': `${this.#wallet(0).id} ${this.#keys}` },
    };
    const response = await this.#app.client.request('POST', path, request);
    await this.#app.client.request('POST', path, { ...request, headers: { ...request.headers, prefer: 'respond-async' } });
    return response;
  }

  async apply(taken: Step): Promise<void> {
    const wallet = this.#wallet(taken.a);
    switch (taken.do) {
      case 'invoice':
        return this.#createInvoice(wallet);
      case 'cancel':
        return this.#cancel(taken.b);
      case 'outside pays':
        return this.#outsidePays(taken.b);
      case 'keysend in':
        return this.#keysendIn(wallet);
      case 'rename':
        return this.#rename(wallet, `label ${taken.b % 2}`);
      case 'claim':
        return this.#claim(wallet, taken.b % 2 === 0);
      case 'transfer':
        return this.#transfer(wallet, this.#wallet(taken.b), 1 + (taken.b % 30));
      case 'inside':
        return this.#payInside(wallet, taken.b);
      case 'pay':
        return this.#pay(wallet, 1 + (taken.b % 30), taken.end);
      case 'decide':
        return this.#decide(taken.a, taken.b % 2 === 0 ? 'settle' : 'cancel');
      case 'restart':
        return this.#app.restart();
    }
  }

  async #createInvoice(wallet: TestWallet): Promise<void> {
    const { body } = await this.#post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
    this.#invoices.push({ wallet, made: body });
    this.#tell(wallet, 'invoice_created', body.id);
  }

  async #cancel(which: number): Promise<void> {
    const chosen = this.#invoices[which % this.#invoices.length];
    if (!chosen) return;
    const before = (await this.#app.client.get(`/v1/lntx/${chosen.made.id}`)).status;
    const { status } = await this.#app.client.request('DELETE', `/v1/lntx/${chosen.made.id}`, { key: this.#app.client.secretKey });
    if (before === 'open' && status === 200) this.#tell(chosen.wallet, 'invoice_cancelled', chosen.made.id);
  }

  async #receipts(wallet: TestWallet): Promise<Json[]> {
    return this.#app.client.list(`/v1/wallet/${wallet.id}/transactions?type=ln_deposit&per-page=100`);
  }

  async #outsidePays(which: number): Promise<void> {
    const chosen = this.#invoices[which % this.#invoices.length];
    if (!chosen) return;
    const { wallet, made } = chosen;
    if ((await this.#app.client.get(`/v1/lntx/${made.id}`)).status !== 'open') return;
    const before = await this.#receipts(wallet);
    const paid = await this.#app.net.outside.pay({ paymentRequest: made.payment_request });
    if (paid.state === 'succeeded') await this.#received(wallet, before);
  }

  async #keysendIn(wallet: TestWallet): Promise<void> {
    const before = await this.#receipts(wallet);
    await this.#app.net.outside.keysend({ amountMsat: 2_000, customRecords: { 696969: Buffer.from(wallet.id).toString('hex') } });
    await this.#received(wallet, before);
  }

  async #received(wallet: TestWallet, before: readonly Json[]): Promise<void> {
    await expect.poll(async () => (await this.#receipts(wallet)).length).toBe(before.length + 1);
    const [newest] = await this.#receipts(wallet);
    this.#tell(wallet, 'wallet_receive', newest.id);
  }

  async #rename(wallet: TestWallet, user_label: string): Promise<void> {
    const before = (await this.#app.client.get(`/v1/wallet/${wallet.id}`)).user_label;
    await this.#app.client.request('PATCH', `/v1/wallet/${wallet.id}`, { key: this.#app.client.secretKey, json: { user_label } });
    if (before !== user_label) this.#tell(wallet, 'wallet_updated', wallet.id);
  }

  async #transfer(from: TestWallet, to: TestWallet, num_satoshis: number): Promise<void> {
    const { status, body } = await this.#post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis });
    if (status !== 201) return;
    this.#tell(from, 'wallet_transfer_out', body.wtx_transfer_out.id);
    this.#tell(to, 'wallet_transfer_in', body.wtx_transfer_in.id);
  }

  async #payInside(payer: TestWallet, which: number): Promise<void> {
    const chosen = this.#invoices[which % this.#invoices.length];
    if (!chosen) return;
    const already = (await this.#app.client.get(`/v1/lntx/${chosen.made.id}`)).status;
    const response = await this.#post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: chosen.made.payment_request });
    if (already !== 'open' || response.status !== 201) return;
    this.#tell(payer, 'wallet_send', response.body.id);
    const [newest] = await this.#receipts(chosen.wallet);
    this.#tell(chosen.wallet, 'wallet_receive', newest.id);
  }

  async #pay(wallet: TestWallet, sat: number, end: 'succeed' | 'fail' | 'hold'): Promise<void> {
    const script = { fee: 0, ...(end === 'fail' && { fail: 'NO_ROUTE' as const }), ...(end === 'hold' && { hold: true }) };
    const { paymentRequest, paymentHash } = this.#app.net.outside.invoice({ amountMsat: sat * 1000, script });
    const headers: Record<string, string> = end === 'hold' ? { prefer: 'respond-async' } : {};
    const { status, body } = await this.#post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest }, headers);
    if (status === 201) this.#tell(wallet, 'wallet_send', body.id);
    if (status === 400 && body.type === 'payment_failed') this.#tell(wallet, 'wallet_send_failure', body.wtx_id);
    if (status !== 202) return;
    this.#tell(wallet, 'payment_pending', body.id);
    this.#held.push({ wallet, paymentHash, wtx: body });
  }

  async #claim(wallet: TestWallet, succeeds: boolean): Promise<void> {
    const { client, net } = this.#app;
    const made = await client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, {
      key: client.secretKey,
      json: { num_satoshis: 3 },
    });
    const offer: Json = await (await fetch(made.body.url)).json();
    if (offer.status === 'ERROR') return;
    const { paymentRequest, paymentHash } = net.outside.invoice({
      amountMsat: 3_000,
      script: { fee: 0, ...(!succeeds && { fail: 'NO_ROUTE' as const }) },
    });
    const claimed: Json = await (await fetch(`${offer.callback}&k1=${offer.k1}&pr=${paymentRequest}`)).json();
    if (claimed.status !== 'OK') return;
    const payment = async (): Promise<Json> => client.get(`/v1/lntx/${paymentHash}`);
    await expect.poll(async () => (await payment()).status).not.toBe('pending');
    const status = succeeds ? 'settled' : 'failed';
    const [wtx] = await client.get(`/v1/wallet/${wallet.id}/transactions?status=${status}&payment_hash=${paymentHash}`);
    this.#tell(wallet, 'link_claimed', wtx.id);
    this.#tell(wallet, succeeds ? 'wallet_send' : 'wallet_send_failure', wtx.id);
  }

  async #decide(which: number, action: 'settle' | 'cancel'): Promise<void> {
    const [chosen] = this.#held.splice(which % Math.max(1, this.#held.length), 1);
    if (!chosen) return;
    await this.#app.client.decideHold(chosen.paymentHash, action);
    await expect.poll(async () => (await this.#app.client.get(`/v1/lntx/${chosen.paymentHash}`)).status).not.toBe('pending');
    this.#tell(chosen.wallet, action === 'settle' ? 'wallet_send' : 'wallet_send_failure', chosen.wtx.id);
  }

  /** Compares the events of each wallet, and those of the account. */
  async check(): Promise<void> {
    const { client } = this.#app;
    const all = await eventsOf(client, '/v1/events', 7);
    expect(all.map(({ id }) => id)).toEqual([...new Set(all.map(({ id }) => id))].toSorted());
    for (const wallet of this.#wallets) {
      const events = await eventsOfWallet(client, wallet);
      expect(events.map((event) => [nameOf(event), idOf(event)])).toEqual(this.#expected.get(wallet.id));
      const ids = new Set(events.map(({ id }) => id));
      expect(all.filter(({ id }) => ids.has(id))).toEqual(events);
    }
    expect(await this.#app.problems()).toEqual([]);
  }
}

/** Defines the test that the events of wallets are those that their customers see in responses. */
export function comparesEventsWithResponses({ runs, steps, timeoutMs }: { runs: number; steps: number; timeoutMs: number }): void {
  onFakeNode(
    'random operations',
    (app) => {
      it('have the events that follow from the responses of the API, in that order for each wallet', { timeout: timeoutMs }, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: steps, size: 'max' }), async (taken) => {
            const twin = await EventTwin.begin(app);
            for (const one of taken) await twin.apply(one);
            await twin.check();
          }),
          { numRuns: runs, endOnFailure: true },
        );
      });
    },
    { PAYMENT_WAIT_SECONDS: '5', RATE_LIMIT_BURST: '1000000', ADDRESS_RATE_LIMIT_BURST: '1000000' },
  );
}
