import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Satchel, startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { freshUrls, problemsOf, silentLog } from '../support/ledger.ts';
import { systemUser } from '../support/standby-postgres.ts';

const PGBOUNCER = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';
const isMissing = !existsSync(PGBOUNCER);
const version = isMissing ? 'not installed' : execFileSync(PGBOUNCER, ['--version']).toString().split('\n')[0];

describe.skipIf(isMissing)(`a pooler in front of PostgreSQL (${version})`, () => {
  const urls = freshUrls('postgres');
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** Starts PgBouncer without any setting for the service. Returns its URL. */
  async function startPooler(mode: string, more: Record<string, string> = {}): Promise<string> {
    const url = new URL(await urls());
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'satchel-pooler-'));
    const [user, password] = [url.username, url.password];
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: join(folder, 'users.txt'),
      pool_mode: mode,
      default_pool_size: 40,
      ...more,
    };
    await writeFile(join(folder, 'users.txt'), `"${user}" "${password}"\n`);
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    await writeFile(
      join(folder, 'pgbouncer.ini'),
      `[databases]\n* = host=${url.hostname} port=${url.port}\n[pgbouncer]\n${lines.join('\n')}\n`,
    );
    const owner = systemUser();
    if (owner.uid !== undefined) for (const file of ['', 'users.txt', 'pgbouncer.ini']) chownSync(join(folder, file), owner.uid, owner.gid);
    const child: ChildProcess = spawn(PGBOUNCER, ['-q', join(folder, 'pgbouncer.ini')], { stdio: 'ignore', cwd: folder, ...owner });
    ends.push(async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    });
    url.port = String(port);
    const responds = async () => {
      const client = new pg.Client({ connectionString: url.href });
      client.on('error', () => undefined);
      await client.connect();
      await client.end();
      return true;
    };
    await vi.waitUntil(() => responds().catch(() => false), { timeout: 150_000, interval: 20 });
    return url.href;
  }

  it.each([
    ['transaction', {}],
    ['transaction', { server_round_robin: '1', min_pool_size: '5' }],
    ['statement', {}],
  ])('is refused in %s mode, with the remedy (%j)', async (mode, more) => {
    const url = await startPooler(mode, more);
    for (const readOnly of [false, true])
      await expect(openDatabase(url, { log: silentLog, readOnly })).rejects.toThrow(
        /pooler in transaction or statement mode.*Set pool_mode = session/s,
      );
  });

  it('works in session mode, with the settings of the service on each connection', async () => {
    const url = await startPooler('session');
    const database = await openDatabase(url, { log: silentLog });
    const show = statement<{ value: string }>('test_setting', 'SELECT current_setting($1) AS value');
    const settings = { statement_timeout: '30s', idle_in_transaction_session_timeout: '4s', enable_seqscan: 'off' };
    for (const [name, value] of Object.entries(settings)) expect(await database.first(show, name)).toEqual({ value });
    await database.close();
    // A pooler reuses its connections. The settings of the service must not reach those who only read, and theirs not the service.
    const reader = await openDatabase(url, { log: silentLog, readOnly: true });
    expect(await reader.first(show, 'enable_seqscan')).toEqual({ value: 'on' });
    expect(await reader.first(show, 'default_transaction_read_only')).toEqual({ value: 'on' });
    await reader.close();

    const key = newKeyText('secret_api');
    const port = await freePort();
    const dataDir = await mkdtemp(join(tmpdir(), 'satchel-pooled-'));
    ends.push(() => rm(dataDir, { recursive: true, force: true }));
    const config = readConfig({
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      PORT: String(port),
      LOG_LEVEL: 'silent',
      BOOTSTRAP_SECRET_KEY: key,
      LIGHTNING_URL: 'fake:',
    });
    const satchel: Satchel = await startSatchel(config);
    ends.push(() => satchel.close());
    await satchel.server.listen({ host: '127.0.0.1', port });
    const client = clientOf(`http://127.0.0.1:${port}`, key, satchel.newKeys?.publicKey ?? '');
    const [from, to] = [await client.wallet(1000), await client.wallet()];
    const transfers = Array.from({ length: 50 }, () =>
      client.request('POST', `/v1/wallet/${from.id}/transfer`, { key: from.admin, json: { dest_wallet_id: to.id, num_satoshis: 1 } }),
    );
    for (const { status } of await Promise.all(transfers)) expect(status).toBe(201);
    expect((await client.get(`/v1/wallet/${to.id}`)).balance).toBe(50);
    const checked = await openDatabase(url, { log: silentLog, readOnly: true });
    expect(await problemsOf(checked)).toEqual([]);
    await checked.close();
  });
});
