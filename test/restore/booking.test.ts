import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { insertAccount } from '../../src/core/accounts/accounts.sql.ts';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { LightningNode, PaymentOutcome, SentPayment } from '../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { beginQuarantine } from '../../src/core/quarantine/quarantine.ts';
import { type ReadBackProgress, readProgress } from '../../src/features/restore/progress.ts';
import { type ReadBackModules, readBack } from '../../src/features/restore/read-back.ts';
import { onBothDatabases, problemsOf, silentLog, testDeposit } from '../support/ledger.ts';
import { connectionsTo, createModules, draftOf, NODE_ID, nameNode, sagaOf, settlementOf } from '../support/modules.ts';

const NOW_MS = 1_700_000_000_000;
const NOW = NOW_MS / 1000;
const stateOf = statement<{ state: string }>('test_state', 'SELECT state FROM payment WHERE id = $1');

/** A restored service with a wallet of 100,000 msat, and what its node has. */
async function restoredOn(database: Database, { isEmpty = false } = {}) {
  const sent: SentPayment[] = [];
  const outcomes = new Map<string, PaymentOutcome>();
  const clock = { ms: NOW_MS, nowMs: () => clock.ms };
  const node: Partial<LightningNode> & { lateRequestMs: number } = {
    lateRequestMs: 0,
    readSettlements: async () => ({ records: [] }),
    readSentPayments: async () => ({ records: sent }),
    lookupPayment: async ({ paymentId }) => outcomes.get(paymentId),
    createInvoice: async ({ preimage }) => ({ paymentRequest: `lnbcrt${preimage}` }),
    settlementFinality: async () => ({ state: 'final' }),
    pay: () => new Promise<never>(() => undefined),
  };
  await nameNode(database);
  const connections = connectionsTo(database, node as LightningNode);
  const create = () => createModules({ database, connections, clock });
  // A service reads once that there is no quarantine, so another one starts after the restore.
  let modules = create();
  const { ledger, wallets } = modules;
  const accountId = `acc_${newId()}`;
  await database.transaction((tx) => tx.run(insertAccount, accountId, NOW));
  const { wallet } = await wallets.create(accountId, 'test');
  await ledger.post({ transfers: [testDeposit(wallet.ledgerAccount, 100_000)] });
  async function restore(): Promise<void> {
    await database.transaction((tx) => beginQuarantine(tx, { backupCreatedAt: isEmpty ? 0 : NOW - 100, restoredAt: NOW }));
    modules = create();
  }
  return {
    get invoices() {
      return modules.invoices;
    },
    get payments() {
      return modules.payments;
    },
    get deps() {
      return modules.deps;
    },
    wallets,
    wallet,
    clock,
    node,
    outcomes,
    sent,
    restore,
    /** Adds a payment to the records of the node. */
    record(
      outcome: 'succeeded' | 'failed' | 'pending',
      { hash, preimage = randomBytes(32).toString('hex') }: { hash?: string; preimage?: string } = {},
    ) {
      const [paymentId, paymentHash] = [`lntx_${newId()}`, hash ?? paymentHashOf(preimage)];
      const marker = modules.deps.markers.sealPayment({ walletId: wallet.id, paymentId, paymentHash });
      const outcomesOf = {
        succeeded: { state: 'succeeded', preimage, feeMsat: msat(7) },
        failed: { state: 'failed', reason: 'NO_ROUTE' },
        pending: { state: 'pending' },
      } as const;
      sent.push({ marker, paymentHash, amountMsat: msat(5_000), outcome: outcomesOf[outcome], createdAt: NOW });
      outcomes.set(paymentId, outcomesOf[outcome]);
      return paymentId;
    },
    async readBack(): Promise<ReadBackProgress | undefined> {
      const read: ReadBackModules = { ...modules.deps, payments: modules.payments, database, log: silentLog };
      await readBack(read, connections.of(NODE_ID), new AbortController().signal);
      return readProgress(database, NODE_ID);
    },
    async start(paymentHash: string): Promise<string> {
      const payment = { ...draftOf(wallet, 5_000), paymentHash };
      await sagaOf(modules.deps).start({ payment, reserveMsat: msat(100) });
      return payment.id;
    },
    balance: async () => (await ledger.balance(wallet.ledgerAccount)).balanceMsat,
    state: async (id: string) => (await database.first(stateOf, id))?.state,
  };
}

