import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { FIAT_COLUMNS, fiatCells } from '../../http/amounts.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { accountScope, walletFilter } from '../../http/auth/account-scope.ts';
import { choice, END_OF_TIME, KeyParams } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { csvRow, sendCsvFile, withoutFormula } from '../../http/responses/csv.ts';
import type { History } from './history.ts';
import { PeriodQuery, readTransactionQuery, TransactionFilters } from './routes.ts';
import { changeSat, type WalletTransaction } from './wallet-transaction.ts';

const CSV = {
  tags: ['History'],
  produces: ['text/csv'],
  response: { 200: Type.Unsafe<Readable>({ type: 'string' }) },
  responseHeaders: ['Content-Disposition'],
};

const statementSchema = {
  ...CSV,
  operationId: 'getStatement',
  summary: 'Read the statement of a wallet as CSV',
  description:
    'Oldest first. The columns are time, id, type, label, msat, sat, balance_after_msat, payment_hash, counterparty (the other wallet of a ' +
    'transfer, or the node that was paid), withdraw_link (the withdraw link that was claimed) and, for an amount in a currency, amount, ' +
    'currency, rate, rate_at and rate_source.',
  ...requires('wallet_tx_read'),
  params: KeyParams,
  querystring: PeriodQuery,
};

const exportSchema = {
  ...CSV,
  operationId: 'exportTransactions',
  summary: 'Read the transactions of all wallets of the account as CSV',
  description:
    'All transactions of `GET /v1/wallet-transactions` with these filters. The columns are those of the statement of a wallet, with wallet and ' +
    'status after id. `msat` of a payment that is pending or failed, and of an open invoice, is what was requested, and `balance_after_msat` is empty.',
  ...requires('account'),
  querystring: Type.Object({
    ...TransactionFilters.properties,
    order: Type.Optional(choice(['asc', 'desc'], { description: '`desc`: newest first, the default. `asc`: oldest first' })),
    wallet_id: walletFilter('transactions'),
  }),
  errorStatuses: [404],
};

/** Adds the routes that send transactions as CSV, in pages, so that a response of any length occupies little memory. */
export function transactionCsvRoutes(app: App, { access, history }: { access: Access; history: History }): void {
  for (const base of WALLET_BASES) {
    app.get(`${base}/statement`, { schema: statementSchema, config: { closedQuery: true } }, async (request, reply) => {
      const wallet = await access.wallet(request, 'wallet_tx_read');
      const { from = 0, to = END_OF_TIME } = request.query;
      return sendCsvFile(request, reply, wallet.id, statementCsv(history.statement(wallet, { from, to })));
    });
  }

  app.get('/v1/wallet-transactions/export', { schema: exportSchema, config: { closedQuery: true } }, async (request, reply) => {
    const scope = await accountScope(access, request);
    const { order = 'desc', ...filters } = request.query;
    const pages = history.export(scope, readTransactionQuery(filters), order);
    return sendCsvFile(request, reply, 'transactions', exportCsv(pages));
  });
}

const AFTER_ID = `type,label,msat,sat,balance_after_msat,payment_hash,counterparty,withdraw_link,${FIAT_COLUMNS}\r\n`;

async function* statementCsv(pages: AsyncIterable<readonly WalletTransaction[]>): AsyncGenerator<string> {
  yield `time,id,${AFTER_ID}`;
  for await (const page of pages) yield page.map((wtx) => csvRow([timeOf(wtx), wtx.id, ...cellsAfterId(wtx)])).join('');
}

async function* exportCsv(pages: AsyncIterable<readonly WalletTransaction[]>): AsyncGenerator<string> {
  yield `time,id,wallet,status,${AFTER_ID}`;
  for await (const page of pages)
    yield page.map((wtx) => csvRow([timeOf(wtx), wtx.id, wtx.wallet.id, wtx.status, ...cellsAfterId(wtx)])).join('');
}

function timeOf({ createdAt }: WalletTransaction): string {
  return new Date(createdAt * 1000).toISOString();
}

function cellsAfterId(wtx: WalletTransaction): (string | number)[] {
  const { payment, invoice, otherWalletId } = wtx;
  return [
    wtx.type,
    withoutFormula(wtx.label),
    wtx.amountMsat,
    changeSat(wtx),
    wtx.balanceAfterMsat ?? '',
    (payment ?? invoice)?.paymentHash ?? '',
    // The other wallet of a transfer, or the node that a payment went to; Lightning does not reveal who paid an invoice.
    otherWalletId ?? payment?.destPubkey ?? '',
    payment?.linkId ?? '',
    ...fiatCells((payment ?? invoice ?? wtx).fiat),
  ];
}
