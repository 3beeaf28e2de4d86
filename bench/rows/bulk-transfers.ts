import { randomUUID } from 'node:crypto';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLimits } from '../../src/core/limits/limits.ts';
import { transferToMany } from '../../src/core/payments/transfer.ts';
import { bulkTransferRoutes } from '../../src/features/payments/bulk-transfer-routes.ts';
import type { App } from '../../src/http/app-type.ts';
import { COUNTED } from '../counted.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare } from '../sides.ts';
import { transferRequests, withLedger } from '../transfer-route.ts';
import { loaded, postRequest, serve, type Web, webOn } from '../web.ts';

const LINES = 1000;
/** Lists in flight. */
const AT_ONCE = 2;

const TARGETS = { goal: 8, floor: 4 };

/** Transfers in lists of 1,000, compared with one request each: from a client that waits for each, and from many at once. */
export function bulkTransferRows(): Row[] {
  return DIALECTS.flatMap((dialect) =>
    [1, 64].map((connections) => ({
      name: `${DATABASE_NAMES[dialect]} bulk transfers, ${connections === 1 ? '1 connection' : `${connections} connections`}`,
      meaning: `lines per second, in lists of 1,000 ÷ transfers per second of single requests, ${connections} of them at once`,
      unit: 'transfers/s',
      target: TARGETS,
      async measure(run: Run): Promise<readonly Figure[]> {
        await using temporary = await run.database(dialect);
        const web = await webOn(temporary.database);
        await using lists = await serve(withBulk(web));
        await using single = await serve(withLedger(web));
        const inLists = async () => {
          const order = { port: lists.port, connections: AT_ONCE, seconds: run.sizes.seconds * 2, requests: listRequests(web) };
          return LINES * (await load(order)).perSecond;
        };
        return await compare(
          run,
          { name: 'lists', round: inLists },
          loaded(run, { name: 'single requests', server: single, requests: transferRequests(web) }, connections),
        );
      },
    })),
  );
}

function withBulk({ database, ledger, fees, ...web }: Web): (app: App) => void {
  const deps = { database, ledger, fees, limits: createLimits({ database, clock: systemClock }), clock: systemClock };
  const payments = {
    transferToMany: (order: Parameters<typeof transferToMany>[1]) => transferToMany(deps, order),
  };
  // Nothing is replayed, so that no other dependency is used.
  return (app) => bulkTransferRoutes(app, { ...web, payments } as unknown as Parameters<typeof bulkTransferRoutes>[1]);
}

/** Returns one list from each wallet. Each call returns other Idempotency-Keys. */
function listRequests({ funded, secretKey }: Web): string[] {
  const round = randomUUID();
  return funded.map((source) => {
    const others = funded.filter((wallet) => wallet !== source);
    const lines = Array.from({ length: LINES }, (_, line) => ({ dest_wallet_id: others[line % others.length]?.id, num_msat: 1 }));
    return postRequest(`/v1/wallet/${source.id}/transfers`, secretKey, { lines }, `idempotency-key: ${round}-${COUNTED}\r\n`);
  });
}
