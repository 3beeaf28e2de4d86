import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { accountScope, walletFilter } from '../../http/auth/account-scope.ts';
import { choice, KeyParams, requireNoKey } from '../../http/fields.ts';
import { listTurn } from '../../http/limits/list-turns.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { CursorQuery, readPage, rejectPageWithAfter, setNextLink, setPageHeaders } from '../../http/responses/paging.ts';
import { type History, MAX_COUNT } from './history.ts';
import type { Objects } from './objects.ts';
import { countThatFit, requireFits, sizeOfTransaction } from './page-size.ts';
import type { WalletTransaction } from './wallet-transaction.ts';
import { TYPE_NAMES, WalletTransactionObject } from './wallet-transaction-object.ts';

function unixTime(description: string) {
  return Type.Integer({ minimum: 0, maximum: END_OF_TIME, unit: 'Unix seconds', description });
}

const END_OF_TIME = 253_402_300_799;
const PeriodQuery = Type.Object({
  from: Type.Optional(unixTime('Only transactions of this time or later, in Unix seconds')),
  to: Type.Optional(unixTime('Only transactions of this time or earlier, in Unix seconds')),
});

/** A search that is sent but empty must not return everything. */
const SEARCHED = { mayBeEmpty: false } as const;
const MAX_PASS_THROUGH = 5;

const SearchQuery = Type.Object({
  label: Type.Optional(
    Type.String({ ...SEARCHED, maxLength: 639, description: 'Only transactions whose label contains this text, in upper or lower case' }),
  ),
  payment_hash: Type.Optional(
    Type.String({
      ...SEARCHED,
      pattern: '^[0-9a-fA-F]{64}$',
      rule: '64 hexadecimal characters',
      description: 'Only transactions with this payment hash, in hex',
    }),
  ),
  pass_through: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      ...SEARCHED,
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 255 },
      maxProperties: MAX_PASS_THROUGH,
      rule: `at most ${MAX_PASS_THROUGH} names of passThru with a text of at most 255 characters each, as pass_through[name]=value`,
      description:
        'Only transactions whose `passThru` has these values, as `pass_through[order]=17`. Texts, numbers and booleans of the first level are ' +
        'compared; at most 5 names',
    }),
  ),
});

const ListQuery = Type.Object({
  ...CursorQuery.properties,
  ...PeriodQuery.properties,
  ...SearchQuery.properties,
  status: Type.Optional(
    choice(['settled', 'pending', 'failed', 'open', 'all'], {
      description: 'Default: `settled`. `open`: invoices that can still be paid. `all`: everything but open invoices',
    }),
  ),
  order: Type.Optional(choice(['asc', 'desc'], { description: 'Default: `desc`, newest first' })),
  type: Type.Optional(choice(Object.keys(TYPE_NAMES), { description: 'Only transactions of this type: a `name` of `wtxType`' })),
});

const AccountListQuery = Type.Object({
  ...ListQuery.properties,
  wallet_id: walletFilter('transactions'),
});

const LIST = { tags: ['History'], response: { 200: Type.Array(WalletTransactionObject) } };

const listSchema = {
  ...LIST,
  operationId: 'listWalletTransactions',
  summary: 'List the transactions of a wallet',
  description:
    'Newest first. With `after`, each page costs the same at any depth, and there is no total. Settled transactions are sorted by the time of ' +
    'booking, pending and failed payments and open invoices by the time of creation. Totals and pages of filtered lists end at 1,000. ' +
    '`payment_hash` is found directly. Other filters read at most 20,000 rows per request; with `after`, the next request continues there. ' +
    'An item of `status=open` shows ' +
    'the requested amount, which the balance does not contain. Once it is paid, the settled transaction has another id and the same `lnTx.id`.',
  ...requires('wallet_tx_read'),
  params: KeyParams,
  querystring: ListQuery,
};

const accountListSchema = {
  ...LIST,
  operationId: 'listTransactions',
  summary: 'List the transactions of all wallets of the account',
  description: 'Like the list of one wallet.',
  ...requires('account'),
  querystring: AccountListQuery,
  errorStatuses: [404],
};

const getSchema = {
  operationId: 'getTransaction',
  tags: ['History'],
  summary: 'Read a wallet transaction',
  ...requires('account'),
  params: Type.Object({ id: Type.String({ description: 'The `wtx_` id' }) }),
  response: { 200: WalletTransactionObject },
};

const statementSchema = {
  operationId: 'getStatement',
  tags: ['History'],
  summary: 'Read the statement of a wallet as CSV',
  description:
    'Oldest first. The columns are time, id, type, label, msat, sat, balance_after_msat, payment_hash, counterparty (the other wallet of a ' +
    'transfer, or the node that was paid) and withdraw_link (the withdraw link that was claimed).',
  ...requires('wallet_tx_read'),
  params: KeyParams,
  querystring: PeriodQuery,
  produces: ['text/csv'],
  response: { 200: Type.Unsafe<Readable>({ type: 'string' }) },
  responseHeaders: ['Content-Disposition'],
};

interface TransactionRouteDependencies {
  readonly access: Access;
  readonly history: History;
  readonly objects: Objects;
}

export function transactionRoutes(app: App, deps: TransactionRouteDependencies): void {
  for (const base of WALLET_BASES) {
    listRoute(app, deps, base);
    statementRoute(app, deps, base);
  }
  accountRoutes(app, deps);
}

