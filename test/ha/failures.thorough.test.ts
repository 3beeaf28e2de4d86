import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { realTime } from '../../devnet/fake/time.ts';
import { type Satchel, startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { type Client, clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { problemsOf, silentLog } from '../support/ledger.ts';
import { SQL_CUTS } from '../support/waiting-postgres.ts';
import { type HaCluster, type Member, missing, startHaCluster, versions } from './cluster.ts';
import { Load } from './load.ts';

/** `npm run test:ha` tries each failure as often as the first number says, other runs as often as the second. */
const times = (full: number, otherwise: number) => (process.env.HA === 'full' ? full : otherwise);
const KILLS = times(10, 1);
const FREEZES = times(2, 0);
const SWITCHOVERS = times(3, 1);
const PARTITIONS = times(1, 0);
const UPGRADES = times(1, 1);

const CALLERS = 64;
const PAUSE_MS = Number(process.env.HA_PAUSE_MS ?? 400);
/** How often the waits of all commits are cut short before a kill. */
const CUTS_EACH = 3;
/** Patroni 3.0.2 and older may promote a frozen primary again, without what was confirmed meanwhile. */
const keepsLeader = () => /Patroni (?!0|[12]\.|3\.0\.[0-2]\b)/i.test(versions());
/** A freeze is longer than the lease of the primary. */
const FREEZE_MS = 30_000;
/** Ends a test that hangs. Times are recorded, and no test depends on them. */
const HANGS = { timeout: 180_000 };
const LIMIT = 1_500_000;

describe.skipIf(missing)(`a cluster (${versions()}) under load`, () => {
  const net = new FakeNetwork({ seed: 'ha', time: realTime });
  const key = newKeyText('secret_api');
  const instances: { readonly port: number; satchel: Satchel | undefined }[] = [];
  const report: string[] = [];
  /** Why instances could not go on. */
  const failed: string[] = [];
  let dataDir: string;
  let cluster: HaCluster;
  let clients: Client[];
  let load: Load;

  async function startInstance(index: number): Promise<void> {
    const instance = instances[index];
    if (!instance) return;
    const { port } = instance;
    const config = readConfig({
      DATA_DIR: join(dataDir, String(index)),
      DATABASE_URL: cluster.url,
      PORT: String(port),
      LOG_LEVEL: 'silent',
      BOOTSTRAP_SECRET_KEY: key,
      SECRET_KEY: '5e'.repeat(32),
      LIGHTNING_URL: 'fake:',
      PAYMENT_WAIT_SECONDS: '2',
      ADDRESS_RATE_LIMIT_PER_SECOND: '0',
    });
    const satchel = await startSatchel(config, { openDatabase, openNode: async () => ({ node: net.connect(), playground: net.control }) });
    await satchel.server.listen({ host: '127.0.0.1', port });
    void satchel.failed.then((error) => error && failed.push(error.message));
    instance.satchel = satchel;
  }

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'satchel-ha-data-'));
    cluster = await startHaCluster();
    for (let i = 0; i < 2; i++) {
      instances.push({ port: await freePort(), satchel: undefined });
      await startInstance(i);
    }
    clients = instances.map(({ port, satchel }) => clientOf(`http://127.0.0.1:${port}`, key, satchel?.newKeys?.publicKey ?? ''));
    const [client] = clients;
    if (!client) throw new Error('there is no instance');
    const to = await client.wallet();
    const from = await Promise.all(Array.from({ length: 8 }, () => client.wallet(1_000_000)));
    load = new Load({ clients, net, callers: CALLERS, pauseMs: PAUSE_MS });
    load.start(from, to);
  }, 300_000);

  afterAll(async () => {
    await Promise.race([load?.stop(), delay(30_000)]);
    await Promise.race([Promise.all(instances.map(({ satchel }) => satchel?.close())), delay(60_000)]);
    cluster?.stop();
    rmSync(dataDir, { recursive: true, force: true });
    if (report.length > 0) process.stdout.write(`\nLongest time without service, in seconds:\n${report.join('\n')}\n`);
  }, 180_000);

  function record(line: string): void {
    report.push(line);
    if (process.env.HA_REPORT) appendFileSync(process.env.HA_REPORT, `${line}\n`);
  }

  /** Waits until callers are served. */
  async function progress(): Promise<void> {
    const { transfers, payments } = load.confirmed;
    await expect.poll(() => load.confirmed.transfers, HANGS).toBeGreaterThan(transfers + 50);
    await expect.poll(() => load.confirmed.payments, HANGS).toBeGreaterThan(payments + 10);
  }

  /** Causes a failure and repairs it. Meanwhile the service continues, and forgets nothing. */
  async function survive(name: string, failure: (leader: Member) => Promise<() => unknown>): Promise<void> {
    const leader = await cluster.untilHealthy();
    await progress();
    load.longestGap();
    const repair = await failure(leader);
    await progress();
    await repair();
    const next = await cluster.untilHealthy();
    await progress();
    record(`${name}: ${load.longestGap()} (${leader.name} → ${next.name})`);
    expect(await load.problems(next.control), name).toEqual([]);
    expect(load.rejected).toEqual([]);
    expect(failed).toEqual([]);
  }

  it.runIf(SWITCHOVERS > 0)(`B7: loses nothing in a planned switchover, ${SWITCHOVERS} times`, { timeout: LIMIT }, async () => {
    for (let i = 0; i < SWITCHOVERS; i++) {
      await survive(`switchover ${i + 1}`, async (leader) => {
        await cluster.switchOver();
        return async () => expect.poll(() => leader.isIn('replica'), HANGS).toBe(true);
      });
    }
  });

  it.runIf(PARTITIONS > 0)(`B7: loses nothing when the primary is cut off from etcd, ${PARTITIONS} times`, { timeout: LIMIT }, async () => {
    for (let i = 0; i < PARTITIONS; i++) {
      await survive(`partition ${i + 1}`, async (leader) => {
        leader.etcd.freeze(leader.etcdPort);
        await expect.poll(() => cluster.leader(), HANGS).not.toBe(leader);
        await expect.poll(() => cluster.leader(), HANGS).toBeDefined();
        return () => {
          leader.etcd.thaw(leader.etcdPort);
          leader.etcd.dropAll();
        };
      });
    }
  });

  it.runIf(UPGRADES > 0)('B7: loses nothing when both instances are restarted in turn', { timeout: LIMIT }, async () => {
    await survive('both instances restarted in turn', async () => {
      for (const [index, instance] of instances.entries()) {
        await instance.satchel?.close();
        await startInstance(index);
        await progress();
      }
      return () => undefined;
    });
  });

  it.runIf(FREEZES > 0 && !missing && keepsLeader())(
    `B7: loses nothing when the primary is frozen, ${FREEZES} times, and uses it as a standby later`,
    { timeout: LIMIT },
    async () => {
      for (let i = 0; i < FREEZES; i++) {
        await survive(`freeze ${i + 1}`, async (leader) => {
          leader.freeze();
          await delay(FREEZE_MS);
          leader.thaw();
          return async () => expect.poll(() => leader.isIn('replica'), HANGS).toBe(true);
        });
      }
    },
  );

  it.runIf(KILLS > 0)(`B7: loses nothing when the primary is killed, ${KILLS} times`, { timeout: LIMIT }, async () => {
    for (let i = 0; i < KILLS; i++) {
      const cut = [undefined, ...SQL_CUTS][(KILLS - 1 - i) % 3];
      await survive(`kill ${i + 1}${cut ? ` after ${cut}` : ''}`, async (leader) => {
        if (cut) {
          // The standbys get nothing more. What the primary has from now on is lost.
          leader.link.freeze(leader.port);
          for (let n = 0; n < CUTS_EACH; n++) {
            await leader.control.untilWaiting();
            await leader.control.cut(cut);
            // The service has time to confirm.
            await delay(200);
          }
        }
        leader.kill();
        // What is on its way to the standbys is lost, too.
        leader.link.dropAll();
        leader.link.thaw(leader.port);
        return () => leader.start();
      });
    }
  });

  it('B7: has an exact ledger in the end', { timeout: LIMIT }, async () => {
    await load.stop();
    const leader = await cluster.untilHealthy();
    expect(await load.problems(leader.control)).toEqual([]);
    const { transfers, payments } = load.confirmed;
    record(`${transfers} transfers and ${payments} payments were confirmed`);
    const database = await openDatabase(cluster.url, { log: silentLog, readOnly: true });
    expect(await problemsOf(database)).toEqual([]);
    await database.close();
  });
});
