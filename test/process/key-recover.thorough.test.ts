import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import type { Json } from '../support/client.ts';
import { freshUrls, MIGRATIONS, silentLog } from '../support/ledger.ts';
import { processSettings, runSatchel, type ServiceProcess, startProcess } from '../support/process.ts';

const countKeys = statement<{ n: number }>('test_count_keys', 'SELECT count(*) AS n FROM access_key');
const countTables = statement<{ n: number }>('test_count_tables', {
  sqlite: 'SELECT count(*) AS n FROM sqlite_schema',
  postgres: "SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'public'",
});

const newKey = (DATABASE_URL: string, ...args: string[]) => runSatchel(['key', 'recover', ...args], { DATABASE_URL });

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`satchel key recover (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const dataDir = mkdtempSync(join(tmpdir(), 'satchel-new-key-'));
    const running: { service?: ServiceProcess } = {};
    afterAll(async () => {
      await running.service?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('restores access to an account whose only key was rotated with the response lost, while the service runs', async () => {
      const settings = await processSettings(dataDir, await urls());
      const service = await startProcess(settings);
      running.service = service;
      const { client } = service;
      const wallet = await client.wallet();
      const [own]: Json[] = (await client.get('/v1/keys')).filter(({ kind }: Json) => kind === 'secret_api');
      const rotate = () =>
        client.request('POST', `/v1/keys/${own.id}/rotate`, { key: client.secretKey, headers: { 'idempotency-key': 'rotate once' } });
      const { id: lost, key: lostKey } = (await rotate()).body;
      // The key, and the replay with it, may still work for a second.
      await expect.poll(async () => (await rotate()).status).toBe(401);

      const { code, stdout, output } = await newKey(settings.DATABASE_URL ?? '');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^sak_[0-9A-Za-z]{28}\n$/);
      const key = stdout.trim();
      const request = (method: string, path: string) => client.request(method, path, { key });
      expect((await request('GET', `/v1/wallet/${wallet.id}`)).body).toMatchObject({ id: wallet.id });
      const revoked = await request('DELETE', `/v1/keys/${lost}`);
      expect(revoked).toMatchObject({ status: 200, body: { status: 'revoked' } });
      const keys: Json[] = (await request('GET', '/v1/keys')).body;
      const active = keys.filter(({ kind, status }) => kind === 'secret_api' && status === 'active');
      expect(active).toMatchObject([{ user_label: 'made by the operator', expires_at: null, budget_msat: null, max_payment_msat: null }]);
      expect(output.replace(stdout, '')).toContain(active[0]?.id);
      expect(await request('DELETE', `/v1/keys/${active[0]?.id}`)).toMatchObject({ status: 409, body: { type: 'last_key' } });
      for (const secret of [key, lostKey]) expect(`${output.replace(stdout, '')}${service.output()}`).not.toContain(secret.slice(4));
    });

    it('chooses no account among several, and makes nothing with missing or unknown arguments', async () => {
      const url = await urls();
      await addAccounts(url, 1);
      expect((await newKey(url)).code).toBe(0);
      const [first = '', second = ''] = await addAccounts(url, 2);
      const before = await count(url, countKeys);
      const listed = await newKey(url);
      expect(listed).toMatchObject({ code: 2, stdout: '' });
      for (const id of [first, second]) expect(listed.output).toMatch(new RegExp(`${id} +\\d{4}-\\d\\d-\\d\\dT.*Z +0\n`));

      const secret = newKeyText('secret_api');
      for (const [args, message] of [
        [['acc_unknown'], 'There is no account acc_unknown.'],
        [[first, second], 'Too many arguments'],
        [[secret], 'The account must be an id (acc_…)'],
      ] as const) {
        const refused = await newKey(url, ...args);
        expect(refused).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining(message) });
        expect(refused.output).not.toContain(secret);
      }
      expect(await count(url, countKeys)).toBe(before);
      expect(await newKey(url, second)).toMatchObject({ code: 0, output: expect.stringContaining(second) });
      expect(await count(url, countKeys)).toBe(before + 1);
    });

    it('rejects a database without a schema, or with an older one, and leaves it unchanged', async () => {
      const url = await urls();
      if (dialect === 'sqlite') writeFileSync(url.slice('sqlite:'.length), '');
      expect(await newKey(url)).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining('The database has no schema') });
      expect(await count(url, countTables)).toBe(0);

      await addAccounts(url, 1);
      await change(url, `UPDATE schema_migration SET checksum = 'x'`);
      const [keys, tables] = [await count(url, countKeys), await count(url, countTables)];
      expect(await newKey(url)).toMatchObject({
        code: 2,
        stdout: '',
        output: expect.stringContaining('made by an earlier version of Satchel'),
      });
      expect([await count(url, countKeys), await count(url, countTables)]).toEqual([keys, tables]);
    });

    it('reports a missing database', async () => {
      expect(await newKey(absent(dialect, dataDir))).toMatchObject({
        code: 2,
        stdout: '',
        output: expect.stringMatching(/No key was created\. .{10}/),
      });
    });
  });
}

function absent(dialect: Dialect, folder: string): string {
  return dialect === 'sqlite' ? `sqlite:${join(folder, 'absent', 'satchel.db')}` : 'postgres://nobody:nothing@localhost:1/absent';
}

/** Creates accounts in a database while no service runs. @returns their ids */
async function addAccounts(url: string, howMany: number): Promise<string[]> {
  const database = await openDatabase(url, { log: silentLog });
  try {
    await migrate(database, MIGRATIONS);
    const accounts = createAccounts(database, systemClock);
    const ids: string[] = [];
    for (let i = 0; i < howMany; i++)
      ids.push((await accounts.bootstrap(newKeyText('secret_api'), async () => undefined))?.accountId ?? '');
    return ids;
  } finally {
    await database.close();
  }
}

async function count(url: string, what: typeof countKeys): Promise<number> {
  const database = await openDatabase(url, { log: silentLog, readOnly: true });
  try {
    return (await database.first(what))?.n ?? 0;
  } finally {
    await database.close();
  }
}

async function change(url: string, sql: string): Promise<void> {
  const database = await openDatabase(url, { log: silentLog });
  try {
    await database.transaction((tx) => tx.run(statement('test_change', sql)));
  } finally {
    await database.close();
  }
}
