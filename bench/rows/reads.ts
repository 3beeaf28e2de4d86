import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Accounts } from '../../src/core/accounts/accounts.ts';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { NodeConnection } from '../../src/core/connection/connection.ts';
import { NodeConnections } from '../../src/core/connection/connections.ts';
import type { Database, Dialect } from '../../src/core/db/database.ts';
import { createFees } from '../../src/core/fees/fees.ts';
import type { HoldInvoices } from '../../src/core/hold-invoices/hold-invoices.ts';
import { Invoices } from '../../src/core/invoices/invoices.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createMarkers } from '../../src/core/kernel/markers.ts';
import { satToMsat } from '../../src/core/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import type { Ledger } from '../../src/core/ledger/ledger.ts';
import type { LightningNode } from '../../src/core/lightning/node.ts';
import { createLimits } from '../../src/core/limits/limits.ts';
import type { Payments } from '../../src/core/payments/payments.ts';
import { Quarantine } from '../../src/core/quarantine/quarantine.ts';
import type { Rates } from '../../src/core/rates/rates.ts';
import type { StatusWaits } from '../../src/features/events/status-waits.ts';
import { invoiceRoutes } from '../../src/features/invoices/routes.ts';
import { createHistory } from '../../src/features/transactions/history.ts';
import { LightningTransactionObject } from '../../src/features/transactions/lightning-transaction-object.ts';
import { transactionRoutes } from '../../src/features/transactions/routes.ts';
import { WalletTransactionObject } from '../../src/features/transactions/wallet-transaction-object.ts';
import { walletRoutes } from '../../src/features/wallets/routes.ts';
import { WalletObject } from '../../src/features/wallets/wallet-object.ts';
import type { App } from '../../src/http/app-type.ts';
import { RateLimits } from '../../src/http/limits/rate-limits.ts';
import { fillWithTransfers, transfer } from '../filling.ts';
import type { Figure, Row, Target } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run, silentLog } from '../run.ts';
import { compare } from '../sides.ts';
import { answerTo, bareServer, getRequest, loaded, serve, type Web, webOn } from '../web.ts';

const CONNECTIONS = 64;
const LISTED = 20;
const TARGET: Target = { goal: 0.85, floor: 0.6 };

interface Read {
  readonly name: string;
  readonly target?: Target;
  /** The schema of the response. */
  readonly answer: object;
  /** Returns the paths to request. */
  paths(web: Web, database: Database): Promise<string[]>;
}

const READS: readonly Read[] = [
  {
    name: 'GET wallet',
    target: TARGET,
    answer: WalletObject,
    paths: async ({ funded }) => funded.map(({ id }) => `/v1/wallet/${id}`),
  },
  {
    name: 'GET lntx',
    target: TARGET,
    answer: LightningTransactionObject,
    async paths({ funded, ledger }, database) {
      const invoices = benchInvoices(database, ledger);
      const order = { amountMsat: satToMsat(100), memo: 'bench', expirySeconds: 3600, wtxType: 'ln_deposit' } as const;
      const made = await Promise.all(funded.map((wallet) => invoices.create({ wallet, ...order })));
      return made.map(({ id }) => `/v1/lntx/${id}`);
    },
  },
  {
    name: `GET transactions, ${LISTED} of them`,
    answer: Type.Array(WalletTransactionObject),
    async paths({ funded, ledger }) {
      let next = 0;
      const account = () => funded[next % funded.length]?.ledgerAccount ?? 0;
      await fillWithTransfers(ledger, (funded.length * LISTED) / 2, () => {
        const from = account();
        next += 1;
        return transfer(from, account());
      });
      return funded.map(({ id }) => `/v1/wallet/${id}/transactions?per-page=${LISTED}`);
    },
  },
];

