import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { allAccounts } from '../../src/core/ledger/ledger.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import type { Restore } from '../../src/features/restore/restore-object.ts';
import type { Client, Json } from '../support/client.ts';
import { freshUrls, silentLog } from '../support/ledger.ts';
import { processSettings, runSatchel, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';

/** `RESTORE_FUZZ=50` makes 50 runs with backups that are at least a minute old. A failure names its seed, for `RESTORE_FUZZ_SEED`. */
const RUNS = Number(process.env.RESTORE_FUZZ ?? 3);
const FIRST_SEED = Number(process.env.RESTORE_FUZZ_SEED ?? 1);
const BACKUP_AGE_MS = process.env.RESTORE_FUZZ ? 60_000 : 3_000;
const PAUSE_MS = process.env.RESTORE_FUZZ ? 200 : 20;

const WALLETS = 4;
const WORKERS = 6;
const MAX_KILLS = 3;
/** Invoices that nobody has paid when the database is lost. */
const OPEN_INVOICES = 10;
const WAIT = { timeout: 120_000, interval: 300 };

const listWallets = statement<{ id: string; ledger_account: number; shortfall_msat: number }>(
  'fuzz_wallets',
  `SELECT id, ledger_account,
     CAST((SELECT coalesce(sum(p.shortfall_msat), 0) FROM payment p WHERE p.wallet_id = wallet.id) AS BIGINT) AS shortfall_msat FROM wallet`,
);
const listTransfers = statement<{ from_account: number; to_account: number; amount_msat: number; memo: string }>(
  'fuzz_transfers',
  "SELECT from_account, to_account, amount_msat, memo FROM ledger_transfer WHERE memo LIKE 'transfer %'",
);
const listPending = statement<{ payment_hash: string }>('fuzz_pending', "SELECT payment_hash FROM payment WHERE state = 'pending'");

/** What a client knows. The node's records say which of it happened. */
interface Known {
  /** The wallet of each invoice, by payment hash. */
  readonly invoices: Map<string, string>;
  readonly payments: Map<string, { readonly wallet: string; readonly feeMsat: number }>;
  /** Payments that hang until they are decided. */
  readonly hanging: Set<string>;
  /** When each transfer was confirmed, by memo. Milliseconds. */
  readonly transfers: Map<string, number>;
}

/** Returns numbers in [0, below), the same for the same seed (mulberry32). */
function drawsOf(seed: number): (below: number) => number {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Customers that receive, pay and transfer until the service is gone. */
class Load {
  readonly known: Known = { invoices: new Map(), payments: new Map(), hanging: new Set(), transfers: new Map() };
  readonly unpaid: string[] = [];
  readonly #draw: (below: number) => number;
  readonly #wallets: string[] = [];
  #sent = 0;
  #isOver = false;

  constructor(seed: number) {
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
        await delay(PAUSE_MS);
      }
    };
    return Promise.all(Array.from({ length: WORKERS }, work));
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Tries to pay an invoice of another node, from one of the first wallets. @returns the status */
  async pay(client: Client, among = this.#wallets.length): Promise<{ status: number; type: string }> {
    const feeMsat = this.#draw(50);
    const words = ['', '', '', 'fail=NO_ROUTE', 'hang', 'delay=2', 'lose-answer', 'lose-call'];
    const word = words[this.#draw(words.length)] ?? '';
    const made = await client.post('/playground/invoice', { num_satoshis: 1 + this.#draw(300), memo: `fee=${feeMsat} ${word}` });
    const wallet = this.#any(among);
    // Before the request: its response may be lost.
    this.known.payments.set(made.payment_hash, { wallet, feeMsat });
    if (word === 'hang') this.known.hanging.add(made.payment_hash);
    const json = { payment_request: made.payment_request };
    const headers = { prefer: 'respond-async' };
    const { status, body } = await client.request('POST', `/v1/wallet/${wallet}/withdraw`, { key: client.secretKey, json, headers });
    return { status, type: body?.type };
  }

  async #step(client: Client): Promise<void> {
    const kind = this.#draw(10);
    if (kind < 4) await this.pay(client);
    else if (kind < 7) await this.#receive(client, this.#any(), 1 + this.#draw(2_000));
    else if (kind < 9) await this.#transfer(client);
    else this.#wallets.push((await client.wallet()).id);
  }

  async #invoice(client: Client, wallet: string, sats: number): Promise<string> {
    const { payment_request: text } = await client.post(`/v1/wallet/${wallet}/invoice`, { num_satoshis: sats });
    this.known.invoices.set(decodeBolt11(text).paymentHash, wallet);
    return text;
  }

  async #receive(client: Client, wallet: string, sats: number): Promise<void> {
    await client.post('/playground/pay', { payment_request: await this.#invoice(client, wallet, sats) });
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

/** Returns all payments of the other nodes, as those have them. */
async function outsidePayments(client: Client): Promise<Json[]> {
  const all: Json[] = [];
  for (;;) {
    const { payments } = await client.get(`/playground/payments?after=${all.at(-1)?.id ?? 0}`);
    if (payments.length === 0) return all;
    all.push(...payments);
  }
}

/** What each wallet has received from the network less what it has sent, in msat, as the other nodes have it. */
function netOf(payments: readonly Json[], { invoices, payments: paid }: Known): Map<string, number> {
  const net = new Map<string, number>();
  const add = (wallet: string, msat: number) => net.set(wallet, (net.get(wallet) ?? 0) + msat);
  for (const { direction, payment_hash: hash, amount_msat: amount, state } of payments) {
    if (state !== 'succeeded') continue;
    const [receiver, payment] = [invoices.get(hash), paid.get(hash)];
    if (direction === 'sent' && receiver !== undefined) add(receiver, amount);
    if (direction === 'received' && payment) add(payment.wallet, -amount - payment.feeMsat);
  }
  return net;
}

describe.each<Dialect>(['sqlite', 'postgres'])('%s: a database that is destroyed under load', (dialect) => {
  const urls = freshUrls(dialect);
  const seeds = Array.from({ length: RUNS }, (_, index) => FIRST_SEED + index).filter(
    (seed) => (seed % 2 === 0) === (dialect === 'sqlite'),
  );

  it.each(seeds)('has every millisatoshi that the node has seen, after a restore (seed %i)', { timeout: 600_000 }, async (seed) => {
    const draw = drawsOf(seed + 1_000_000);
    // Every fourth run has only the secret key.
    const hasBackup = seed % 8 > 1;
    const folder = mkdtempSync(join(tmpdir(), 'satchel-restore-fuzz-'));
    const backups = join(folder, 'backups');
    let settings: Record<string, string> = {
      ...(await processSettings(folder, await urls())),
      LOG_LEVEL: 'error',
      LIGHTNING_URL: `fake:?seed=${seed}`,
      SECRET_KEY: '5e'.repeat(32),
      BOOTSTRAP_SECRET_KEY: newKeyText('secret_api'),
      BACKUP_DIR: backups,
      BACKUP_INTERVAL_SECONDS: '0',
      PROOF_INTERVAL_SECONDS: '0',
      RATE_LIMIT_PER_SECOND: '0',
      PAYMENT_WAIT_SECONDS: '1',
    };
    let service: ServiceProcess | undefined;
    const command = async (...args: string[]) => {
      const { code, output, stdout } = await runSatchel(args, settings);
      expect(code, output).toBe(0);
      return stdout;
    };
    try {
      const load = new Load(seed);
      service = await startProcess(settings);
      await load.prepare(service.client);
      const running = load.run(service.client);
      await delay(1_000 + draw(2_000));
      const safe = [...load.known.transfers.keys()];
      if (hasBackup) await command('backup');
      await delay(BACKUP_AGE_MS + draw(2_000));
      await service.kill();
      load.stop();
      await running;

      settings = { ...settings, DATABASE_URL: await urls() };
      if (hasBackup) {
        const manifest = readdirSync(backups).find((name) => name.endsWith('.json')) ?? '';
        await command('restore', 'run', join(backups, manifest));
      } else {
        await command('restore', 'empty');
        const refused = await startProcess(settings).catch(String);
        settings = { ...settings, TAKE_OVER_FROM_LEDGER: /TAKE_OVER_FROM_LEDGER=(lnd_\w+)/.exec(String(refused))?.[1] ?? '' };
      }
      // While the records are read back, invoices are paid that the restored ledger may not have.
      for (let kills = draw(MAX_KILLS + 1); kills >= 0; kills--) {
        service = await startProcess(settings);
        const { client } = service;
        for (const text of load.unpaid.splice(0, 3)) client.post('/playground/pay', { payment_request: text }).catch(() => undefined);
        if (hasBackup) expect(await load.pay(client, WALLETS)).toEqual({ status: 503, type: 'restored' });
        await delay(draw(1_500));
        if (kills > 0) await service.kill();
      }
      const { client } = service;
      const status = (): Promise<Restore> => client.get('/v1/operator/restore');
      await vi.waitUntil(async () => (await status()).read_back.status === 'complete', WAIT);
      for (const hash of load.known.hanging) {
        const action = draw(2) === 0 ? 'settle' : 'cancel';
        // A payment that never reached the node is not decided.
        await client.request('POST', `/playground/hold/${hash}`, { key: client.secretKey, json: { action } });
      }
      await vi.waitUntil(async () => (await status()).reconciliation.status === 'agrees', WAIT);
      const report = await status();
      await command('restore', 'accept', '--reason', 'a test', '--yes');
      const url = settings.DATABASE_URL ?? '';
      const database = await openDatabase(url, { withoutLock: true, log: silentLog, readOnly: true });
      // A payment that was pending in the backup and never reached the node stays so: nothing proves that the node has not forgotten it.
      await vi.waitUntil(async () => {
        const pending = new Set((await database.all(listPending)).map(({ payment_hash }) => payment_hash));
        return !(await outsidePayments(client)).some(({ payment_hash }) => pending.has(payment_hash));
      }, WAIT);
      const outside = await outsidePayments(client);
      await service.stop();

      const net = netOf(outside, load.known);
      const rows = await database.all(listWallets);
      const transfers = await database.all(listTransfers);
      const balances = await database.snapshot(async (tx) => {
        const found = new Map<number, number>();
        for await (const page of allAccounts(tx)) for (const { id, balanceMsat } of page) found.set(id, balanceMsat);
        return found;
      });
      await database.close();
      const inside = (account: number) =>
        transfers.reduce(
          (sum, one) => sum + (one.to_account === account ? one.amount_msat : one.from_account === account ? -one.amount_msat : 0),
          0,
        );
      const found = rows.map((row) => [row.id, (balances.get(row.ledger_account) ?? 0) - inside(row.ledger_account) - row.shortfall_msat]);
      const expected = rows.map(({ id }) => [id, net.get(id) ?? 0]);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
      expect([...net.keys()].filter((id) => !rows.some((row) => row.id === id))).toEqual([]);

      const received = outside.filter(({ direction, state }) => direction === 'received' && state === 'succeeded');
      expect(new Set(received.map(({ payment_hash }) => payment_hash)).size).toBe(received.length);
      const memos = new Set(transfers.map(({ memo }) => memo));
      if (hasBackup) expect(safe.filter((memo) => !memos.has(memo))).toEqual([]);
      else expect(memos.size).toBe(0);
      // Times of the report are whole seconds.
      const outOfWindow = [...load.known.transfers].filter(
        ([memo, atMs]) =>
          !memos.has(memo) && (atMs < 1000 * (report.lost_from ?? 0) - 1000 || atMs > 1000 * (report.lost_until ?? 0) + 1000),
      );
      expect(outOfWindow).toEqual([]);
      expect(report.not_recovered.join()).toContain('Idempotency-Keys');
      expect((await runVerify(settings)).code).toBe(0);
    } finally {
      await service?.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
