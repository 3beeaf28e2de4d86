import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { freePort } from './free-port.ts';
import { type Cluster, startSwitch, systemUser } from './standby-postgres.ts';
import { controlOf } from './waiting-postgres.ts';

/*
 * The same as `startCluster` with Patroni, in strict synchronous mode: two servers and a third voter of Raft. Needs Patroni with its Raft
 * extra (`pip install 'patroni[raft]' psycopg2-binary`) and a PostgreSQL with `pg_basebackup`:
 *
 *   PATRONI_BIN=/opt/patroni/bin POSTGRES_BIN=/usr/lib/postgresql/17/bin npx vitest run failover
 */

const { PATRONI_BIN = '', POSTGRES_BIN = '' } = process.env;

/** Why the tests are skipped; undefined if all is installed. */
export const patroniMissing = [join(PATRONI_BIN, 'patroni'), join(POSTGRES_BIN, 'pg_basebackup')].find((file) => !existsSync(file));

interface Member {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly rest: number;
  /** Leads to its server, for the standby. */
  readonly link: Awaited<ReturnType<typeof startSwitch>>;
  process: ChildProcess;
}

export async function startPatroni(): Promise<Cluster> {
  const user = systemUser();
  const folder = await mkdtemp(join(tmpdir(), 'satchel-patroni-'));
  const own = (path: string) => user.uid !== undefined && chownSync(path, user.uid, user.gid);
  own(folder);
  const raft = [await freePort(), await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
  const start = (command: string, name: string) =>
    spawn(join(PATRONI_BIN, command), [join(folder, `${name}.yml`)], { stdio: 'ignore', cwd: folder, ...user });

  async function configure(name: string, index: number, settings: object): Promise<void> {
    await mkdir(join(folder, `raft-${name}`));
    own(join(folder, `raft-${name}`));
    const self = {
      self_addr: raft[index],
      partner_addrs: raft.filter((_, other) => other !== index),
      data_dir: join(folder, `raft-${name}`),
    };
    // JSON is YAML.
    await writeFile(join(folder, `${name}.yml`), JSON.stringify({ scope: 'test', name, raft: self, ...settings }));
    own(join(folder, `${name}.yml`));
  }

  async function startMember(name: string, index: number): Promise<Member> {
    const [port, rest] = [await freePort(), await freePort()];
    const link = await startSwitch(port);
    const login = { username: 'postgres', password: 'postgres' };
    await configure(name, index, {
      restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
      bootstrap: {
        dcs: {
          ttl: 20,
          loop_wait: 1,
          retry_timeout: 3,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: { use_pg_rewind: false },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { 'wal-segsize': '1' }],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${link.port}`,
        data_dir: join(folder, name),
        bin_dir: POSTGRES_BIN,
        pgpass: join(folder, `pgpass-${name}`),
        authentication: { superuser: login, replication: { username: 'replicator', password: 'postgres' } },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: { fsync: 'off', max_connections: 200, unix_socket_directories: folder },
        remove_data_directory_on_diverged_timelines: true,
      },
    });
    return { name, folder: join(folder, name), port, rest, link, process: start('patroni', name) };
  }

  async function isIn(role: 'primary' | 'synchronous', { rest }: Member): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${rest}/${role}`).catch(() => undefined))?.status === 200;
  }
  async function untilLeader(among: readonly Member[]): Promise<Member> {
    for (;;) {
      for (const member of among) {
        if (await isIn('primary', member)) return member;
        if (member.process.exitCode !== null) throw new Error(`Patroni has ended (exit code ${member.process.exitCode})`);
      }
      await delay(100);
    }
  }
  const control = (member: Member) => controlOf(`postgres://postgres@127.0.0.1:${member.port}/postgres`);
  /** Patroni promotes only a standby that it has recorded as synchronous. */
  async function untilSynchronous(): Promise<void> {
    const standbys = members.filter((member) => member !== leader);
    const recorded = async () => (await Promise.all(standbys.map((one) => isIn('synchronous', one)))).includes(true);
    await vi.waitUntil(recorded, { timeout: 120_000, interval: 100 });
  }
  /** Ends Patroni and its server as a lost machine. */
  async function kill(member: Member): Promise<void> {
    const ended = once(member.process, 'exit');
    member.process.kill('SIGKILL');
    await ended;
    const file = join(member.folder, 'postmaster.pid');
    if (!existsSync(file)) return;
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => !existsSync(`/proc/${pid}`), { timeout: 30_000, interval: 20 });
  }

  await configure('voter', 2, {});
  const voter = start('patroni_raft_controller', 'voter');
  const members = [await startMember('one', 0), await startMember('two', 1)];
  let leader = await untilLeader(members);
  await untilSynchronous();
  const service = await startSwitch(leader.port);

  return {
    url: `postgres://postgres@127.0.0.1:${service.port}/postgres`,
    primary: () => control(leader),
    stall: () => leader.link.pause(),
    async failOver() {
      const old = leader;
      await kill(old);
      leader = await untilLeader(members.filter((member) => member !== old));
      service.leadTo(leader.port);
      old.link.resume();
      // In strict mode, commits of the promoted server wait until the other one is back as its standby.
      old.process = start('patroni', old.name);
      await untilSynchronous();
    },
    addStandby: async () => undefined,
    async stop() {
      service.close();
      for (const member of members) {
        await kill(member);
        member.link.close();
      }
      voter.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** The version of Patroni, for the title of the tests. */
export function patroniVersion(): string {
  return patroniMissing ? `not installed: ${patroniMissing}` : execFileSync(join(PATRONI_BIN, 'patroni'), ['--version']).toString().trim();
}
