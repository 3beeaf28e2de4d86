import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { startRelay } from '../../devnet/relay.ts';
import { readConfig } from '../../src/config.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { findAction, requestAction } from '../../src/features/operator/actions.ts';
import { lastEpoch } from '../../src/features/proof/proof.sql.ts';
import { findReconciliation, requestReconciliation } from '../../src/features/reconcile/requests.ts';
import { backgroundJobs } from '../../src/jobs.ts';
import { createModules } from '../../src/modules.ts';
import { newBrowser, startPushService } from '../push/browser.ts';
import { RateSource } from '../rates/rate-source.ts';
import { onBothDatabases, problemsOf, testDeposit } from '../support/ledger.ts';

const OPERATOR = { requestedBy: 'bob@desk', reason: 'a test' };
const PENDING_SAT = 500;
const RATE = '60000.12';
const countArriving = statement<{ n: number }>('test_arriving', 'SELECT count(*) AS n FROM arriving_payment');
const endHolds = statement('test_end_holds', "UPDATE invoice SET held_until = held_at WHERE state = 'held'");

/** The modules of the service with a wallet, and the warnings that they log. */
async function serviceOn(opened: Database) {
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-jobs-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const warnings: string[] = [];
  const lines = new Writable({
    write(line, _encoding, done) {
      warnings.push(String(line));
      done();
    },
  });
  const relay = await startRelay();
  onTestFinished(() => relay.stop());
  const source = await RateSource.start(RATE);
  onTestFinished(() => source.close());
  const secretKey = newKeyText('secret_api');
  const settings = {
    DATA_DIR: dataDir,
    BOOTSTRAP_SECRET_KEY: secretKey,
    NWC_RELAYS: relay.url,
    FIAT_RATES: source.entry,
    FIAT_CURRENCIES: 'EUR',
    OUTBOUND_ALLOW: '127.0.0.1',
    PROOF_INTERVAL_SECONDS: '1',
    BACKUP_INTERVAL_SECONDS: '3600',
  };
  const config = readConfig(settings);
  const net = new FakeNetwork({ seed: 'jobs' });
  const modules = await createModules({
    config,
    log: pino({ level: 'warn', base: null }, lines),
    database: opened,
    opened: [{ node: net.connect() }],
  });
  const { wallet } = await modules.wallets.create(modules.newKeys?.accountId ?? '', 'test');
  return { config, net, modules, wallet, warnings, relay, secretKey };
}

