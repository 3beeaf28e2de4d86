import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { SteppedTime } from '../../devnet/fake/time.ts';
import type { Satchel } from '../../src/app.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import type { Client, TestWallet } from '../support/client.ts';
import { problemsOf, silentLog } from '../support/ledger.ts';
import { startOnDatabase } from '../support/service-on-database.ts';
import { type Cluster, startCluster } from '../support/standby-postgres.ts';
import { CUTS } from '../support/waiting-postgres.ts';

const FAILOVERS = Number(process.env.FAILOVERS ?? 20);
/** How often the waits of all commits are cut short before each failover. */
const CUTS_EACH = 3;

/**
 * Each failover loses what the standby did not have: the standby gets nothing more, the waits of commits are cut short, and then the primary is
 * killed. The service, under load, must not have confirmed or sent anything of it.
 */
describe('a failover of PostgreSQL to a synchronous standby that is promoted by hand', () => {
  const net = new FakeNetwork({ seed: 'failover', time: new SteppedTime() });
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-failover-'));
  let cluster: Cluster;
  let satchel: Satchel;
  let client: Client;

  beforeAll(async () => {
    cluster = await startCluster();
    const settings = { DATA_DIR: dataDir, DATABASE_URL: cluster.url, PAYMENT_WAIT_SECONDS: '1' };
    ({ satchel, client } = await startOnDatabase(net, settings));
  });
  afterAll(async () => {
    await satchel?.close();
    await cluster?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Memos of transfers and ids of payments that were confirmed. */
  const confirmed = { transfers: new Set<string>(), payments: new Set<string>() };
  /** The payment hashes of the invoices that the load pays. */
  const invoices = new Set<string>();
  let isOver = false;
  let sent = 0;

  async function transferRepeatedly(from: TestWallet, to: TestWallet): Promise<void> {
    while (!isOver) {
      const memo = `transfer ${++sent}`;
      const json = { dest_wallet_id: to.id, num_satoshis: 1, memo };
      const { status } = await client
        .request('POST', `/v1/wallet/${from.id}/transfer`, { key: from.admin, json })
        .catch(() => ({ status: 0 }));
      if (status === 201) confirmed.transfers.add(memo);
      else await delay(20);
    }
  }

  async function payRepeatedly(from: TestWallet): Promise<void> {
    while (!isOver) {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 1_000 });
      invoices.add(paymentHash);
      const json = { payment_request: paymentRequest };
      const response = await client.request('POST', `/v1/wallet/${from.id}/withdraw`, { key: from.admin, json }).catch(() => undefined);
      if (response?.status === 201 || response?.status === 202) confirmed.payments.add(response.body.lnTx.id);
      else await delay(20);
    }
  }

  /** Returns what was confirmed or has left the node, and is not in the database of the present primary. */
  async function lost(): Promise<string[]> {
    const { run } = cluster.primary();
    // The sets before the rows: what is confirmed meanwhile is not compared.
    const [transfers, payments] = [[...confirmed.transfers], [...confirmed.payments]];
    const hashes = net.outside.payments().flatMap(({ paymentHash }) => (invoices.has(paymentHash) ? paymentHash : []));
    const stored = async (sql: string) => new Set((await run(sql)).flatMap((row) => Object.values(row)));
    const [memos, ids, known] = [
      await stored('SELECT DISTINCT memo FROM ledger_transfer'),
      await stored('SELECT id FROM payment'),
      await stored('SELECT payment_hash FROM payment'),
    ];
    return [
      ...transfers.filter((memo) => !memos.has(memo)),
      ...payments.filter((id) => !ids.has(id)).map((id) => `payment ${id}`),
      ...hashes.filter((hash) => !known.has(hash)).map((hash) => `payment of ${hash}, which has left the node`),
    ];
  }

  it(`B7: forgets nothing that was confirmed or sent to the node, in ${FAILOVERS} failovers`, async () => {
    const [from, to, paying] = [await client.wallet(1_000_000), await client.wallet(), await client.wallet(1_000_000)];
    const load = [
      ...Array.from({ length: 4 }, () => transferRepeatedly(from, to)),
      ...Array.from({ length: 3 }, () => payRepeatedly(paying)),
    ];
    const progress = async () => {
      const [transfers, payments] = [confirmed.transfers.size, confirmed.payments.size];
      await expect.poll(() => Math.min(confirmed.transfers.size - transfers, confirmed.payments.size - payments)).toBeGreaterThan(3);
    };
    for (let failover = 0; failover < FAILOVERS; failover++) {
      await progress();
      cluster.stall();
      for (let cut = 0; cut < CUTS_EACH; cut++) {
        await cluster.primary().untilWaiting();
        await cluster.primary().cut(CUTS[failover % CUTS.length] ?? 'kill -9');
        // The service has time to confirm.
        await delay(100);
      }
      await cluster.failOver();
      await progress();
      expect(await lost(), `failover ${failover + 1}`).toEqual([]);
      await cluster.addStandby();
    }
    isOver = true;
    await Promise.all(load);
    expect(await lost()).toEqual([]);
    // A job that was interrupted three times in a row may have raised an alert, too.
    const alerts = () => cluster.primary().run(`SELECT DISTINCT kind FROM alert WHERE kind <> 'job_failing'`);
    await expect.poll(alerts).toEqual([{ kind: 'replication_broken' }]);
    const database = await openDatabase(cluster.url, { log: silentLog, readOnly: true });
    expect(await problemsOf(database)).toEqual([]);
    await database.close();
  }, 900_000);
});
