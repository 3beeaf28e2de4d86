import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createAccounts } from '../src/core/accounts/accounts.ts';
import { createAccountDirectory } from '../src/core/accounts/directory.ts';
import { createKeyUses } from '../src/core/accounts/key-uses.ts';
import { createSessions } from '../src/core/accounts/sessions.ts';
import { openDatabase } from '../src/core/db/open.ts';
import { createFees } from '../src/core/fees/fees.ts';
import { createIdempotency } from '../src/core/idempotency/idempotency.ts';
import { systemClock } from '../src/core/kernel/clock.ts';
import { SYSTEM_ACCOUNTS } from '../src/core/ledger/accounts.ts';
import { createLedger } from '../src/core/ledger/ledger.ts';
import { createPayments } from '../src/core/payments/payments.ts';
import { createWallets } from '../src/core/wallets/wallets.ts';
import { paymentRoutes } from '../src/features/payments/routes.ts';
import { createObjects } from '../src/features/transactions/objects.ts';
import { walletRoutes } from '../src/features/wallets/routes.ts';
import { createAccess } from '../src/http/auth/access.ts';
import { createIdempotentHandler } from '../src/http/idempotent.ts';
import { createServer } from '../src/http/server.ts';
import { walletIdOf } from './filling.ts';

/** The output of `node --expose-gc memory-of-service.ts <database URL> <wallets>`, in bytes. */
export interface Usage {
  readonly idleRss: number;
  /** The growth of the heap and of external memory after reading all wallets, one after another. */
  readonly heapGrowth: number;
}

const FIRST_WALLET = SYSTEM_ACCOUNTS.suspense + 1;

const [url = '', count = '0'] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const database = await openDatabase(url, { log });
const accounts = createAccounts(database, systemClock);
const wallets = createWallets({ database, accounts, clock: systemClock, isNodeAvailable: async () => true });
const ledger = createLedger(database, systemClock);
const access = createAccess({
  accounts,
  keyUses: createKeyUses(database, systemClock),
  wallets,
  directory: createAccountDirectory({ database, ledger, clock: systemClock }),
  sessions: createSessions(database, systemClock),
});
const objects = createObjects({ clock: systemClock });
// No payment is made. The modules behind the payment routes only have to be loaded, because they count as idle memory.
const runIdempotent = createIdempotentHandler({ idempotency: createIdempotency(database, systemClock) });
const fees = createFees({ database, clock: systemClock });
const connections = { spendableMsat: () => undefined };
const deps = { connections, access, runIdempotent, wallets, ledger, fees, objects, payments: createPayments, paymentWaitSeconds: 0 };
const server = createServer(log, (app) => {
  walletRoutes(app, deps);
  paymentRoutes(app, deps as unknown as Parameters<typeof paymentRoutes>[1]);
});
await server.listen({ host: '127.0.0.1', port: 0 });
await delay(500);
const idleRss = process.memoryUsage.rss();

const before = kept();
for (let i = 0; i < Number(count); i++) {
  const resolved = await wallets.resolve(walletIdOf(FIRST_WALLET + i));
  if (!resolved) throw new Error('a wallet is missing');
  await ledger.balance(resolved.wallet.ledgerAccount);
}
const usage: Usage = { idleRss, heapGrowth: kept() - before };
await server.close();
await database.close();
process.stdout.write(JSON.stringify(usage));

function kept(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