onBothDatabases('a payment of the node’s records', (open) => {
  it('takes the place of a pending one of the same hash, which the lost ledger had ended', async () => {
    const database = await open();
    const service = await restoredOn(database);
    const preimage = randomBytes(32).toString('hex');
    const earlier = await service.start(paymentHashOf(preimage));
    await service.restore();
    const later = service.record('succeeded', { preimage });
    expect(await service.readBack()).toMatchObject({ state: 'complete', error: null });
    expect([await service.state(earlier), await service.state(later), await service.balance()]).toEqual(['failed', 'succeeded', 94_993]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it.each(['pending', 'succeeded'] as const)(
    'is reported and not booked while the node has an earlier one of its hash as %s',
    async (state) => {
      const database = await open();
      const service = await restoredOn(database);
      const preimage = randomBytes(32).toString('hex');
      const earlier = await service.start(paymentHashOf(preimage));
      await service.restore();
      service.outcomes.set(earlier, state === 'pending' ? { state } : { state, preimage, feeMsat: msat(1) });
      const later = service.record('succeeded', { preimage });
      expect(await service.readBack()).toMatchObject({
        state: 'running',
        error: expect.stringContaining(`its payment hash belongs to ${earlier}`),
      });
      expect([await service.state(earlier), await service.state(later)]).toEqual(['pending', undefined]);
      expect(await problemsOf(database)).toEqual([]);
    },
  );

  it('is read again when the lost service can no longer send, because a late request may have added one', async () => {
    const database = await open();
    const service = await restoredOn(database);
    await service.restore();
    service.node.lateRequestMs = 300_000;
    const failed = service.record('failed');
    expect(await service.readBack()).toMatchObject({ state: 'running', step: 'late_payments', error: null });
    const late = service.record('succeeded');
    service.clock.ms += 299_999;
    expect(await service.readBack()).toMatchObject({ state: 'running' });
    expect(await service.state(late)).toBeUndefined();
    service.clock.ms += 1;
    expect(await service.readBack()).toMatchObject({ state: 'complete' });
    expect([await service.state(failed), await service.state(late), await service.balance()]).toEqual([undefined, 'succeeded', 94_993]);
  });

  it('that proves nothing, because its preimage is another one, stays pending with its money held', async () => {
    const database = await open();
    const service = await restoredOn(database);
    await service.restore();
    const id = service.record('succeeded', { hash: 'ab'.repeat(32) });
    expect(await service.readBack()).toMatchObject({ state: 'running', error: expect.stringContaining('preimage') });
    expect([await service.state(id), await service.balance()]).toEqual(['pending', 100_000]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('corrects one that the backup has as failed and the node as succeeded', async () => {
    const database = await open();
    const service = await restoredOn(database);
    const preimage = randomBytes(32).toString('hex');
    const payment = { ...draftOf(service.wallet, 5_000), paymentHash: paymentHashOf(preimage) };
    const saga = sagaOf(service.deps);
    await saga.start({ payment, reserveMsat: msat(100) });
    await saga.conclude(payment, { state: 'failed', reason: 'NO_ROUTE' });
    await service.restore();
    const marker = service.deps.markers.sealPayment({
      walletId: service.wallet.id,
      paymentId: payment.id,
      paymentHash: payment.paymentHash,
    });
    const outcome = { state: 'succeeded', preimage, feeMsat: msat(7) } as const;
    service.sent.push({ marker, paymentHash: payment.paymentHash, amountMsat: msat(5_000), outcome, createdAt: NOW });
    for (let times = 0; times < 2; times++) await service.readBack();
    expect([await service.state(payment.id), await service.balance()]).toEqual(['succeeded', 94_993]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('raises no alert when the node reports it before it is read back', async () => {
    const database = await open();
    const service = await restoredOn(database);
    await service.restore();
    const id = service.record('succeeded');
    await service.payments.reportOutcome(id, service.outcomes.get(id) as PaymentOutcome);
    expect(await createAlerts(database, systemClock, silentLog).listOpen()).toEqual([]);
  });
});

onBothDatabases('a receipt that the ledger has lost', (open) => {
  it('is not credited by a preimage that belongs to another payment hash', async () => {
    const database = await open();
    const service = await restoredOn(database);
    const preimage = service.deps.markers.choosePreimage(service.wallet.id);
    const settlement = { type: 'settlement', position: '1', preimage, keysend: false, customRecords: {}, settledAt: NOW } as const;
    await service.invoices.settle({ ...settlement, paymentHash: 'cd'.repeat(32), amountMsat: msat(9) });
    expect(await service.balance()).toBe(100_000);
    await service.invoices.settle({ ...settlement, paymentHash: paymentHashOf(preimage), amountMsat: msat(9) });
    expect(await service.balance()).toBe(100_009);
  });

  it('is credited to a lost wallet that a keysend names, if it arrived before the restore', async () => {
    const database = await open();
    const service = await restoredOn(database);
    await service.restore();
    const lost = [`wal_${newId()}`, `wal_${newId()}`] as const;
    for (const [index, id] of lost.entries()) {
      const preimage = randomBytes(32).toString('hex');
      const customRecords = { '696969': Buffer.from(id).toString('hex') };
      const settlement = {
        type: 'settlement',
        position: String(index),
        preimage,
        keysend: true,
        customRecords,
        amountMsat: msat(9),
      } as const;
      await service.invoices.settle({ ...settlement, paymentHash: paymentHashOf(preimage), settledAt: NOW + index });
    }
    const found = await service.wallets.findMany(lost);
    expect(found.map(({ id }) => id)).toEqual([lost[0]]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('is credited although it arrives after the restore was accepted', async () => {
    const database = await open();
    const service = await restoredOn(database);
    const invoice = await service.invoices.create({
      wallet: service.wallet,
      amountMsat: msat(9),
      memo: '',
      expirySeconds: 60,
      wtxType: 'ln_deposit',
    });
    await database.transaction((tx) => tx.run(forget, invoice.id));
    await service.invoices.settle(settlementOf(invoice, 9));
    expect(await service.balance()).toBe(100_009);
    expect(await problemsOf(database)).toEqual([]);
  });
});

const forget = statement('test_forget_invoice', 'DELETE FROM invoice WHERE id = $1');

onBothDatabases('the read-back of an empty ledger', (open) => {
  it('does not end while no record of the node can be read with the SECRET_KEY', async () => {
    const service = await restoredOn(await open(), { isEmpty: true });
    await service.restore();
    const outcome = { state: 'succeeded', preimage: 'ab'.repeat(32), feeMsat: msat(1) } as const;
    service.sent.push({ marker: 'ab'.repeat(70), paymentHash: 'cd'.repeat(32), amountMsat: msat(1), outcome, createdAt: NOW });
    expect(await service.readBack()).toMatchObject({ state: 'running', error: expect.stringContaining('with this SECRET_KEY') });
  });
});
