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
import { onBothDatabases, problemsOf, testDeposit } from '../support/ledger.ts';

const OPERATOR = { requestedBy: 'bob@desk', reason: 'a test' };
const PENDING_SAT = 500;
const countArriving = statement<{ n: number }>('test_arriving', 'SELECT count(*) AS n FROM arriving_payment');

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
  const secretKey = newKeyText('secret_api');
  const settings = {
    DATA_DIR: dataDir,
    BOOTSTRAP_SECRET_KEY: secretKey,
    NWC_RELAYS: relay.url,
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
    const by = await modules.accounts.find(secretKey);
    if (!by) throw new Error('the account has a key');
    const app = { permissions: ['wallet_read'], key: { label: 'app' } } as const;
    await modules.nwcConnections.create(by, { accountId: by.accountId, walletId: wallet.id }, app, () => []);
    const drain = { kind: 'drain', subject: nodeId, target: '', ...OPERATOR } as const;
    const action = await database.transaction((tx) => requestAction(tx, drain, 1));
    const reconciliation = await database.transaction((tx) => requestReconciliation(tx, 'full', 1, OPERATOR));

    let backups = 0;
    /** Whether the jobs that run until their signal aborts have done their work. */
    const isDone: Record<string, () => Promise<boolean>> = {
      [`events of ${nodeId}`]: async () =>
        (await invoices.find(invoiceId))?.state === 'settled' && (await database.first(countArriving))?.n === 1,
      [`arriving payments of ${nodeId}`]: async () => {
        net.endSettlement(arriving.paymentHash, 'final');
        return (await invoices.find(arriving.id))?.state === 'settled';
      },
      'operator actions': async () => (await findAction(database, action.id))?.state === 'done',
      'connected apps': async () => relay.events.some(({ kind }) => kind === 13_194),
      reconciliation: async () => (await findReconciliation(database, reconciliation))?.status === 'done',
      backups: async () => backups === 1,
      'proofs of liabilities': async () => (await database.first(lastEpoch)) !== undefined,
    };
    const jobs = backgroundJobs(modules, config, {
      probe: { againMs: 1, arrivalMs: 1 },
      arriving: { roundMs: 20, alertEvery: 2, waitSeconds: () => 0 },
      pollMs: 10,
      runBackup: async () => void backups++,
    });
    expect(jobs.filter(({ interval }) => interval === 'continuous').map(({ name }) => name)).toEqual(Object.keys(isDone));

    const ending = new AbortController();
    const running: Promise<void>[] = [];
    await net.outside.pay({ paymentRequest });
    const paid = net.outside.pay({ paymentRequest: arriving.paymentRequest, after: { end: 'final' } });
    // One after the other, because a reconciliation would report a settlement whose event has not been read.
    for (const job of jobs) {
      const run = job.run(ending.signal);
      const done = isDone[job.name];
      if (!done) await run;
      else {
        running.push(run);
        await expect.poll(done, { timeout: 60_000, message: job.name }).toBe(true);
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
