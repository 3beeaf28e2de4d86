import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FakeNetwork } from '../../devnet/fake/fake.ts';
import type { Client, HttpResponse, TestWallet } from '../support/client.ts';
import type { controlOf } from '../support/waiting-postgres.ts';

interface LoadOptions {
  /** The instances; a caller uses another one after a failure, as behind a balancer. */
  readonly clients: readonly Client[];
  readonly net: FakeNetwork;
  readonly callers: number;
  /** The pause of a caller after each operation. */
  readonly pauseMs: number;
}

type Control = ReturnType<typeof controlOf>;

/**
 * Callers that transfer and pay. Each repeats a request with the same `Idempotency-Key` until its outcome is known, and remembers what was
 * confirmed.
 */
export class Load {
  readonly #options: LoadOptions;
  /** Memos of transfers and ids of payments that were confirmed. */
  readonly #transfers = new Set<string>();
  readonly #payments = new Set<string>();
  readonly #invoices = new Set<string>();
  readonly #tasks: Promise<void>[] = [];
  readonly rejected: string[] = [];
  #isOver = false;
  #sent = 0;
  #lastSuccess = performance.now();
  #longestMs = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Starts the callers. Every fourth one pays. */
  start(from: readonly TestWallet[], to: TestWallet): void {
    for (let i = 0; i < this.#options.callers; i++) {
      const wallet = from[i % from.length];
      if (wallet) this.#tasks.push(this.#call(i, wallet, i % 4 === 0 ? undefined : to));
    }
  }

  get confirmed(): { transfers: number; payments: number } {
    return { transfers: this.#transfers.size, payments: this.#payments.size };
  }

  /** Returns the longest time without a success since the last call, in seconds. */
  longestGap(): number {
    const longest = Math.max(this.#longestMs, performance.now() - this.#lastSuccess);
    this.#longestMs = 0;
    return Math.round(longest / 100) / 10;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#tasks);
  }

  /** Returns what was confirmed or has left the node, and is not in the database, and what is there twice. */
  async problems({ run }: Control): Promise<string[]> {
    // The sets before the rows: what is confirmed meanwhile is not compared.
    const [transfers, payments] = [[...this.#transfers], [...this.#payments]];
    const outside = this.#options.net.outside.payments().filter(({ paymentHash }) => this.#invoices.has(paymentHash));
    const memos = countsOf(await run('SELECT memo AS value FROM ledger_transfer WHERE memo IS NOT NULL'));
    const ids = countsOf(await run('SELECT id AS value FROM payment'));
    const hashes = countsOf(await run('SELECT payment_hash AS value FROM payment'));
    const paid = countsOf(outside.map(({ paymentHash }) => ({ value: paymentHash })));
    return [
      ...transfers.filter((memo) => !memos.has(memo)).map((memo) => `lost: ${memo}`),
      ...[...memos].filter(([memo, count]) => memo.startsWith('transfer ') && count > 1).map(([memo]) => `twice: ${memo}`),
      ...payments.filter((id) => !ids.has(id)).map((id) => `lost: payment ${id}`),
      ...[...paid.keys()].filter((hash) => !hashes.has(hash)).map((hash) => `left the node without a record: ${hash}`),
      ...[...paid].filter(([, count]) => count > 1).map(([hash]) => `paid twice: ${hash}`),
    ];
  }

  async #call(index: number, from: TestWallet, to: TestWallet | undefined): Promise<void> {
    // The callers do not begin at the same moment.
    await delay((index * this.#options.pauseMs) / this.#options.callers);
    while (!this.#isOver) {
      const memo = `transfer ${++this.#sent}`;
      if (to) await this.#repeat(index, `/v1/wallet/${from.id}/transfer`, from, { dest_wallet_id: to.id, num_satoshis: 1, memo });
      else {
        const { paymentRequest, paymentHash } = this.#options.net.outside.invoice({ amountMsat: 1_000 });
        this.#invoices.add(paymentHash);
        await this.#repeat(index, `/v1/wallet/${from.id}/withdraw`, from, { payment_request: paymentRequest });
      }
      await delay(this.#options.pauseMs);
    }
  }

  async #repeat(
    index: number,
    path: string,
    { admin }: TestWallet,
    json: { readonly memo?: string; readonly [field: string]: unknown },
  ): Promise<void> {
    const { clients } = this.#options;
    const headers = { 'idempotency-key': randomUUID() };
    for (let attempt = 0; ; attempt++) {
      const client = clients[(index + attempt) % clients.length];
      const response = await client?.request('POST', path, { key: admin, json, headers }).catch(() => undefined);
      if (response && response.status < 300) return this.#confirm(response, json.memo);
      // 409: the first attempt is still running.
      if (response && response.status < 500 && response.status !== 409 && response.status !== 429)
        return void this.rejected.push(`${response.status}: ${response.text}`);
      if (this.#isOver) return;
      await delay(200);
    }
  }

  #confirm({ body }: HttpResponse, memo: string | undefined): void {
    if (memo === undefined) this.#payments.add(body.lnTx.id);
    else this.#transfers.add(memo);
    const now = performance.now();
    this.#longestMs = Math.max(this.#longestMs, now - this.#lastSuccess);
    this.#lastSuccess = now;
  }
}

function countsOf(rows: readonly { readonly value?: unknown }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { value } of rows) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  return counts;
}
