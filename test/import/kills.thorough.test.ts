import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { requireNoUnfinishedImport } from '../../src/features/import/import.ts';
import { migratedUrls, problemsOf, silentLog } from '../support/ledger.ts';
import { runSatchel } from '../support/process.ts';
import { BALANCES, bindNode, lnbitsFiles } from './lnbits.ts';
import { importedState } from './state.ts';

/** IMPORT_KILLS=50 takes a quarter of an hour on a busy machine. */
const KILLS = Number(process.env.IMPORT_KILLS ?? 16);
const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'cli', 'satchel.ts');

/** Rows of one wallet that cancel each other out, so that the import takes long enough to be killed in each of its parts. */
const MANY_ROWS = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
  INSERT INTO apipayments (checking_id, payment_hash, amount, fee, wallet_id, memo, time, status)
  SELECT 'many' || i, printf('%064x', i), CASE i % 2 WHEN 0 THEN 1000 ELSE -1000 END, 0, (SELECT id FROM wallets WHERE name = 'account 1'), 'row ' || i,
    1795856200 + i, 'success' FROM n`;

describe.each(['sqlite', 'postgres'] as const)('an import (%s)', (dialect) => {
  const urls = migratedUrls(dialect);
  const files = lnbitsFiles();
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-import-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  async function withOpened<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase(url, { log: silentLog });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  async function newLedger() {
    const url = await urls();
    await withOpened(url, bindNode);
    return { url, settings: { DATA_DIR: dataDir, DATABASE_URL: url, LIGHTNING_URL: 'fake:?seed=1', LOG_LEVEL: 'silent' } };
  }

  it('M3: that is killed at random moments has the same result when it is resumed', { timeout: 1_200_000 }, async () => {
    const file = files(MANY_ROWS);
    const whole = await newLedger();
    const dry = await runSatchel(['import', 'lnbits', '--from', file, '--json'], whole.settings);
    const { plan } = JSON.parse(dry.stdout);
    const command = ['import', 'lnbits', '--from', file, '--plan', plan, '--resume', '--accept-shortfall', 'a test', '--json'];
    const startMs = performance.now();
    expect(await runSatchel(command, whole.settings)).toMatchObject({ code: 0 });
    const lifeMs = performance.now() - startMs;
    const expected = await withOpened(whole.url, importedState);
    expect(expected.wallets).toHaveLength(BALANCES.length + 1);

    let [kills, ended] = [0, 0];
    while (kills < KILLS) {
      const { url, settings } = await newLedger();
      // A ledger is killed some times, and then the import ends.
      for (let attempt = 0; attempt < 10 && kills < KILLS; attempt++) {
        const child = spawn(process.execPath, [PROGRAM, ...command], { env: { ...process.env, ...settings }, stdio: 'ignore' });
        const closed = once(child, 'close');
        const isAlive = await Promise.race([closed.then(() => false), delay(lifeMs * (0.2 + 0.75 * Math.random())).then(() => true)]);
        if (!isAlive) break;
        child.kill('SIGKILL');
        await closed;
        kills += 1;
        await withOpened(url, async (database) => expect(await problemsOf(database)).toEqual([]));
      }
      expect(await runSatchel(command, settings)).toMatchObject({ code: 0 });
      await withOpened(url, async (database) => {
        await requireNoUnfinishedImport(database);
        expect(await importedState(database)).toEqual(expected);
        expect(await problemsOf(database)).toEqual([]);
      });
      ended += 1;
    }
    expect(ended).toBeGreaterThan(0);
  });
});
