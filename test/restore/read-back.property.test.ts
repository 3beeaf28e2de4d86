import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { insertAccount } from '../../src/core/accounts/accounts.sql.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { LightningNode, PaymentOutcome, SentPayment, Settlement } from '../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import { beginQuarantine } from '../../src/core/quarantine/quarantine.ts';
import { readProgress } from '../../src/features/restore/progress.ts';
import { readBack } from '../../src/features/restore/read-back.ts';
import { type Fault, faulty } from '../support/faulty-database.ts';
import { onBothDatabases, problemsOf, silentLog, testDeposit } from '../support/ledger.ts';
import { connectionsTo, createModules, NODE_ID, nameNode } from '../support/modules.ts';

const NOW_MS = 1_700_000_000_000;
const KNOWN = 3;
const WALLETS = 5;

const receipt = fc.record({
  type: fc.constant('receipt' as const),
  wallet: fc.nat({ max: WALLETS - 1 }),
  amountMsat: fc.integer({ min: 1, max: 50_000 }),
  finality: fc.constantFrom('final', 'final', 'unknown', 'failed'),
  /** Whether the backup has its invoice. */
  hasInvoice: fc.boolean(),
});
const payment = fc.record({
  type: fc.constant('payment' as const),
  wallet: fc.nat({ max: WALLETS - 1 }),
  amountMsat: fc.integer({ min: 1, max: 50_000 }),
  feeMsat: fc.integer({ min: 0, max: 10_000 }),
  outcome: fc.constantFrom('succeeded', 'succeeded', 'failed', 'pending'),
  /** How it ends if it is in flight. */
  end: fc.constantFrom('succeeded', 'failed'),
});
const foreign = fc.record({ type: fc.constant('foreign' as const), marker: fc.constantFrom(undefined, '00', 'ab'.repeat(70)) });
const fault = fc.oneof(
  fc.record({ statement: fc.integer({ min: 1, max: 80 }), fails: fc.constantFrom('before', 'after', 'by the database') }),
  fc.record({ commit: fc.integer({ min: 1, max: 20 }), fails: fc.constantFrom('refused', 'written, unknown', 'not written, unknown') }),
) as fc.Arbitrary<Fault>;
/** An interruption of the read-back: at a call of the node, or by failures of the database. */
const interruption = fc.record({
  atCall: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  faults: fc.array(fault, { maxLength: 3 }),
});

const SCENARIO = fc.record({
  balances: fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: KNOWN, maxLength: KNOWN }),
  records: fc.array(fc.oneof({ weight: 4, arbitrary: receipt }, { weight: 4, arbitrary: payment }, foreign), { maxLength: 14 }),
  pageSize: fc.integer({ min: 1, max: 5 }),
  interruptions: fc.array(interruption, { maxLength: 4 }),
});

type Scenario = typeof SCENARIO extends fc.Arbitrary<infer T> ? T : never;

const shortfallOf = statement<{ n: number }>(
  'test_shortfall',
  'SELECT CAST(coalesce(sum(shortfall_msat), 0) AS BIGINT) AS n FROM payment WHERE wallet_id = $1',
);
/** Payments that still have a shortfall that they did not need. */
const unneeded = statement<{ id: string }>(
  'test_unneeded_shortfall',
  `SELECT id FROM payment WHERE shortfall_msat > CASE WHEN state = 'succeeded' THEN amount_msat + fee_msat ELSE 0 END`,
);
const findAccountOf = statement<{ ledger_account: number }>('test_ledger_account', 'SELECT ledger_account FROM wallet WHERE id = $1');
const countCredits = statement<{ n: number }>('test_credits', 'SELECT count(*) AS n FROM settlement');

function page<T>(records: readonly T[], { cursor = '0' }: RecordQuery, size: number): RecordPage<T> {
  const start = Number(cursor);
  const found = records.slice(start, start + size);
  return { records: found, ...(found.length > 0 && { next: String(start + found.length) }) };
}

