import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { openFunded, spread } from '../filling.ts';
import { type Figure, type Row, Skipped } from '../row.ts';
import type { Run } from '../run.ts';
import { compare, perSecondFor } from '../sides.ts';

const ACCOUNTS = 1000;
const CLIENTS = 16;
const execute = promisify(execFile);

/** The ledger on PostgreSQL, compared with pgbench, PostgreSQL's own benchmark, on the same server. */
export function tpcbRows(): Row[] {
  return [64, 256].map((callers) => ({
    name: `PostgreSQL engine, ${callers} callers`,
    meaning: `durable transfers ÷ transactions of pgbench’s TPC-B (prepared, ${CLIENTS} clients) on the same server`,
    unit: 'a second',
    target: { goal: 3.5, floor: 2.5 },
    measure: (run) => againstTpcb(run, callers),
  }));
}

async function againstTpcb(run: Run, callers: number): Promise<readonly Figure[]> {
  const url = await run.postgres('pgbench');
  await pgbench(['--version']);
  await using temporary = await run.database('postgres');
  await run.onPostgres('DROP DATABASE IF EXISTS pgbench WITH (FORCE)');
  await run.onPostgres('CREATE DATABASE pgbench');
  try {
    await pgbench(['--initialize', '--quiet', `--scale=${run.sizes.tpcbScale}`, url]);
    const accounts = await openFunded(temporary.database, ACCOUNTS);
    const ledger = createLedger(temporary.database, systemClock);
    const seconds = Math.ceil(run.sizes.seconds * 2);
    return await compare(
      run,
      { name: 'ledger', round: () => perSecondFor(seconds, callers, () => ledger.post(spread(accounts))) },
      { name: 'pgbench TPC-B', round: () => tpcb(url, seconds) },
    );
  } finally {
    await run.onPostgres('DROP DATABASE IF EXISTS pgbench WITH (FORCE)');
  }
}

async function tpcb(url: string, seconds: number): Promise<number> {
  const printed = await pgbench(['--no-vacuum', '--protocol=prepared', `--client=${CLIENTS}`, '--jobs=2', `--time=${seconds}`, url]);
  return Number(/tps = ([\d.]+)/.exec(printed)?.[1]);
}

/** @throws Skipped when pgbench is not installed. */
async function pgbench(parameters: string[]): Promise<string> {
  try {
    return (await execute('pgbench', parameters)).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Skipped('pgbench is not on the PATH (Debian: postgresql-contrib)');
    throw error;
  }
}
