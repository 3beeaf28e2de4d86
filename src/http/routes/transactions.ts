import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { History } from '../../history/history.ts';
import type { WalletTransaction } from '../../history/wallet-transaction.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { Access } from '../access.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import { KeyParams } from '../fields.ts';
import { type Objects, WalletTransactionObject } from '../objects.ts';
import { CursorQuery, cursorHeaders, pageHeaders, readPage, refuseBoth } from '../paging.ts';

const UnixTime = Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: 'Unix seconds' });
const PeriodQuery = Type.Object({ from: Type.Optional(UnixTime), to: Type.Optional(UnixTime) });
const END_OF_TIME = 253_402_300_799;

export function transactionRoutes(app: App, deps: { access: Access; history: History; objects: Objects }): void {
  for (const base of WALLET_BASES) {
    listRoute(app, deps, base);
    statementRoute(app, deps, base);
  }
}

function listRoute(app: App, { access, history, objects }: { access: Access; history: History; objects: Objects }, base: string): void {
  const schema = { params: KeyParams, querystring: CursorQuery, response: { 200: Type.Array(WalletTransactionObject) } };
  app.get(`${base}/transactions`, { schema }, async (request, reply) => {
    const wallet = await access.wallet(request, 'wallet_tx_read');
    refuseBoth(request.query);
    const page = readPage(request.query);
    if (request.query.after !== undefined) {
      const following = await history.pageAfter(wallet, page.limit, request.query.after);
      if (!following) throw new Refusal('validation_failed', 'after is not the id of a settled transaction of this wallet.');
      cursorHeaders(request, reply, page.limit, following);
      return following.map(objects.walletTransaction);
    }
    const { transactions, total } = await history.page(wallet, page.limit, page.offset);
    pageHeaders(request, reply, page, total);
    return transactions.map(objects.walletTransaction);
  });
}

/** The statement is written while it is read: any number of rows in bounded memory. */
function statementRoute(app: App, { access, history }: { access: Access; history: History }, base: string): void {
  app.get(`${base}/statement`, { schema: { params: KeyParams, querystring: PeriodQuery } }, async (request, reply) => {
    const wallet = await access.wallet(request, 'wallet_tx_read');
    const { from = 0, to = END_OF_TIME } = request.query;
    const pages = history.statement(wallet, { from, to });
    reply.header('content-disposition', `attachment; filename="${wallet.id}.csv"`);
    return reply.type('text/csv; charset=utf-8').send(Readable.from(csv(pages)));
  });
}

const CSV_HEADER = 'time,id,type,label,msat,sat,balance_after_msat,payment_hash\r\n';

async function* csv(pages: AsyncIterable<WalletTransaction[]>): AsyncGenerator<string> {
  yield CSV_HEADER;
  for await (const page of pages) yield page.map(csvLine).join('');
}

function csvLine(wtx: WalletTransaction): string {
  const time = new Date(wtx.createdAt * 1000).toISOString();
  const hash = wtx.lightning?.paymentHash ?? '';
  const fields = [time, wtx.id, wtx.type, label(wtx.userLabel), wtx.amountMsat, wtx.numSatoshis, wtx.balanceAfterMsat ?? '', hash];
  return `${fields.map(quoted).join(',')}\r\n`;
}

/** A spreadsheet runs a text that begins like a formula; labels come from strangers. */
function label(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** RFC 4180. */
function quoted(field: string | number): string {
  const text = String(field);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
