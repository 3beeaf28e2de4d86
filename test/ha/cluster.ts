import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { startBalancer } from '../support/balancer.ts';
import { freePort } from '../support/free-port.ts';
import { systemUser } from '../support/standby-postgres.ts';
import { controlOf } from '../support/waiting-postgres.ts';

/*
 * Three servers of PostgreSQL with Patroni, three of etcd, and HAProxy, on loopback, with the files of ops/ha.
 *
 *   const cluster = await startHaCluster();
 *   const leader = await cluster.untilHealthy();
 *   leader.kill();                              // the machine is lost
 *   leader.start();                             // it is back
 *   leader.freeze(); leader.thaw();
 *   leader.etcd.freeze(leader.etcdPort);        // a partition from etcd; see balancer.ts
 *   leader.link.freeze(leader.port);            // its standbys get nothing
 *   cluster.stop();
 */

const BIN_DIR = process.env.POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
const PROGRAMS = {
  patroni: process.env.PATRONI ?? '/usr/bin/patroni',
  patronictl: process.env.PATRONICTL ?? '/usr/bin/patronictl',
  etcd: process.env.ETCD ?? '/usr/bin/etcd',
  haproxy: process.env.HAPROXY ?? '/usr/sbin/haproxy',
  postgres: join(BIN_DIR, 'postgres'),
};

/** The program without which the tests are skipped, if any. */
export const missing = Object.values(PROGRAMS).find((file) => !existsSync(file));