onBothDatabases('the ledger after a read-back', (open, dialect) => {
  let healthy: Database;

  async function runScenario({ balances, records, pageSize, interruptions }: Scenario): Promise<void> {
    const database = faulty(healthy);
    const settlements: Settlement[] = [];
    const sent: SentPayment[] = [];
    const outcomes = new Map<string, PaymentOutcome>();
    const finality = new Map<string, string>();
    let [calls, failsAtCall] = [0, Number.POSITIVE_INFINITY];
    const stopping = { current: new AbortController() };
    const called = async <T>(result: T): Promise<T> => {
      calls += 1;
      if (calls === failsAtCall) stopping.current.abort();
      return result;
    };
    const node: Partial<LightningNode> = {
      readSettlements: (query) => called(page(settlements, query, pageSize)),
      readSentPayments: (query) => called(page(sent, query, pageSize)),
      settlementFinality: async ({ paymentHash }) => ({ state: (finality.get(paymentHash) ?? 'final') as 'final' }),
      lookupPayment: async ({ paymentId }) => outcomes.get(paymentId),
      createInvoice: async ({ preimage }) => ({ paymentRequest: `lnbcrt${preimage}` }),
    };
    const connections = connectionsTo(healthy, node as LightningNode);
    const modules = createModules({ database, connections, clock: { nowMs: () => NOW_MS } });
    const { ledger, invoices, wallets, deps } = modules;
    const accountId = `acc_${newId()}`;
    await healthy.transaction((tx) => tx.run(insertAccount, accountId, NOW_MS / 1000));
    const ids: string[] = [];
    for (const balance of balances) {
      const { wallet } = await wallets.create(accountId, 'test');
      if (balance > 0) await ledger.post({ transfers: [testDeposit(wallet.ledgerAccount, balance)] });
      ids.push(wallet.id);
    }
    while (ids.length < WALLETS) ids.push(`wal_${newId()}`);

    // The node's records, and what they mean: the slow twin.
    const twin = Array.from({ length: WALLETS }, (_, index) => balances[index] ?? 0);
    const afterwards: (() => void)[] = [];
    const add = (wallet: number, amountMsat: number) => {
      twin[wallet] = (twin[wallet] ?? 0) + amountMsat;
    };
    for (const record of records) {
      if (record.type === 'receipt') {
        const { wallet, amountMsat, hasInvoice } = record;
        const known = hasInvoice && wallet < KNOWN ? await wallets.find(ids[wallet] ?? '') : undefined;
        const order = { amountMsat: undefined, memo: '', expirySeconds: 3600, wtxType: 'ln_deposit' } as const;
        const invoice = known && (await invoices.create({ wallet: known, ...order }));
        const preimage = invoice?.preimage ?? deps.markers.choosePreimage(ids[wallet] ?? '');
        const paymentHash = paymentHashOf(preimage);
        const common = { type: 'settlement', position: String(settlements.length), keysend: false, customRecords: {} } as const;
        settlements.push({ ...common, paymentHash, preimage, amountMsat: msat(amountMsat), settledAt: NOW_MS / 1000 });
        finality.set(paymentHash, record.finality);
        if (record.finality === 'final') add(wallet, amountMsat);
      } else if (record.type === 'payment') {
        const { wallet, amountMsat, feeMsat } = record;
        const paymentId = `lntx_${newId()}`;
        const preimage = randomBytes(32).toString('hex');
        const paymentHash = paymentHashOf(preimage);
        const ends = (state: string): PaymentOutcome => {
          if (state === 'succeeded') return { state, preimage, feeMsat: msat(feeMsat) };
          return state === 'failed' ? { state, reason: 'NO_ROUTE' } : { state: 'pending' };
        };
        const marker = deps.markers.sealPayment({ walletId: ids[wallet] ?? '', paymentId, paymentHash });
        sent.push({ marker, paymentHash, amountMsat: msat(amountMsat), outcome: ends(record.outcome), createdAt: NOW_MS / 1000 });
        outcomes.set(paymentId, ends(record.outcome));
        const last = record.outcome === 'pending' ? record.end : record.outcome;
        afterwards.push(() => outcomes.set(paymentId, ends(last)));
        if (last === 'succeeded') add(wallet, -amountMsat - feeMsat);
      } else {
        const preimage = randomBytes(32).toString('hex');
        const paymentHash = createHash('sha256').update(preimage, 'hex').digest('hex');
        const outcome = { state: 'succeeded', preimage, feeMsat: msat(1) } as const;
        sent.push({ marker: record.marker, paymentHash, amountMsat: msat(5), outcome, createdAt: NOW_MS / 1000 });
      }
    }

    await healthy.transaction((tx) => beginQuarantine(tx, { backupCreatedAt: NOW_MS / 1000 - 100, restoredAt: NOW_MS / 1000 }));
    const connection = connections.of(NODE_ID);
    const run = () =>
      readBack({ ...deps, payments: modules.payments, database, log: silentLog }, connection, stopping.current.signal).catch(
        () => undefined,
      );
    // The node's events arrive at the same time, and in another order.
    const events = () => Promise.allSettled(settlements.toReversed().map((one) => invoices.settle(one)));
    for (const { atCall, faults } of interruptions) {
      [calls, failsAtCall] = [0, atCall ?? Number.POSITIVE_INFINITY];
      stopping.current = new AbortController();
      database.failAt(...faults);
      await Promise.all([run(), events()]);
    }
    [failsAtCall, stopping.current] = [Number.POSITIVE_INFINITY, new AbortController()];
    database.failAt();
    for (let tries = 0; tries < 3; tries++) await Promise.all([run(), events()]);
    expect(await readProgress(healthy, NODE_ID)).toMatchObject({ state: 'complete', error: null });
    for (const end of afterwards) end();
    await modules.payments.resumePending();

    for (const [index, id] of ids.entries()) {
      const account = (await healthy.first(findAccountOf, id))?.ledger_account;
      const balance = account === undefined ? undefined : await ledger.balance(account);
      const shortfallMsat = (await healthy.first(shortfallOf, id))?.n ?? 0;
      expect(balance?.heldMsat ?? 0).toBe(0);
      expect((balance?.balanceMsat ?? 0) - shortfallMsat).toBe(twin[index]);
    }
    expect((await healthy.first(countCredits))?.n).toBeGreaterThanOrEqual(
      records.filter((one) => one.type === 'receipt' && one.finality === 'final').length,
    );
    expect(await healthy.all(unneeded)).toEqual([]);
    expect(await problemsOf(healthy)).toEqual([]);
    await healthy.transaction((tx) => tx.run(endTestQuarantine));
  }

  it('is that of the node’s records, to the millisatoshi, however often it is interrupted', async () => {
    healthy = await open();
    await nameNode(healthy);
    await fc.assert(fc.asyncProperty(SCENARIO, runScenario), { numRuns: dialect === 'sqlite' ? 60 : 25, seed: 51 });
  });
});

const endTestQuarantine = statement('test_end_quarantine', "DELETE FROM service_fact WHERE name = 'restored'");
