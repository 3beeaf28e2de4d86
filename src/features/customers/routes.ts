import { type Static, Type } from 'typebox';
import type { AccountDirectory } from '../../core/accounts/directory.ts';
import type { Keyring } from '../../core/accounts/keyring.ts';
import type { Sessions } from '../../core/accounts/sessions.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import type { Fees } from '../../core/fees/fees.ts';
import { readSummary } from '../../core/journal/sums.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { mapList } from '../../core/kernel/list.ts';
import type { Balance, Ledger } from '../../core/ledger/ledger.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import type { App } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { CsvListQuery, ListQuery, sendList } from '../../http/responses/list.ts';
import { KeyObject } from '../keys/key-object.ts';
import { renderSession, SessionObject } from '../logins/session-object.ts';
import type { History } from '../transactions/history.ts';
import { readTransactionQuery, TransactionFilters } from '../transactions/routes.ts';
import { periodOf, SummaryObject, SummaryParameters, summaryObject } from '../transactions/summary-routes.ts';
import { WalletTransactionObject } from '../transactions/wallet-transaction-object.ts';
import { renderWallet, WalletObject } from '../wallets/wallet-object.ts';
import { CUSTOMER } from './customer-route.ts';

const summarySchema = {
  ...CUSTOMER,
  operationId: 'getSummaryOfAccount',
  summary: 'Read the sums of all wallets of an account',
  description: 'The same as the owner reads: the balance, and the sums of settled transactions by the time of booking.',
  querystring: SummaryParameters,
  response: { 200: SummaryObject },
};

const walletsSchema = {
  ...CUSTOMER,
  operationId: 'listAccountWallets',
  summary: 'List the wallets of an account',
  description: 'Newest first, with their balances.',
  querystring: CsvListQuery,
  response: { 200: Type.Array(WalletObject) },
};

const transactionsSchema = {
  ...CUSTOMER,
  operationId: 'listAccountTransactions',
  summary: 'List the transactions of all wallets of an account',
  description: 'The same list as of the owner.',
  querystring: Type.Object({ ...ListQuery.properties, ...TransactionFilters.properties }),
  response: { 200: Type.Array(WalletTransactionObject) },
};

const sessionsSchema = {
  ...CUSTOMER,
  operationId: 'listAccountSessions',
  summary: 'List the sessions of an account',
  description: 'Newest first, with those that ended not long ago.',
  querystring: ListQuery,
  response: { 200: Type.Array(SessionObject) },
};

const keysSchema = {
  ...CUSTOMER,
  operationId: 'listAccountKeys',
  summary: 'List the API keys of an account',
  description: 'Newest first, without their secrets. The keys of its wallets are not in the list.',
  querystring: ListQuery,
  response: { 200: Type.Array(KeyObject) },
};

interface CustomerRouteContext {
  readonly access: Access;
  readonly directory: AccountDirectory;
  readonly database: Database;
  readonly clock: Clock;
  readonly wallets: Wallets;
  readonly ledger: Ledger;
  readonly fees: Fees;
  readonly history: History;
  readonly sessions: Sessions;
  readonly keyring: Keyring;
  readonly connections: NodeConnections;
}

/** What operators read about one account. No response has a secret. */
export function customerRoutes(app: App, context: CustomerRouteContext): void {
  const { access, directory, database, clock, wallets, ledger, fees, history, sessions, keyring, connections } = context;

  app.get('/v1/accounts/:id/summary', { schema: summarySchema }, async (request) => {
    await access.operator(request);
    const { id: accountId } = await directory.find(request.params.id);
    return summaryObject(await readSummary(database, { accountId }, periodOf(clock, request.query)), undefined);
  });

  app.get('/v1/accounts/:id/wallets', { schema: walletsSchema }, async (request, reply) => {
    await access.operator(request);
    const { id } = await directory.find(request.params.id);
    const list = mapList(wallets.list(id), async (listed) => {
      const balances = await ledger.balances(listed.map(({ ledgerAccount }) => ledgerAccount));
      const feesOf = await Promise.all(listed.map((wallet) => fees.feeFunction(wallet.id, 'ln_out')));
      return listed.map((wallet, index) =>
        renderWallet(wallet, balances[index] as Balance, {
          feeOf: feesOf[index],
          nodeSpendableMsat: connections.spendableMsat(wallet.nodeId),
        }),
      );
    });
    return sendList(request, reply, list, (wallet) => wallet);
  });

  app.get('/v1/accounts/:id/wallet-transactions', { schema: transactionsSchema }, async (request, reply) => {
    await access.operator(request);
    const { id: accountId } = await directory.find(request.params.id);
    return sendList(request, reply, history.list({ accountId }, readTransactionQuery(request.query)), (wtx) => wtx);
  });

  app.get('/v1/accounts/:id/sessions', { schema: sessionsSchema }, async (request, reply) => {
    const { key } = await access.operator(request);
    const { id } = await directory.find(request.params.id);
    return sendList(request, reply, sessions.list(id), (session) => renderSession(session, key.id));
  });

  app.get('/v1/accounts/:id/keys', { schema: keysSchema }, async (request, reply) => {
    await access.operator(request);
    const { id: accountId } = await directory.find(request.params.id);
    return sendList(request, reply, keyring.list({ accountId, walletId: undefined }), (key): Static<typeof KeyObject> => key);
  });
}