/** Reads over HTTP, compared with a route that finds its caller in memory and returns a constant response. */
export function readRows(): Row[] {
  return DIALECTS.flatMap((dialect) =>
    READS.map((read) => ({
      name: `${DATABASE_NAMES[dialect]} ${read.name}`,
      meaning: `speed ÷ a bare Fastify GET with key lookup, schema and a response of this size, ${CONNECTIONS} connections`,
      unit: 'requests/s',
      ...(read.target && dialect === 'sqlite' && { target: read.target }),
      measure: (run: Run) => againstBare(run, dialect, read),
    })),
  );
}

async function againstBare(run: Run, dialect: Dialect, read: Read): Promise<readonly Figure[]> {
  await using temporary = await run.database(dialect);
  const web = await webOn(temporary.database);
  const requests = (await read.paths(web, temporary.database)).map((path) => getRequest(path, web.secretKey));
  await using server = await serve(routes(web, temporary.database));
  await using bare = await bareServer(
    { secretKey: web.secretKey, response: { 200: read.answer } },
    await answerTo(server, requests[0] ?? ''),
  );
  return await compare(
    run,
    loaded(run, { name: 'Satchel', server, requests }, CONNECTIONS),
    loaded(run, { name: 'bare Fastify', server: bare, requests }, CONNECTIONS),
  );
}

function benchInvoices(database: Database, ledger: Ledger): Invoices {
  return new Invoices({
    database,
    ledger,
    alerts: createAlerts(database, systemClock, silentLog),
    connections: fakeConnections(database),
    routeKeysend: async () => undefined,
    fees: createFees({ database, clock: systemClock }),
    limits: createLimits({ database, clock: systemClock }),
    markers: createMarkers(new Uint8Array(32)),
    quarantine: new Quarantine(database),
    recoverWallet: () => Promise.reject(new Error('no wallet is lost')),
    clock: systemClock,
    log: silentLog,
    maxOpenInvoices: 1_000_000,
    creditBeforeFinalMsat: 0,
    holdLimits: { perWallet: 10, perAccount: 50, perChannel: 241 },
    maxHoldSeconds: 86_400,
  });
}

function routes(web: Web, database: Database): (app: App) => void {
  const { ledger, wallets } = web;
  const clock = systemClock;
  const invoices = benchInvoices(database, ledger);
  const none = { find: async () => undefined, findByHash: async () => undefined, findMany: async () => [] };
  const history = createHistory({
    database,
    ledger,
    wallets,
    invoices,
    payments: none as unknown as Payments,
    objects: web.objects,
    clock,
  });
  const wait: StatusWaits['wait'] = async (_request, _reply, _seconds, { known }) => known;
  const waits = { wait } as StatusWaits;
  return (app) => {
    walletRoutes(app, web);
    invoiceRoutes(app, {
      ...web,
      invoices,
      holdInvoices: none as unknown as HoldInvoices,
      rates: none as unknown as Rates,
      history,
      limits: new RateLimits({ keyRate: UNLIMITED, addressRate: UNLIMITED, maxAtOnce: Number.POSITIVE_INFINITY }),
      waits,
      publicUrl: 'http://127.0.0.1',
    });
    transactionRoutes(app, { ...web, accounts: none as unknown as Accounts, history });
  };
}

const UNLIMITED = { perSecond: 0, burst: 1 };

/** Returns the connection to a node without keys. It creates text that only looks like invoices. */
function fakeConnections(database: Database): NodeConnections {
  let made = 0;
  const createInvoice = async () => {
    const paymentHash = createHash('sha256').update(String(made++)).digest('hex');
    return { paymentRequest: `lnbcrt1u1${'q'.repeat(250)}`, paymentHash, preimage: paymentHash };
  };
  const identity = { pubkey: '02'.repeat(33), network: 'regtest' } as const;
  const adapter = { createInvoice, info: async () => identity } as unknown as LightningNode;
  const node = { id: 'lnd_bench', ledgerAccount: SYSTEM_ACCOUNTS.node, identity, state: 'active', createdAt: 0 } as const;
  const identify = async () => ({ nodeId: node.id, adapter, info: await adapter.info() });
  const connection = new NodeConnection(node, { identify, onHistoryChanged: async () => undefined });
  return new NodeConnections([connection], [adapter], database);
}
