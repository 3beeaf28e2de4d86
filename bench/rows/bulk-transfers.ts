import { randomUUID } from 'node:crypto';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLimits } from '../../src/core/limits/limits.ts';
import { transferToMany } from '../../src/core/payments/transfer.ts';
import { bulkTransferRoutes } from '../../src/features/payments/bulk-transfer-routes.ts';
import type { App } from '../../src/http/app-type.ts';
import { compare, perSecondFor } from '../compare.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { transferRequests, withLedger } from '../transfer-route.ts';
import { loaded, type Serving, serve, type Web, webOn } from '../web.ts';

const LINES = 1000;
/** Lists in flight. */
const AT_ONCE = 2;
const CONNECTIONS = 64;

/** Transfers in lists of 1,000, compared with one request each. */
export function bulkTransferRows(): Row[] {
  return DIALECTS.map((dialect) => ({
    name: `${DATABASE_NAMES[dialect]} bulk transfers`,
    meaning: 'lines per second, in lists of 1,000 ÷ transfers per second of single requests, 64 connections',
    unit: 'transfers/s',
    target: { goal: 8, floor: 4 },
    async measure(run: Run): Promise<readonly Figure[]> {
      await using temporary = await run.database(dialect);
      const web = await webOn(temporary.database);
      await using lists = await serve(withBulk(web));
      await using single = await serve(withLedger(web));
      return await compare(
        run,
        {
          name: 'lists',
          round: async () => LINES * (await perSecondFor(run.sizes.seconds * 2, AT_ONCE, (index) => sendList(web, lists, index))),
        },
        loaded(run, { name: 'single requests', server: single, requests: transferRequests(web) }, CONNECTIONS),
      );
    },
  }));
}

function withBulk({ database, ledger, fees, ...web }: Web): (app: App) => void {
  const deps = { database, ledger, fees, limits: createLimits({ database, clock: systemClock }), clock: systemClock };
  const payments = {
    transferToMany: (order: Parameters<typeof transferToMany>[1]) => transferToMany(deps, order),
  };
  // Nothing is replayed, so that no other dependency is used.
  return (app) => bulkTransferRoutes(app, { ...web, payments } as unknown as Parameters<typeof bulkTransferRoutes>[1]);
}

async function sendList({ funded, secretKey }: Web, { port }: Serving, index: number): Promise<void> {
  const source = funded[index % funded.length];
  const others = funded.filter((wallet) => wallet !== source);
  const lines = Array.from({ length: LINES }, (_, line) => ({ dest_wallet_id: others[line % others.length]?.id, num_msat: 1 }));
  const headers = { 'x-api-key': secretKey, 'idempotency-key': randomUUID(), 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}/v1/wallet/${source?.id}/transfers`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ lines }) });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`a list was refused: ${response.status} ${text.slice(0, 200)}`);
}
