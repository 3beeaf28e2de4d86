import type { Dialect } from '../../src/core/db/database.ts';
import { type FakeService, startFakeService } from '../fake-service.ts';
import type { LoadResult } from '../load.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare, type Side } from '../sides.ts';

/** An invoice is paid only once, so a round has a fixed number of payments, about as many as fit into its time. */
const PAYMENTS_PER_SECOND = { 64: 2500, 1: 250 } as const;

/** Payments of invoices of the same service, compared with transfers between the same wallets. */
export function invoicePaymentRows(): Row[] {
  return [
    ...DIALECTS.map(
      (dialect): Row => ({
        name: `${DATABASE_NAMES[dialect]} invoice payments, 64 connections`,
        meaning: 'payments of invoices of the same service ÷ transfers, whole service with the fake node',
        unit: '/s',
        target: { goal: 0.25, floor: 0.15 },
        measure: (run) => againstTransfers(run, dialect, 64, ({ perSecond }) => perSecond),
      }),
    ),
    {
      name: 'PostgreSQL invoice payment, latency at 1 connection',
      meaning: 'median time of a payment of an invoice of the same service ÷ of a transfer',
      unit: 'ms',
      target: { goal: 2, floor: 3 },
      measure: (run) => againstTransfers(run, 'postgres', 1, ({ p50Ms }) => p50Ms),
    },
  ];
}

async function againstTransfers(
  run: Run,
  dialect: Dialect,
  connections: 64 | 1,
  figure: (result: LoadResult) => number,
): Promise<readonly Figure[]> {
  await using service = await startFakeService(run, dialect);
  const { seconds } = run.sizes;
  const transfers: Side = {
    name: 'transfers',
    round: async () => figure(await load({ port: service.port, requests: service.transfers, connections, seconds })),
  };
  const count = Math.ceil(PAYMENTS_PER_SECOND[connections] * seconds);
  return await compare(run, { name: 'invoice payments', round: () => payAll(service, connections, count, figure) }, transfers);
}

async function payAll({ port, invoicePayments }: FakeService, connections: number, count: number, figure: (result: LoadResult) => number) {
  return figure(await load({ port, requests: await invoicePayments(count), connections, seconds: 60, total: count }));
}
