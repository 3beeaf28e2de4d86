import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Database, Dialect } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { allAccounts } from '../../src/core/ledger/ledger.ts';
import type { Restore } from '../../src/features/restore/restore-object.ts';
import { freshUrls, silentLog } from '../support/ledger.ts';
import { processSettings, runSatchel, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';
import { drawsOf, type Known, LossyLoad, type Outside, type OutsideRecord, WALLETS } from './lossy-load.ts';

/** A node whose service loses its database, and the nodes around it. */
export interface FuzzedNode extends Outside {
  readonly lightningUrl: string;
  /** Returns what the node has in its channels, in msat, once it has no payment in flight. Absent: it does not report that. */
  balanceMsat?(): Promise<number>;
  /** Kills the node and starts it again. Absent: the node cannot be killed without the service. */
  kill?(): Promise<void>;
  /** What has arrived at the node, by payment hash, in msat. After a kill a payer may list as paid what has come back to it. */
  arrivedMsat?(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

export interface RestoreFuzz {
  /** The node's software, such as `LND`. */
  readonly software: string;
  /** Why the suite cannot run; undefined if it can. */
  readonly cannotRun?: string | undefined;
  /** The number of runs on both databases together. Those with an even seed are on SQLite. */
  readonly runs: number;
  readonly backupAgeMs: number;
  /** The pause of a customer between two requests. */
  readonly pauseMs: number;
  /** For how long a read-back and the reconciliation after it are waited for. */
  readonly waitMs: number;
  start(directory: string, seed: number): Promise<FuzzedNode>;
}

const FIRST_SEED = Number(process.env.RESTORE_FUZZ_SEED ?? 1);
const MAX_KILLS = 3;

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

/** What the nodes know. */
interface Truth {
  readonly records: readonly OutsideRecord[];
  readonly feesMsat: ReadonlyMap<string, number>;
  readonly arrivedMsat: ReadonlyMap<string, number> | undefined;
}

/** What each wallet has received from the network less what it has sent, in msat. */
function netOf({ records, feesMsat, arrivedMsat }: Truth, { invoices, payments }: Known): Map<string, number> {
  const net = new Map<string, number>();
  const add = (wallet: string, msat: number) => net.set(wallet, (net.get(wallet) ?? 0) + msat);
  for (const { direction, paymentHash, amountMsat, state, walletId } of records) {
    if (state !== 'succeeded') continue;
    const [receiver, payer] = [invoices.get(paymentHash) ?? walletId, payments.get(paymentHash) ?? walletId];
    if (direction === 'sent' && receiver !== undefined) add(receiver, arrivedMsat ? (arrivedMsat.get(paymentHash) ?? 0) : amountMsat);
    if (direction === 'received' && payer !== undefined) add(payer, -amountMsat - (feesMsat.get(paymentHash) ?? Number.NaN));
  }
  return net;
}

/** Destroys the database of a service under load, restores it, and compares each wallet with the records of the nodes. */
export function restoreFuzz(fuzz: RestoreFuzz): void {
  const seeds = Array.from({ length: fuzz.runs }, (_, index) => FIRST_SEED + index);
  const byDialect = Map.groupBy(seeds, (seed): Dialect => (seed % 2 === 0 ? 'sqlite' : 'postgres'));
  describe.each([...byDialect])(`%s: a database over ${fuzz.software} that is destroyed under load`, (dialect, own) => {
    const { cannotRun } = fuzz;
    if (cannotRun !== undefined) {
      it('is not tested', ({ skip }) => skip(cannotRun));
      return;
    }
    const urls = freshUrls(dialect);

    it.each(own)('has every millisatoshi that the node has seen, after a restore (seed %i)', { timeout: 3 * fuzz.waitMs }, async (seed) => {
      const folder = mkdtempSync(join(tmpdir(), 'satchel-restore-fuzz-'));
      let node: FuzzedNode | undefined;
      try {
        node = await fuzz.start(join(folder, 'network'), seed);
        await loseAndRestore({ ...fuzz, node, seed, folder, urls });
      } finally {
        await node?.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}

interface Loss extends RestoreFuzz {
  readonly node: FuzzedNode;
  readonly seed: number;
  readonly folder: string;
  urls(): Promise<string>;
}

async function loseAndRestore({ node, seed, folder, urls, ...fuzz }: Loss): Promise<void> {
  const draw = drawsOf(seed + 1_000_000);
  // Every fourth run has only the secret key.
  const hasBackup = seed % 8 > 1;
  // A machine that is lost may have both.
  const killsNode = draw(2) === 0 && node.kill !== undefined;
  const wait = { timeout: fuzz.waitMs, interval: 300 };
  const backups = join(folder, 'backups');
  let settings: Record<string, string> = {
    ...(await processSettings(folder, await urls())),
    LOG_LEVEL: 'error',
    LIGHTNING_URL: node.lightningUrl,
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
    const beforeMsat = await node.balanceMsat?.();
    const load = new LossyLoad({ outside: node, seed, pauseMs: fuzz.pauseMs });
    service = await startProcess(settings);
    await load.prepare(service.client);
    const running = load.run(service.client);
    await delay(1_000 + draw(2_000));
    const safe = [...load.known.transfers.keys()];
    if (hasBackup) await command('backup');
    await delay(fuzz.backupAgeMs + draw(2_000));
    await Promise.all([service.kill(), killsNode && node.kill?.()]);
    load.stop();
    await running;
    load.payOpenInvoices(service.client);

    settings = { ...settings, DATABASE_URL: await urls() };
    if (hasBackup) {
      const manifest = readdirSync(backups).find((name) => name.endsWith('.json')) ?? '';
      await command('restore', 'run', join(backups, manifest));
    } else {
      await command('restore', 'empty');
      settings = { ...settings, ...(await takeOver(settings)) };
    }
    // While the records are read back, invoices are paid that the restored ledger may not have.
    for (let kills = draw(MAX_KILLS + 1); kills >= 0; kills--) {
      service = await startProcess(settings);
      load.payOpenInvoices(service.client);
      if (hasBackup) expect(await load.pay(service.client, WALLETS)).toEqual({ status: 503, type: 'restored' });
      await delay(draw(1_500));
      if (kills > 0) await service.kill();
    }
    const { client } = service;
    const hanging = [...load.known.hanging];
    const decide = (hashes: readonly string[]) =>
      Promise.all(hashes.map((hash) => node.decide(client, hash, draw(2) === 0 ? 'settle' : 'cancel')));
    const status = (): Promise<Restore> => client.get('/v1/operator/restore');
    await decide(hanging.splice(0, hanging.length / 2));
    await vi.waitUntil(async () => (await status()).read_back.status === 'complete', wait);
    await decide(hanging);
    await vi.waitUntil(async () => (await status()).reconciliation.status !== 'waiting', wait);
    // A receipt that the reconciliation books before the node's own report is listed as missed. Another reconciliation finds nothing more.
    if ((await status()).reconciliation.status === 'differs') await command('reconcile');
    expect((await status()).reconciliation).toMatchObject({ status: 'agrees' });
    const report = await status();
    await command('restore', 'accept', '--reason', 'a test', '--yes');
    const url = settings.DATABASE_URL ?? '';
    const database = await openDatabase(url, { withoutLock: true, log: silentLog, readOnly: true });
    // A payment that was pending in the backup and never reached the node stays so: nothing proves that the node has not forgotten it.
    await vi.waitUntil(async () => {
      const pending = (await database.all(listPending)).map(({ payment_hash }) => payment_hash);
      const ended = await node.ended?.();
      const received = new Set((await node.records(client)).map(({ paymentHash }) => paymentHash));
      return !pending.some((hash) => received.has(hash) || ended?.has(hash));
    }, wait);
    const records = await node.records(client);
    const feesMsat = await node.feesMsat();
    const arrivedMsat = killsNode ? await node.arrivedMsat?.() : undefined;
    await service.stop();

    const net = netOf({ records, feesMsat, arrivedMsat }, load.known);
    const { wallets, memos } = await readLedger(database);
    await database.close();
    expect(Object.fromEntries(wallets)).toEqual(Object.fromEntries(Array.from(wallets, ([id]) => [id, net.get(id) ?? 0])));
    expect([...net.keys()].filter((id) => !wallets.has(id))).toEqual([]);
    // The channels prove the fees and that the records are complete.
    const netMsat = [...net.values()].reduce((sum, msat) => sum + msat, 0);
    if (node.balanceMsat) expect((await node.balanceMsat()) - (beforeMsat ?? 0)).toBe(netMsat);

    const received = records.filter(({ direction, state }) => direction === 'received' && state === 'succeeded');
    expect(new Set(received.map(({ paymentHash }) => paymentHash)).size).toBe(received.length);
    if (hasBackup) expect(safe.filter((memo) => !memos.has(memo))).toEqual([]);
    else expect(memos.size).toBe(0);
    // Times of the report are whole seconds.
    const outOfWindow = [...load.known.transfers].filter(
      ([memo, atMs]) => !memos.has(memo) && (atMs < 1000 * (report.lost_from ?? 0) - 1000 || atMs > 1000 * (report.lost_until ?? 0) + 1000),
    );
    expect(outOfWindow).toEqual([]);
    expect(report.not_recovered.join()).toContain('Idempotency-Keys');
    expect((await runVerify(settings)).code).toBe(0);
    const count = (direction: OutsideRecord['direction']) =>
      records.filter((one) => one.direction === direction && one.state === 'succeeded').length;
    const figures = {
      database: settings.DATABASE_URL?.startsWith('postgres') ? 'PostgreSQL' : 'SQLite',
      from: hasBackup ? 'a backup' : 'the secret key',
      killed: killsNode ? 'service and node' : 'service',
      wallets: wallets.size,
      paidByOthers: count('sent'),
      arrived: arrivedMsat?.size,
      payments: count('received'),
      feesMsat: received.reduce((sum, { paymentHash }) => sum + (feesMsat.get(paymentHash) ?? 0), 0),
      lostTransfers: [...load.known.transfers.keys()].filter((memo) => !memos.has(memo)).length,
      shortfallMsat: report.shortfalls.num_msat,
      netMsat,
    };
    console.log(`${fuzz.software}, seed ${seed}: ${JSON.stringify(figures)}`);
  } finally {
    await service?.kill();
  }
}

/** Returns what each wallet has from and to the network, in msat, without what the operator bears; and the transfers that are not lost. */
async function readLedger(database: Database): Promise<{ wallets: Map<string, number>; memos: Set<string> }> {
  const transfers = await database.all(listTransfers);
  const balances = await database.snapshot(async (tx) => {
    const found = new Map<number, number>();
    for await (const page of allAccounts(tx)) for (const { id, balanceMsat } of page) found.set(id, balanceMsat);
    return found;
  });
  for (const { from_account: from, to_account: to, amount_msat: amount } of transfers) {
    balances.set(from, (balances.get(from) ?? 0) + amount);
    balances.set(to, (balances.get(to) ?? 0) - amount);
  }
  const rows = await database.all(listWallets);
  const wallets = new Map(rows.map((row) => [row.id, (balances.get(row.ledger_account) ?? 0) - row.shortfall_msat]));
  return { wallets, memos: new Set(transfers.map(({ memo }) => memo)) };
}

/** Returns the setting with which an empty ledger may use the node. A node that stores its owner names it at the start; LND stores none. */
async function takeOver(settings: Record<string, string>): Promise<Record<string, string>> {
  const started = await startProcess(settings).catch(String);
  if (typeof started !== 'string') {
    await started.kill();
    return {};
  }
  return { TAKE_OVER_FROM_LEDGER: /TAKE_OVER_FROM_LEDGER=(lnd_\w+)/.exec(started)?.[1] ?? '' };
}
