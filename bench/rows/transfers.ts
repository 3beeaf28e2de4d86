import type { Dialect } from '../../src/core/db/database.ts';
import type { LoadResult } from '../load.ts';
import type { Figure, Row, Target } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare } from '../sides.ts';
import { bareTransfers, transferRequests, withLedger, withoutLedger } from '../transfer-route.ts';
import { answerTo, inMemory, loaded, serve, webOn } from '../web.ts';

const TARGETS: Readonly<Record<Dialect, Readonly<Record<number, Target>>>> = {
  sqlite: { 64: { goal: 0.65, floor: 0.45 } },
  postgres: { 256: { goal: 0.45, floor: 0.25 } },
};
const BARE_TARGET: Target = { goal: 0.26, floor: 0.22 };
const P99_TARGET: Target = { goal: 2, floor: 6 };

/** Durable transfers over HTTP, compared with the same route without a ledger and with keys and wallets in memory. */
export function transferRows(): Row[] {
  return DIALECTS.flatMap((dialect) => [
    ...[1, 16, 64, 256].map((connections): Row => {
      const target = TARGETS[dialect][connections];
      return {
        name: `${DATABASE_NAMES[dialect]} transfers, ${connections} connection${connections === 1 ? '' : 's'}`,
        meaning: 'speed ÷ of the same route without a ledger and with keys and wallets in memory',
        unit: 'transfers/s',
        ...(target && { target }),
        measure: (run) => againstNoLedger(run, dialect, connections, ({ perSecond }) => perSecond),
      };
    }),
    {
      name: `${DATABASE_NAMES[dialect]} transfers ÷ bare Fastify`,
      meaning: 'speed ÷ of a bare Fastify POST with key lookup, both schemas and a response of this size, 64 connections',
      unit: 'transfers/s',
      ...(dialect === 'sqlite' && { target: BARE_TARGET }),
      measure: (run) => againstBare(run, dialect),
    },
    {
      name: `${DATABASE_NAMES[dialect]} transfers, p99 at 64 connections`,
      meaning: '99th percentile of the latency ÷ of the same route without a ledger',
      unit: 'ms',
      ...(dialect === 'sqlite' && { target: P99_TARGET }),
      measure: (run) => againstNoLedger(run, dialect, 64, ({ p99Ms }) => p99Ms),
    },
  ]);
}

async function againstBare(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  await using temporary = await run.database(dialect);
  const web = await webOn(temporary.database);
  await using durable = await serve(withLedger(web));
  const requests = transferRequests(web);
  await using bare = await bareTransfers(web.secretKey, await answerTo(durable, requests[0] ?? ''));
  return await compare(
    run,
    loaded(run, { name: 'durable', server: durable, requests }, 64),
    loaded(run, { name: 'bare Fastify', server: bare, requests }, 64),
  );
}

async function againstNoLedger(
  run: Run,
  dialect: Dialect,
  connections: number,
  figure: (result: LoadResult) => number,
): Promise<readonly Figure[]> {
  await using temporary = await run.database(dialect);
  const web = await webOn(temporary.database);
  await using durable = await serve(withLedger(web));
  await using without = await serve(withoutLedger(inMemory(web)));
  const requests = transferRequests(web);
  return await compare(
    run,
    loaded(run, { name: 'durable', server: durable, requests }, connections, figure),
    loaded(run, { name: 'no ledger', server: without, requests }, connections, figure),
  );
}
