import { join } from 'node:path';
import pg from 'pg';
import { startSatchel } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import type { Dialect } from '../src/core/db/database.ts';
import type { Run } from './run.ts';
import { invoicePaymentRequests, type PaymentFields, transferRequests } from './wallet-requests.ts';
import { type Web, webOn } from './web.ts';

/** Settings without the limits that a benchmark would meet. */
export const UNLIMITED = {
  RATE_LIMIT_PER_SECOND: '0',
  ADDRESS_RATE_LIMIT_PER_SECOND: '0',
  MAX_PAYMENTS_IN_FLIGHT: '10000',
  MAX_OPEN_INVOICES: '1000000',
};

/** A complete service on the fake node, with a thousand funded wallets of one account. */
export interface FakeService extends AsyncDisposable {
  readonly port: number;
  readonly secretKey: string;
  /** The ids of the funded wallets. */
  readonly wallets: readonly string[];
  /** Requests that transfer 1 sat between wallets. They may be sent repeatedly. */
  readonly transfers: readonly string[];
  /** Creates invoices of all wallets but the first. @returns one request per invoice, which pays it from another wallet of the service. */
  invoicePayments(count: number, fields?: PaymentFields): Promise<string[]>;
}

/** Does now what autovacuum would otherwise do during the measurement. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE').finally(() => client.end());
}

/** Starts the service after `fill` has written to its database. */
export async function startFakeService(
  run: Run,
  dialect: Dialect,
  fill?: (web: Web) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<FakeService> {
  const temporary = await run.database(dialect);
  const web = await webOn(temporary.database);
  const { secretKey, funded } = web;
  await fill?.(web);
  // The service needs exclusive access to the SQLite file.
  await temporary.database.close();
  if (dialect === 'postgres') await vacuum(temporary.url);
  const folder = join(run.folder(), 'service');
  const own = { DATA_DIR: folder, DATABASE_URL: temporary.url, PORT: '0', LIGHTNING_URL: 'fake:', LOG_LEVEL: 'silent' };
  const satchel = await startSatchel(readConfig({ ...own, ...UNLIMITED, PROOF_INTERVAL_SECONDS: '0', ...settings }));
  const url = await satchel.server.listen({ host: '127.0.0.1', port: 0 });
  const service = { url, secretKey, wallets: funded.map(({ id }) => id) };
  return {
    ...service,
    port: Number(new URL(url).port),
    transfers: transferRequests(service),
    invoicePayments: (count, fields) => invoicePaymentRequests(service, count, fields),
    async [Symbol.asyncDispose]() {
      await satchel.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}
