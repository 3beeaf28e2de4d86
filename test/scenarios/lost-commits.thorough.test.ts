import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { SteppedTime } from '../../devnet/fake/time.ts';
import type { Satchel } from '../../src/app.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import type { Client } from '../support/client.ts';
import { problemsOf, silentLog } from '../support/ledger.ts';
import { startOnDatabase } from '../support/service-on-database.ts';
import { type Cluster, startCluster } from '../support/standby-postgres.ts';

const WAIT = { timeout: 150_000 };

/** The standby is not synchronous: what it has not got is confirmed, and lost in a failover. */
describe('a failover of PostgreSQL to a standby that lacks confirmed commits', () => {
  const net = new FakeNetwork({ seed: 'lost commits', time: new SteppedTime() });
  const key = newKeyText('secret_api');
  const running: Satchel[] = [];
  let dataDir: string;
  let cluster: Cluster;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'satchel-lost-commits-'));
    cluster = await startCluster();
  });
  const stop = () => Promise.all(running.splice(0).map((satchel) => satchel.close()));
  afterEach(stop);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(name: string): Promise<{ satchel: Satchel; client: Client }> {
    const settings = { DATA_DIR: join(dataDir, name), DATABASE_URL: cluster.url, SECRET_KEY: '5e'.repeat(32) };
    const started = await startOnDatabase(net, { ...settings, BOOTSTRAP_SECRET_KEY: key });
    running.push(started.satchel);
    return started;
  }

  async function makeAsynchronous(): Promise<void> {
    const { run } = cluster.primary();
    await run(`ALTER SYSTEM SET synchronous_standby_names = ''`);
    await run('SELECT pg_reload_conf()');
    await expect.poll(async () => (await run('SHOW synchronous_standby_names'))[0], WAIT).toEqual({ synchronous_standby_names: '' });
  }

  /** Waits until the standby has everything. */
  async function untilReplicated(): Promise<void> {
    const behind = 'SELECT 1 AS one FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()';
    await expect.poll(async () => (await cluster.primary().run(behind)).length, WAIT).toBe(1);
  }

  it('B7: ends every instance, sends nothing in quarantine, and reads back from the node what was lost', async () => {
    await makeAsynchronous();
    const [one, two] = [await start('one'), await start('two')];
    const [payer, receiver, received] = [await one.client.wallet(10_000), await one.client.wallet(1_000), await one.client.wallet()];
    await untilReplicated();
    cluster.stall();
    // All of it is confirmed, and the standby gets nothing of it.
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 2_000_000 });
    const paid = await one.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
      key: payer.admin,
      json: { payment_request: paymentRequest },
    });
    expect(paid.status).toBe(201);
    const fund = { wallet_id: received.id, num_satoshis: 500 };
    expect((await one.client.request('POST', '/playground/fund', { key, json: fund })).status).toBe(200);
    const json = { dest_wallet_id: receiver.id, num_satoshis: 300 };
    expect((await one.client.request('POST', `/v1/wallet/${payer.id}/transfer`, { key: payer.admin, json })).status).toBe(201);

    await cluster.failOver();
    expect((await one.satchel.failed)?.name).toBe('DatabaseWentBack');
    // The other instance has confirmed nothing of it. It finds the quarantine.
    expect((await two.satchel.failed)?.name).toBe('DatabaseWentBack');
    const again = { key: payer.admin, json: { payment_request: net.outside.invoice({ amountMsat: 1_000 }).paymentRequest } };
    const refused = await two.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, again);
    expect([refused.status, refused.body.type]).toEqual([503, 'restored']);
    await stop();

    const { client } = await start('one');
    const restore = async () => (await client.request('GET', '/v1/operator/restore', { key })).body;
    await expect.poll(async () => (await restore()).read_back.nodes[0].read_payments, WAIT).toBeGreaterThan(0);
    const { quarantined, lost_from, lost_until } = await restore();
    expect(quarantined).toBe(true);
    expect(lost_from).toBeLessThanOrEqual(lost_until);
    const balance = async (id: string) => (await client.get(`/v1/wallet/${id}`)).balance;
    // The transfer is lost, and everything that the node knows is back.
    await expect.poll(() => balance(payer.id), WAIT).toBe(8_000);
    await expect.poll(() => balance(received.id), WAIT).toBe(500);
    expect(await balance(receiver.id)).toBe(1_000);
    expect(net.outside.payments().filter((payment) => payment.paymentHash === paymentHash)).toHaveLength(1);
    await stop();
    const database = await openDatabase(cluster.url, { log: silentLog, readOnly: true });
    expect(await problemsOf(database)).toEqual([]);
    await database.close();
  }, 180_000);
});