onBothDatabases('each background job of the service', (open) => {
  const pushService = startPushService();

  it('runs without an error and does its work', async () => {
    const database = await open();
    const { config, net, modules, wallet, warnings, relay, secretKey } = await serviceOn(database);
    const { ledger, invoices, payments, connections } = modules;
    const [{ nodeId } = { nodeId: '' }] = connections.all;
    await ledger.post({ transfers: [testDeposit(wallet.ledgerAccount, 2000 * PENDING_SAT)] });
    const held = net.outside.invoice({ amountMsat: 1000 * PENDING_SAT, script: { hold: true } });
    const invoice = payments.readInvoice(held.paymentRequest);
    await payments.payInvoice({ wallet, invoice, feeLimitMsat: msat(1000), wtxType: 'ln_withdrawal' });
    const order = { wallet, amountMsat: msat(7000), memo: '', expirySeconds: 3600, wtxType: 'ln_deposit' } as const;
    const { paymentRequest, id: invoiceId } = await invoices.create(order);
    const arriving = await invoices.create(order);
    const hold = await invoices.create({ ...order, hold: { paymentHash: randomBytes(32).toString('hex') } });
    const by = await modules.accounts.find(secretKey);
    if (!by) throw new Error('the account has a key');
    const browser = { ...(await newBrowser()), endpoint: pushService.url('/browser'), language: 'en', userAgent: '' };
    await modules.push.subscriptions.add(by, browser);
    const app = { permissions: ['wallet_read'], key: { label: 'app' } } as const;
    await modules.nwcConnections.create(by, { accountId: by.accountId, walletId: wallet.id }, app, () => []);
    const line = {
      kind: 'invoice',
      amountMsat: msat(9000),
      memo: undefined,
      message: undefined,
      feeLimitMsat: undefined,
      passThru: undefined,
    } as const;
    const lines = [{ ...line, destination: net.outside.invoice({ amountMsat: 9000 }).paymentRequest }];
    const payout = await modules.payouts.create({ wallet, key: by, guards: [], userLabel: '', lines }, () => []);
    const drain = { kind: 'drain', subject: nodeId, target: '', ...OPERATOR } as const;
    const action = await database.transaction((tx) => requestAction(tx, drain, 1));
    const reconciliation = await database.transaction((tx) => requestReconciliation(tx, 'full', 1, OPERATOR));

    let backups = 0;
    /** Whether jobs have done their work: those that run until their signal aborts, and the one that reads rates. */
    const isDone: Record<string, () => Promise<boolean>> = {
      [`events of ${nodeId}`]: async () =>
        (await invoices.find(invoiceId))?.state === 'settled' && (await database.first(countArriving))?.n === 1,
      [`arriving payments of ${nodeId}`]: async () => {
        net.endSettlement(arriving.paymentHash, 'final');
        return (await invoices.find(arriving.id))?.state === 'settled';
      },
      [`hold invoices of ${nodeId}`]: async () => {
        // The time to decide is over as soon as the payment is held.
        await database.transaction((tx) => tx.run(endHolds));
        const isReturned = net.outside.payments().some(({ paymentHash, state }) => paymentHash === hold.paymentHash && state === 'failed');
        return (await invoices.find(hold.id))?.state === 'canceled' && isReturned;
      },
      'operator actions': async () => (await findAction(database, action.id))?.state === 'done',
      payouts: async () => {
        const { paidMsat, finishedAt } = await modules.payouts.find(wallet, payout.id);
        return paidMsat === 9000 && finishedAt !== null;
      },
      'push notifications': async () => pushService.got.length > 0,
      'connected apps': async () => relay.events.some(({ kind }) => kind === 13_194),
      reconciliation: async () => (await findReconciliation(database, reconciliation))?.status === 'done',
      backups: async () => backups === 1,
      'fiat rates': async () => (await modules.rates.list())[0]?.rate?.rate === RATE,
      'proofs of liabilities': async () => (await database.first(lastEpoch)) !== undefined,
    };
    const jobs = backgroundJobs(modules, config, {
      probe: { againMs: 1, arrivalMs: 1 },
      arriving: { roundMs: 20, alertEvery: 2, waitSeconds: () => 0 },
      holds: { roundMs: 20, heldEvery: 1 },
      payouts: { pollMs: 10, retryMs: 20 },
      pollMs: 10,
      runBackup: async () => void backups++,
    });
    const observed = jobs.filter(({ name, interval }) => interval === 'continuous' || name === 'fiat rates');
    expect(observed.map(({ name }) => name)).toEqual(Object.keys(isDone));

    const ending = new AbortController();
    const running: Promise<void>[] = [];
    await net.outside.pay({ paymentRequest });
    await net.outside.pay({ paymentRequest: hold.paymentRequest });
    const paid = net.outside.pay({ paymentRequest: arriving.paymentRequest, after: { end: 'final' } });
    // One after the other, because a reconciliation would report a settlement whose event has not been read.
    for (const job of jobs) {
      const run = job.run(ending.signal);
      const done = isDone[job.name];
      if (!done) await run;
      else {
        running.push(run);
        await expect.poll(done, { message: job.name }).toBe(true);
      }
    }
    ending.abort();
    await Promise.all([paid, ...running]);
    await payments.stop();
    await ledger.drain();
    await connections.close();
    expect(warnings).toEqual([]);
    expect(await problemsOf(database)).toEqual([]);
  });
});
