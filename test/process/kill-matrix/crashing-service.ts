import { flushCompileCache } from 'node:module';
import { startSatchel } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import type { Database } from '../../../src/core/db/database.ts';
import { openDatabase } from '../../../src/core/db/open.ts';
import { statement } from '../../../src/core/db/statement.ts';
import { openNode } from '../../../src/open-node.ts';
import { CrashPoints, type Order } from './crash-points.ts';
import { crashing } from './crashing-database.ts';
import { CrashingNode } from './crashing-node.ts';

/** Requests of apps without a response, events that wait for a relay, and receipts of zaps that are due. */
const findUnsent = statement(
  'test_find_unsent',
  `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM nwc_request WHERE response IS NULL) OR EXISTS (SELECT 1 FROM task)
     OR EXISTS (SELECT 1 FROM zap WHERE due_at IS NOT NULL)`,
);

/** The service. It kills itself at the point that its parent process orders. */
async function main(): Promise<void> {
  const points = new CrashPoints();
  const crashingNode = new CrashingNode(points);
  const config = readConfig(process.env);
  const opened: Database[] = [];
  const isSending = async () => (await opened[0]?.first(findUnsent)) !== undefined;
  const { server } = await startSatchel(config, {
    openDatabase: async (url, options) => {
      const database = await openDatabase(url, options);
      opened.push(database);
      return crashing(database, points, () => crashingNode.paymentEnded());
    },
    openNode: async (options) => {
      const opened = await openNode(options);
      return { ...opened, node: crashingNode.around(opened.node) };
    },
    jobTiming: {
      // Soon, and never so late that a payment is looked up twice.
      arriving: { roundMs: 100, alertEvery: 30, waitSeconds: () => 60 },
      holds: { roundMs: 100, heldEvery: 1 },
      receiptsMs: 50,
      nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 100 } },
    },
  });
  await server.listen({ host: config.host, port: config.port });
  process.on('message', (order: Order) => void points.obey(order, isSending).then((report) => process.send?.(report)));
  process.on('disconnect', () => process.exit(0));
  // A killed process cannot write its cache of compiled modules at its end.
  flushCompileCache();
  process.stdout.write('Satchel is ready\n');
}

await main();
