import { setTimeout as delay } from 'node:timers/promises';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import type { Client } from '../support/client.ts';

/** What a payment of another node's invoice does. `lost-response` and `lost-request`: the service's call of its node is disturbed. */
export type Behavior = 'succeeds' | 'fails' | 'hangs' | 'is-slow' | 'lost-response' | 'lost-request';

export interface OutsideInvoice {
  readonly paymentRequest: string;
  readonly paymentHash: string;
}

/** A payment as another node has it. */
export interface OutsideRecord {
  /** As the other node sees it. */
  readonly direction: 'received' | 'sent';
  readonly paymentHash: string;
  readonly amountMsat: number;
  readonly state: 'succeeded' | 'failed' | 'pending';
  /** The wallet that a keysend names in its records. */
  readonly walletId?: string | undefined;
}

/** Keysends in both directions. Each names its wallet in the record {@link WALLET_RECORD}. */
export interface OutsideKeysends {
  readonly destination: string;
  send(walletId: string, sats: number): Promise<unknown>;
}

export const WALLET_RECORD = '696969';

/** The nodes around the service. With the fake node they are inside of it, so the client is that of the running service. */
export interface Outside {
  readonly behaviors: readonly Behavior[];
  /** Absent: the node handles none, or the other nodes do not list their records. */
  readonly keysends?: OutsideKeysends | undefined;
  createInvoice(client: Client, invoice: { sats: number; feeMsat: number; behavior: Behavior }): Promise<OutsideInvoice>;
  payInvoice(client: Client, paymentRequest: string): Promise<unknown>;
  /** Ends a payment that hangs. Does nothing for one that never reached the node. */
  decide(client: Client, paymentHash: string, action: 'settle' | 'cancel'): Promise<unknown>;
  records(client: Client): Promise<readonly OutsideRecord[]>;
  /** The payments that have ended at the service's node, by payment hash. Absent: it does not list them. */
  ended?(): Promise<ReadonlySet<string>>;
  /** The routing fees that the service's node has paid, by payment hash, in msat. */
  feesMsat(): Promise<ReadonlyMap<string, number>>;
}

/** What a client knows. The nodes' records say which of it happened. */
export interface Known {
  /** The wallet of each invoice, by payment hash. */
  readonly invoices: Map<string, string>;
  /** The wallet of each payment, by payment hash. */
  readonly payments: Map<string, string>;
  /** Payments that hang until they are decided. */
  readonly hanging: Set<string>;
  /** When each transfer was confirmed, by memo. Milliseconds. */
  readonly transfers: Map<string, number>;
}

export const WALLETS = 4;
const WORKERS = 6;
/** Invoices that nobody has paid when the database is lost. */
const OPEN_INVOICES = 14;

/** Returns numbers in [0, below), the same for the same seed (mulberry32). */
export function drawsOf(seed: number): (below: number) => number {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Customers that receive, pay and transfer until the service is gone. */
export class LossyLoad {
  readonly known: Known = { invoices: new Map(), payments: new Map(), hanging: new Set(), transfers: new Map() };
  readonly unpaid: string[] = [];
  readonly #outside: Outside;
  readonly #pauseMs: number;
  readonly #draw: (below: number) => number;
  readonly #wallets: string[] = [];
  #sent = 0;
  #isOver = false;

  constructor({ outside, seed, pauseMs }: { outside: Outside; seed: number; pauseMs: number }) {
    this.#outside = outside;
    this.#pauseMs = pauseMs;
    this.#draw = drawsOf(seed);
  }

  async prepare(client: Client): Promise<void> {
    for (let i = 0; i < WALLETS; i++) {
      this.#wallets.push((await client.wallet()).id);
      await this.#receive(client, this.#wallets[i] ?? '', 50_000);
    }
    for (let i = 0; i < OPEN_INVOICES; i++) this.unpaid.push(await this.#invoice(client, this.#any(), 1_000 + i));
  }

  /** Runs until {@link stop}. Requests fail when the service is killed. */
  run(client: Client): Promise<unknown> {
    this.#isOver = false;
    const work = async () => {
      while (!this.#isOver) {
        await this.#step(client).catch(() => undefined);
        await delay(this.#pauseMs);
      }
    };
    return Promise.all(Array.from({ length: WORKERS }, work));
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Tries to pay an invoice of another node, from one of the first wallets. @returns the status */
  async pay(client: Client, among = this.#wallets.length): Promise<{ status: number; type: string }> {
    const { behaviors } = this.#outside;
    const invoice = { feeMsat: this.#draw(50), behavior: behaviors[this.#draw(behaviors.length)] ?? 'succeeds', sats: 1 + this.#draw(300) };
    const { paymentRequest, paymentHash } = await this.#outside.createInvoice(client, invoice);
    const wallet = this.#any(among);
    // Before the request: its response may be lost.
    this.known.payments.set(paymentHash, wallet);
    if (invoice.behavior === 'hangs') this.known.hanging.add(paymentHash);
    const json = { payment_request: paymentRequest };
    const headers = { prefer: 'respond-async' };
    const { status, body } = await client.request('POST', `/v1/wallet/${wallet}/withdraw`, { key: client.secretKey, json, headers });
    return { status, type: body?.type };
  }

  /** Pays up to three of the invoices that were open when the database was lost. */
  payOpenInvoices(client: Client): void {
    for (const text of this.unpaid.splice(0, 3)) this.#outside.payInvoice(client, text).catch(() => undefined);
  }

  async #step(client: Client): Promise<void> {
    const { keysends } = this.#outside;
    const kind = this.#draw(keysends ? 12 : 10);
    if (kind < 4) await this.pay(client);
    else if (kind < 7) await this.#receive(client, this.#any(), 1 + this.#draw(2_000));
    else if (kind < 9) await this.#transfer(client);
    else if (kind === 9) this.#wallets.push((await client.wallet()).id);
    else if (kind === 10) await keysends?.send(this.#any(), 1 + this.#draw(2_000));
    else await this.#sendKeysend(client, keysends?.destination ?? '');
  }

  async #invoice(client: Client, wallet: string, sats: number): Promise<string> {
    const { payment_request: text } = await client.post(`/v1/wallet/${wallet}/invoice`, { num_satoshis: sats });
    this.known.invoices.set(decodeBolt11(text).paymentHash, wallet);
    return text;
  }

  async #receive(client: Client, wallet: string, sats: number): Promise<void> {
    await this.#outside.payInvoice(client, await this.#invoice(client, wallet, sats));
  }

  async #sendKeysend(client: Client, destination: string): Promise<void> {
    const wallet = this.#any();
    const json = { dest_pubkey: destination, num_satoshis: 1 + this.#draw(300), custom_records: { [WALLET_RECORD]: wallet } };
    const headers = { prefer: 'respond-async' };
    await client.request('POST', `/v1/wallet/${wallet}/keysend`, { key: client.secretKey, json, headers });
  }

  async #transfer(client: Client): Promise<void> {
    const memo = `transfer ${++this.#sent}`;
    const json = { dest_wallet_id: this.#any(), num_satoshis: 1 + this.#draw(2_000), memo };
    const from = this.#any();
    if (from === json.dest_wallet_id) return;
    const { status } = await client.request('POST', `/v1/wallet/${from}/transfer`, { key: client.secretKey, json });
    if (status === 201) this.known.transfers.set(memo, Date.now());
  }

  #any(among = this.#wallets.length): string {
    return this.#wallets[this.#draw(among)] ?? '';
  }
}
