import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { requireNoUnfinishedImport } from '../../src/features/import/import.ts';
import { migratedUrls, problemsOf, silentLog } from '../support/ledger.ts';
import { runSatchel } from '../support/process.ts';
import { programOf } from '../support/programs.ts';
import { HUB_BALANCES, hubFile } from './albyhub/database.ts';
import { BALANCES, bindNode, lnbitsFiles } from './lnbits.ts';
import { lndhubDatabase, USERS, userOf } from './lndhub/database.ts';
import { LNPAY_BALANCES, LNPAY_DUMP } from './lnpay/fixture.ts';
import { albyhubRows, lnbitsRows, lndhubRows, lnpayRows } from './many-rows.ts';
import { importedState } from './state.ts';

/** The kills of each import. IMPORT_KILLS=30 takes ten minutes. */
const KILLS = Number(process.env.IMPORT_KILLS ?? 4);
/** They make the import take long enough to be killed in each of its parts. */
const ROWS = 20_000;

/** The wallet of a closed account, which is left out. */
const CLOSED = 'wal_WY0U4ivnMYSBAY';

const dataDir = mkdtempSync(join(tmpdir(), 'satchel-import-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const files = lnbitsFiles();

function lnpayDump(): string {
  const text = readFileSync(LNPAY_DUMP, 'utf8');
  const end = text.lastIndexOf('-- Dump completed');
  const path = join(dataDir, 'lnpay.sql');
  writeFileSync(path, [text.slice(0, end), ...lnpayRows(ROWS), text.slice(end)].join(''));
  return path;
}

interface Source {
  readonly name: string;
  readonly open: () => Promise<string>;
  readonly options: readonly string[];
  /** What the source's own API returned, in msat, by the id in the source. It is less by what pending payments have taken. */
  readonly balances: ReadonlyMap<string, number>;
}

/** The node of the ledger is that of LNbits. */
const OTHER_NODE = ['--other-node', 'a test'];

const SOURCES: readonly Source[] = [
  {
    name: 'lnbits',
    open: async () => files(lnbitsRows(ROWS)),
    options: [],
    balances: new Map(BALANCES.map(({ id, balance_msat }) => [id, balance_msat])),
  },
  {
    name: 'lndhub',
    open: () => lndhubDatabase(...lndhubRows(ROWS)),
    options: [...OTHER_NODE, '--negative', 'zero-and-report'],
    balances: new Map(
      USERS.flatMap((user, index) => (user === userOf('deleted') ? [] : [[String(index + 1), Math.max(0, user.balance) * 1000]])),
    ),
  },
  {
    name: 'lnpay',
    open: async () => lnpayDump(),
    options: [...OTHER_NODE, '--negative', 'zero-and-report'],
    balances: new Map(LNPAY_BALANCES.flatMap(({ id, balance }) => (id === CLOSED ? [] : [[id, Math.max(0, balance) * 1000]]))),
  },
  {
    name: 'albyhub',
    open: async () => hubFile(albyhubRows(ROWS)),
    options: OTHER_NODE,
    balances: new Map(HUB_BALANCES.map(({ id, balance_msat }) => [String(id), balance_msat])),
  },
];

describe.each(['sqlite', 'postgres'] as const)('an import (%s)', (dialect) => {
  const urls = migratedUrls(dialect);

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
    return {
      url,
      settings: { DATA_DIR: dataDir, DATABASE_URL: url, LIGHTNING_URL: 'fake:?seed=1', LOG_LEVEL: 'silent', SECRET_KEY: '5'.repeat(64) },
    };
  }

  /** Kills the command after a time. @returns whether it was still running */
  async function isKilled(command: readonly string[], settings: Record<string, string>, lifeMs: number): Promise<boolean> {
    const child = spawn(process.execPath, [programOf('src/cli/satchel.ts'), ...command], {
      env: { ...process.env, ...settings },
      stdio: 'ignore',
    });
    const closed = once(child, 'close');
    const isAlive = await Promise.race([closed.then(() => false), delay(lifeMs).then(() => true)]);
    if (isAlive) child.kill('SIGKILL');
    await closed;
    return isAlive;
  }

  /** Checks that each wallet has what the source's API returned, from one posting. */
  function requireBalances({ wallets }: Awaited<ReturnType<typeof importedState>>, balances: Source['balances']): void {
    const found = wallets.map(({ source_id, balance_msat, held_msat }) => [source_id, balance_msat - held_msat] as const);
    expect(new Map(found.filter(([id]) => balances.has(id)))).toEqual(balances);
    for (const { credits, balance_msat, opening_msat } of wallets)
      expect([credits, balance_msat]).toEqual([opening_msat > 0 ? 1 : 0, opening_msat]);
  }

  it.each(SOURCES)(
    'M3: has the same result from $name when it is resumed after kills at random moments',
    {
      timeout: 3_600_000,
    },
    async ({ name, open, options, balances }) => {
      const from = ['import', name, '--from', await open(), ...options];
      const whole = await newLedger();
      const { plan } = JSON.parse((await runSatchel([...from, '--json'], whole.settings)).stdout);
      const command = [...from, '--plan', plan, '--resume', '--accept-shortfall', 'a test', '--json'];
      const startMs = performance.now();
      expect(await runSatchel(command, whole.settings)).toMatchObject({ code: 0 });
      const lifeMs = performance.now() - startMs;
      const expected = await withOpened(whole.url, importedState);
      requireBalances(expected, balances);

      for (let kills = 0; kills < KILLS; ) {
        const { url, settings } = await newLedger();
        // A ledger is killed some times, and then the import ends.
        for (let attempt = 0; attempt < 10 && kills < KILLS; attempt++) {
          if (!(await isKilled(command, settings, lifeMs * (0.2 + 0.75 * Math.random())))) break;
          kills += 1;
          await withOpened(url, async (database) => expect(await problemsOf(database)).toEqual([]));
        }
        expect(await runSatchel(command, settings)).toMatchObject({ code: 0 });
        await withOpened(url, async (database) => {
          await requireNoUnfinishedImport(database);
          expect(await importedState(database)).toEqual(expected);
          expect(await problemsOf(database)).toEqual([]);
        });
      }
    },
  );
});