export function versions(): string {
  if (missing) return `not installed: ${missing}`;
  const first = (file: string, flag: string) =>
    execFileSync(file, [flag])
      .toString()
      .split('\n')[0]
      ?.replace(/ \d{4}\/.*| \(.*/, '');
  const { patroni, etcd, haproxy, postgres } = PROGRAMS;
  return [first(patroni, '--version'), first(etcd, '--version'), first(haproxy, '-v'), first(postgres, '--version')].join(', ');
}

const PASSWORD = 'a-password';
const NAMES = ['one', 'two', 'three'] as const;
const TEMPLATES = join(import.meta.dirname, '../../ops/ha');
/** Ends a test that hangs; nothing is measured with it. */
const WAIT = { timeout: 180_000, interval: 200 };

export type HaCluster = Awaited<ReturnType<typeof startHaCluster>>;
export type Member = HaCluster['members'][number];

export async function startHaCluster() {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-ha-'));
  const user = systemUser();
  const own = (path: string) => user.uid !== undefined && chownSync(path, user.uid, user.gid);
  own(folder);
  const closing: (() => void)[] = [];
  function stop(): void {
    for (const close of closing.splice(0)) close();
    // Also what Patroni has started. A process that starts another one meanwhile is found the next time.
    for (let found = true; found; ) {
      found = false;
      for (const pid of processesIn(folder)) {
        signal([pid], 'SIGKILL');
        found = true;
      }
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  // Nothing stays if the test process ends earlier.
  process.once('exit', stop);
  try {
    return await start();
  } catch (error) {
    stop();
    throw error;
  }

  async function configure(template: string, name: string, values: Record<string, string | number>): Promise<string> {
    const text = (await readFile(join(TEMPLATES, template), 'utf8')).replace(/^\s*#.*$/gm, '');
    const filled = text.replace(/\$\{(\w+)\}/g, (_, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`${template} needs ${key}`);
      return String(value);
    });
    const file = join(folder, `${name}-${template}`);
    await writeFile(file, filled, { mode: 0o600 });
    own(file);
    return file;
  }

  /** Starts a program in a folder of its own, by which its processes are found. */
  function run(name: string, command: string, args: string[]): ChildProcess {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn(command, args, { cwd: join(folder, name), stdio: ['ignore', log, log], ...user });
    closeSync(log);
    return child;
  }
  async function newFolder(name: string): Promise<string> {
    await mkdir(join(folder, name), { mode: 0o700 });
    own(join(folder, name));
    return join(folder, name);
  }

  async function startMember(name: string, etcdPort: number, port: number, rest: number) {
    const home = await newFolder(name);
    const [etcd, link] = [await startBalancer(etcdPort), await startBalancer(port)];
    closing.push(etcd.close, link.close);
    const config = await configure('patroni.yml', name, {
      ...{ NAME: name, ADDRESS: '127.0.0.1', NETWORK: '127.0.0.1/32', REST_PORT: rest, PORT: port, CONNECT_PORT: link.port },
      ...{ ETCD: `127.0.0.1:${etcd.port}`, PASSWORD, BIN_DIR },
      ...{ DATA_DIR: join(home, 'data'), PGPASS: join(home, 'pgpass'), SOCKETS: home },
    });
    const isIn = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${rest}/${path}`, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
      return response?.status === 200;
    };
    const member = {
      ...{ name, port, rest, etcd, etcdPort, link, config, isIn },
      control: controlOf(`postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`),
      start: () => run(name, PROGRAMS.patroni, [config]),
      /** Ends Patroni and its server as a lost machine. */
      kill(): void {
        // First all are stopped, so that none of them reacts to the end of another.
        signal(processesIn(home), 'SIGSTOP');
        signal(processesIn(home), 'SIGKILL');
      },
      /** Stops Patroni and its server, or only the server. */
      freeze: (which: 'all' | 'server' = 'all') => signal(which === 'all' ? processesIn(home) : processesIn(join(home, 'data')), 'SIGSTOP'),
      thaw: () => signal(processesIn(home), 'SIGCONT'),
    };
    member.start();
    return member;
  }

  async function start() {
    const ports = await Promise.all(Array.from({ length: 13 }, freePort));
    const next = () => ports.pop() ?? 0;
    const etcds = NAMES.map((name) => ({ name: `etcd-${name}`, client: next(), peer: next() }));
    const peers = etcds.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(',');
    for (const { name, client, peer } of etcds) {
      const home = await newFolder(name);
      const values = { NAME: name, DATA_DIR: join(home, 'data'), ADDRESS: '127.0.0.1', CLIENT_PORT: client, PEER_PORT: peer, PEERS: peers };
      run(name, PROGRAMS.etcd, ['--config-file', await configure('etcd.yml', name, values), '--logger', 'zap', '--log-level', 'error']);
    }
    // Patroni 3.0 ends if it starts before etcd has agreed on its version.
    const isDecided = async (client: number) => {
      const response = await fetch(`http://127.0.0.1:${client}/version`).catch(() => undefined);
      return /"etcdcluster":"\d/.test((await response?.text()) ?? '');
    };
    for (const { client } of etcds) await vi.waitUntil(() => isDecided(client), WAIT);
    const members: Awaited<ReturnType<typeof startMember>>[] = [];
    for (const [index, name] of NAMES.entries()) {
      members.push(await startMember(name, etcds[index]?.client ?? 0, next(), next()));
    }
    const [one, two, three] = members.map((member) => [`127.0.0.1:${member.port}`, member.rest] as const);
    if (!one || !two || !three) throw new Error('there are three members');
    const port = next();
    await newFolder('haproxy');
    const values = { PORT: port, ONE: one[0], TWO: two[0], THREE: three[0], ONE_REST: one[1], TWO_REST: two[1], THREE_REST: three[1] };
    run('haproxy', PROGRAMS.haproxy, ['-db', '-f', await configure('haproxy.cfg', 'main', values)]);

    async function leader(): Promise<(typeof members)[number] | undefined> {
      for (const member of members) if (await member.isIn('primary')) return member;
      return undefined;
    }
    /** Waits until all three servers are back: a primary, a synchronous standby, and another one. */
    async function untilHealthy(): Promise<(typeof members)[number]> {
      let found: (typeof members)[number] | undefined;
      const isHealthy = async () => {
        found = await leader();
        if (!found) return false;
        const others = members.filter((member) => member !== found);
        if (!(await Promise.all(others.map((member) => member.isIn('synchronous')))).includes(true)) return false;
        if (!(await Promise.all(others.map((member) => member.isIn('replica')))).every(Boolean)) return false;
        const streaming = await found.control.run(`SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'`).catch(() => []);
        return streaming.length === 2 && streaming.some(({ sync_state }) => sync_state === 'sync');
      };
      await vi.waitUntil(isHealthy, WAIT);
      if (!found) throw new Error('there is no primary');
      return found;
    }
    await untilHealthy();
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
    const isBalanced = () =>
      controlOf(url)
        .run('SELECT 1')
        .then(
          () => true,
          () => false,
        );
    await vi.waitUntil(isBalanced, WAIT);
    return {
      url,
      folder,
      members,
      leader,
      untilHealthy,
      async switchOver(): Promise<void> {
        const [member] = members;
        if (!member) return;
        // It fails while Patroni has not recorded the standby.
        const attempt = () =>
          promisify(execFile)(PROGRAMS.patronictl, ['-c', member.config, 'switchover', 'satchel', '--force'], {
            env: { ...process.env, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' },
          });
        await attempt();
      },
      stop,
    };
  }
}

/** Returns the processes that work in a folder, or in one below it. */
function processesIn(folder: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const cwd = readlinkSync(`/proc/${name}/cwd`);
      if (cwd !== folder && !cwd.startsWith(`${folder}/`)) return [];
      // A zombie has ended.
      return / Z /.test(readFileSync(`/proc/${name}/stat`, 'utf8')) ? [] : [Number(name)];
    } catch {
      return [];
    }
  });
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}
