import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { fillWithTransfers, openFunded, openWalletsOf, spread } from '../filling.ts';
import type { Usage } from '../memory-of-service.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run, silentLog } from '../run.ts';
import { figureOf } from '../sides.ts';

const MB = 1_000_000;
const WALLETS = 100_000;
const ACCOUNTS = 1000;
const execute = promisify(execFile);

/** The memory and the disk space of the service. */
export function memoryRows(): Row[] {
  return [
    {
      name: 'memory, idle',
      meaning: 'resident memory of a process with database and server, without the playground, at every start but the first',
      unit: 'MB',
      target: { goal: 110, floor: 160 },
      measure: async (run) => [
        figureOf(
          'resident',
          (await usages(run, 0)).map(({ idleRss }) => idleRss / MB),
        ),
      ],
    },
    {
      name: 'memory per wallet',
      meaning: `memory per wallet after reading ${WALLETS.toLocaleString('en')} wallets and their balances`,
      unit: 'bytes',
      target: { goal: 150, floor: 300 },
      measure: async (run) => [
        figureOf(
          'kept',
          (await usages(run, WALLETS)).map(({ heapGrowth }) => heapGrowth / WALLETS),
        ),
      ],
    },
    ...DIALECTS.map(
      (dialect): Row => ({
        name: `${DATABASE_NAMES[dialect]} disk per transfer`,
        meaning: 'bytes of the database per transfer, indexes included, without memo and passThru',
        unit: 'bytes',
        target: { goal: 300, floor: 450 },
        measure: (run) => (dialect === 'sqlite' ? sqliteBytes(run) : postgresBytes(run)),
      }),
    ),
  ];
}

/** Measures three separate processes, because this process has used memory already. A first, unmeasured one fills the compile cache. */
async function usages(run: Run, wallets: number): Promise<Usage[]> {
  await using temporary = await run.database('sqlite');
  if (wallets > 0) {
    await openFunded(temporary.database, wallets);
    await openWalletsOf(temporary.database);
  }
  await temporary.database.close();
  const measured: Usage[] = [];
  const env = { ...process.env, NODE_COMPILE_CACHE: `${temporary.url.slice('sqlite:'.length)}-compiled` };
  for (let round = 0; round <= 3; round++) {
    const script = join(import.meta.dirname, '..', 'memory-of-service.ts');
    const { stdout } = await execute(process.execPath, ['--expose-gc', script, temporary.url, String(wallets)], { env });
    if (round > 0) measured.push(JSON.parse(stdout) as Usage);
  }
  return measured;
}

async function sqliteBytes(run: Run): Promise<readonly Figure[]> {
  await using temporary = await run.database('sqlite');
  const path = temporary.url.slice('sqlite:'.length);
  const { transfers } = run.sizes;
  const accounts = await openFunded(temporary.database, ACCOUNTS);
  // Closing moves the write-ahead log into the file.
  await temporary.database.close();
  const before = statSync(path).size;
  const database = await openDatabase(temporary.url, { log: silentLog });
  try {
    const ledger = createLedger(database, systemClock);
    await fillWithTransfers(ledger, transfers, () => spread(accounts));
    await ledger.drain();
  } finally {
    await database.close();
  }
  return [figureOf('in the file', [(statSync(path).size - before) / transfers])];
}

const databaseSize = statement<{ bytes: number }>('bench_database_size', {
  sqlite: '',
  postgres: 'SELECT pg_database_size(current_database()) AS bytes',
});

async function postgresBytes(run: Run): Promise<readonly Figure[]> {
  await using temporary = await run.database('postgres');
  const { database } = temporary;
  const { transfers } = run.sizes;
  const accounts = await openFunded(database, ACCOUNTS);
  const size = async () => (await database.first(databaseSize))?.bytes ?? 0;
  const before = await size();
  await fillWithTransfers(createLedger(database, systemClock), transfers, () => spread(accounts));
  return [figureOf('in the database', [((await size()) - before) / transfers])];
}