function listRoute(app: App, deps: TransactionRouteDependencies, base: string): void {
  app.get(`${base}/transactions`, { schema: listSchema }, async (request, reply) => {
    const wallet = await deps.access.wallet(request, 'wallet_tx_read');
    return list(deps, request, reply, wallet);
  });
}

function accountRoutes(app: App, deps: TransactionRouteDependencies): void {
  const { access, history, objects } = deps;
  app.get('/v1/wallet-transactions', { schema: accountListSchema }, async (request, reply) => {
    const scope = await accountScope(access, request);
    return list(deps, request, reply, 'wallet' in scope ? scope.wallet : scope.accountId);
  });

  app.get('/v1/wallet-transactions/:id', { schema: getSchema }, async (request) => {
    const found = await history.find(await access.account(request), request.params.id);
    if (!found) throw new Refusal('not_found');
    return objects.walletTransaction(found);
  });
}

type ListRequest = FastifyRequest & { query: Static<typeof ListQuery> };

async function list(deps: TransactionRouteDependencies, request: ListRequest, reply: FastifyReply, of: Wallet | string) {
  await listTurn(request);
  return readList(deps, request, reply, of);
}

async function readList(
  { history, objects }: TransactionRouteDependencies,
  request: ListRequest,
  reply: FastifyReply,
  of: Wallet | string,
) {
  const { status = 'settled', order = 'desc', type, from, to, after } = request.query;
  rejectPageWithAfter(request.query);
  const page = readPage(request.query);
  const search = readSearch(request.query);
  const part = { limit: page.limit, offset: after === undefined ? page.offset : 0, after, isCounted: after === undefined };
  const listed = await history.list(of, { status, order, type, from, to, ...search }, part);
  if (!listed) throw new Refusal('validation_failed', '`after` must be the id of a transaction of this list.');
  // A list that ended before the limit has nothing on a page beyond it; a longer one has to be read by cursor.
  if (listed.isCapped && page.page > 1 && page.offset + page.limit > MAX_COUNT)
    throw new Refusal(
      'validation_failed',
      `Pages of this list end at ${MAX_COUNT} items. Use after=<id of the last item> instead of page.`,
    );
  if (listed.total === undefined) {
    const items = listed.items.slice(0, countThatFit(listed.items, sizeOfTransaction));
    setNextLink(request, reply, page.limit, items.length < listed.items.length ? items.at(-1)?.id : listed.next);
    return items.map(objects.walletTransaction);
  }
  const items = requireFits(listed.items);
  setPageHeaders(request, reply, page, listed.total);
  if (listed.isCapped) reply.header('x-pagination-total-capped', 'true');
  return items.map(objects.walletTransaction);
}

/** @throws Refusal for a key, which the links of the response would repeat. */
function readSearch({ label, payment_hash: paymentHash, pass_through: passThru }: Static<typeof SearchQuery>) {
  for (const text of [label ?? '', ...Object.entries(passThru ?? {}).flat()]) requireNoKey('`label` and `pass_through`', text);
  return { label, paymentHash: paymentHash?.toLowerCase(), passThru };
}

function statementRoute(app: App, { access, history }: { access: Access; history: History }, base: string): void {
  const route = { schema: statementSchema, config: { closedQuery: true } };
  app.get(`${base}/statement`, route, async (request, reply) => {
    const wallet = await access.wallet(request, 'wallet_tx_read');
    const { from = 0, to = END_OF_TIME } = request.query;
    const pages = history.statement(wallet, { from, to });
    reply.header('content-disposition', `attachment; filename="${wallet.id}.csv"`);
    // Fastify would read the whole statement for HEAD.
    return reply.type('text/csv; charset=utf-8').send(Readable.from(request.method === 'HEAD' ? [] : csv(pages)));
  });
}

const CSV_HEADER = 'time,id,type,label,msat,sat,balance_after_msat,payment_hash,counterparty,withdraw_link\r\n';

async function* csv(pages: AsyncIterable<WalletTransaction[]>): AsyncGenerator<string> {
  yield CSV_HEADER;
  for await (const page of pages) yield page.map(csvLine).join('');
}

function csvLine(wtx: WalletTransaction): string {
  const time = new Date(wtx.createdAt * 1000).toISOString();
  const hash = wtx.lightning?.paymentHash ?? '';
  const fields = [
    time,
    wtx.id,
    wtx.type,
    label(wtx.userLabel),
    wtx.amountMsat,
    wtx.numSatoshis,
    wtx.balanceAfterMsat ?? '',
    hash,
    counterpartyOf(wtx),
    wtx.lightning?.withdrawLinkId ?? '',
  ];
  return `${fields.map(quoted).join(',')}\r\n`;
}

/** The other wallet of a transfer, or the node that a payment went to; Lightning does not reveal who paid an invoice. */
function counterpartyOf({ transferWallets, lightning, wallet, amountMsat }: WalletTransaction): string {
  if (transferWallets) return transferWallets.sourceId === wallet.id ? transferWallets.destinationId : transferWallets.sourceId;
  return lightning && amountMsat < 0 ? lightning.destPubkey : '';
}

/**
 * Puts an apostrophe before what a spreadsheet would run as a formula; labels come from strangers. A spreadsheet may also split a cell at
 * a semicolon, a tab or a line break, so the text after each of them counts as the start of a cell. Full-width signs count as signs.
 */
function label(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g, "'");
}

/** Quotes a field as RFC 4180 requires, and where a spreadsheet might take a character for a separator. */
function quoted(field: string | number): string {
  const text = String(field);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
