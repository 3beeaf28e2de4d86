import { appendFileSync } from 'node:fs';
import { startSatchel } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import type { Database, Tx } from '../../../src/core/db/database.ts';
import { openDatabase } from '../../../src/core/db/open.ts';
import { type Statement, statement } from '../../../src/core/db/statement.ts';
import { openNode } from '../../../src/open-node.ts';
import { registerSdk } from '../../support/span-sdk.ts';

/**
 * The service, with an SDK of OpenTelemetry that writes all spans to the file SPANS_FILE. Once its parent process orders it, the database rejects every statement, which is sent with its real
 * parameters.
 */
async function main(): Promise<void> {
  registerSdk(({ name, attributes, events, links, status, resource }) => {
    const { SPANS_FILE = '' } = process.env;
    appendFileSync(SPANS_FILE, `${JSON.stringify({ name, attributes, events, links, status, resource: resource.attributes })}\n`);
  });
  const config = readConfig(process.env);
  const state = { broken: false };
  const { server } = await startSatchel(config, {
    openDatabase: async (url, options) => breaking(await openDatabase(url, options), state),
    openNode,
    jobTiming: { notifications: { telegramApi: 'http://127.0.0.1:1' } },
  });
  await server.listen({ host: config.host, port: config.port });
  process.on('message', ({ broken }: { broken: boolean }) => {
    state.broken = broken;
    process.send?.({ broken });
  });
  process.on('disconnect', () => process.exit(0));
  process.stdout.write('Satchel is ready\n');
}

function breaking(database: Database, state: { broken: boolean }): Database {
  const orRefused = <T extends Statement>(wanted: T): T => (state.broken ? ({ ...wanted, ...refused(wanted.name) } as T) : wanted);
  const around = (tx: Tx): Tx => ({
    dialect: tx.dialect,
    all: (wanted, ...parameters) => tx.all(orRefused(wanted), ...parameters),
    first: (wanted, ...parameters) => tx.first(orRefused(wanted), ...parameters),
    run: (wanted, ...parameters) => tx.run(orRefused(wanted), ...parameters),
    send: (wanted, ...parameters) => tx.send(orRefused(wanted), ...parameters),
  });
  return {
    ...database,
    all: (wanted, ...parameters) => database.all(orRefused(wanted), ...parameters),
    first: (wanted, ...parameters) => database.first(orRefused(wanted), ...parameters),
    transaction: (work) => database.transaction((tx) => work(around(tx))),
    snapshot: (work) => database.snapshot((tx) => work(around(tx))),
  };
}

function refused(name: string): Statement {
  return statement(`broken_${name}`, 'SELECT nothing FROM nowhere WHERE nothing = $1');
}

await main();
