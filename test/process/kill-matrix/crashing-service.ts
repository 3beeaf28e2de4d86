import { flushCompileCache } from 'node:module';
import { startSatchel } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { openDatabase } from '../../../src/core/db/open.ts';
import { openNode } from '../../../src/open-node.ts';
import { CrashPoints, type Order } from './crash-points.ts';
import { crashing } from './crashing-database.ts';
import { CrashingNode } from './crashing-node.ts';

/** The service. It kills itself at the point that its parent process orders. */
async function main(): Promise<void> {
  const points = new CrashPoints();
  const crashingNode = new CrashingNode(points);
  const config = readConfig(process.env);
  const { server } = await startSatchel(config, {
    openDatabase: async (url, options) => crashing(await openDatabase(url, options), points, () => crashingNode.paymentEnded()),
    openNode: async (options) => {
      const opened = await openNode(options);
      return { ...opened, node: crashingNode.around(opened.node) };
    },
    // Soon, and never so late that a payment is looked up twice.
    jobTiming: { arriving: { roundMs: 100, alertEvery: 30, waitSeconds: () => 60 } },
  });
  await server.listen({ host: config.host, port: config.port });
  process.on('message', (order: Order) => void points.obey(order).then((report) => process.send?.(report)));
  process.on('disconnect', () => process.exit(0));
  // A killed process cannot write its cache of compiled modules at its end.
  flushCompileCache();
  process.stdout.write('Satchel is ready\n');
}

await main();
