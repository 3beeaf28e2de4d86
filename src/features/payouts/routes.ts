import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { List } from '../../core/kernel/list.ts';
import { PER_TURN } from '../../core/kernel/turns.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Rates } from '../../core/rates/rates.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { AMOUNT, FIAT_AMOUNT } from '../../http/amounts.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../http/app-type.ts';
import { linesOf } from '../../http/bulk.ts';
import { described, FeeLimit, KeyParams, Memo, NumSatoshis, PassThru, plainText, requestBody, UserLabel } from '../../http/fields.ts';
import type { RateLimits } from '../../http/limits/rate-limits.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { sendCsvFile } from '../../http/responses/csv.ts';
import { CsvListQuery, ListQuery, readListPage, sendList } from '../../http/responses/list.ts';
import { PayoutObject, PayoutWithLinesObject, REPORT_HEADER, renderLine, renderPayout, reportRow } from './payout-object.ts';
import { readLines } from './payout-order.ts';
import type { ListedLine, Payouts } from './payouts.ts';

const MAX_DESTINATION = 8000;
const MAX_COMMENT = 1000;

const Lines = linesOf(
  {
    destination: Type.String({
      maxLength: MAX_DESTINATION,
      description:
        'A BOLT11 invoice, a Lightning address, the LNURL of a pay link, or the id or an access key of a wallet of the account. An access key is ' +
        'not stored: the line shows the id of the wallet',
    }),
    num_satoshis: Type.Optional(
      described(
        NumSatoshis,
        'The amount in whole satoshis. Unless `num_msat` is sent, it is required for all destinations but an invoice with an amount',
      ),
    ),
    num_msat: AMOUNT.num_msat,
    ...FIAT_AMOUNT,
    memo: Type.Optional(
      described(Memo, 'The label of the transaction. Default: the description of the invoice or link. At most 639 bytes in UTF-8'),
    ),
    comment: Type.Optional(
      Type.String({
        maxLength: MAX_COMMENT,
        description:
          'A text for the payee of an address or LNURL. Left out where none is accepted, or if it is too long: the line has the reason in `passThru.comment_not_sent`',
      }),
    ),
    fee_limit_msat: Type.Optional(FeeLimit),
    passThru: Type.Optional(PassThru),
  },
  'One payment each',
);

const COMMON = { tags: ['Money'], params: KeyParams };
const PayoutParams = Type.Object({
  ...KeyParams.properties,
  id: Type.String({ description: 'The id of the payout, `payout_…`' }),
});

const createSchema = {
  ...COMMON,
  operationId: 'createPayout',
  summary: 'Order a list of payments',
  description:
    'Stores up to 1,000 payments, which are made in the background; the event `payout_finished` follows the last one. Each line is paid at most ' +
    'once, also when the service is restarted. A line that fails does not stop the others. The payments need the key: when it is revoked or its ' +
    'budget is used up, the remaining lines fail. An error names the line, counted from 0: `lines[17].destination`. The body may have 1 MiB. It may ' +
    'also be CSV (`text/csv`), whose first row has the names of the fields of a line.',
  ...requires('wallet_withdraw'),
  body: requestBody({ user_label: Type.Optional(UserLabel), lines: Lines }),
  response: { 201: PayoutObject },
};

const listSchema = {
  ...COMMON,
  operationId: 'listPayouts',
  summary: 'List the payouts of a wallet',
  ...requires('wallet_read'),
  querystring: CsvListQuery,
  response: { 200: Type.Array(PayoutObject) },
};

const getSchema = {
  ...COMMON,
  operationId: 'getPayout',
  summary: 'Read a payout and a page of its lines',
  description: 'The lines are sorted by their numbers. `after` is the number of a line.',
  ...requires('wallet_read'),
  params: PayoutParams,
  querystring: ListQuery,
  response: { 200: PayoutWithLinesObject },
};

const reportSchema = {
  ...COMMON,
  operationId: 'getPayoutReport',
  summary: 'Read the lines of a payout as CSV',
  description:
    'The columns are line, destination, num_msat, memo, status, failure_reason, failure_message, lntx_id, wtx_id, fee_msat ' +
    'and, for an amount in a currency, amount, currency, rate, rate_at and rate_source; comment_not_sent is why the payee has not got the comment.',
  ...requires('wallet_read'),
  params: PayoutParams,
  produces: ['text/csv'],
  response: { 200: Type.Unsafe<Readable>({ type: 'string' }) },
  responseHeaders: ['Content-Disposition'],
};

const cancelSchema = {
  ...COMMON,
  operationId: 'cancelPayout',
  summary: 'Cancel the lines of a payout that have not started',
  description: 'They are `failed` with the reason `cancelled`. Payments that have started continue.',
  ...requires('wallet_withdraw'),
  params: PayoutParams,
  response: { 200: PayoutObject },
};

interface PayoutRouteContext extends RouteContext {
  readonly payouts: Payouts;
  readonly payments: Payments;
  readonly rates: Rates;
  readonly wallets: Wallets;
  readonly clock: Clock;
  readonly limits: RateLimits;
}

/** The routes of payouts: lists of payments that a background job makes. */
export function payoutRoutes(app: App, deps: PayoutRouteContext): void {
  for (const base of WALLET_BASES) routesOf(app, deps, `${base}/payouts`);
}

function routesOf(app: App, { access, runIdempotent, limits, payouts, clock, ...modules }: PayoutRouteContext, path: string): void {
  app.post(path, { schema: createSchema, config: { isBulk: true, needsIdempotencyKey: true } }, async (request, reply) => {
    const { wallet, guards, credential } = await access.authorizeWallet(request, 'wallet_withdraw');
    const { user_label: label = '', lines } = request.body;
    const userLabel = plainText('user_label', label);
    const payout = await runIdempotent(
      request,
      reply,
      { credential, walletId: wallet.id },
      {
        async make({ rows }) {
          limits.chargeLines(request, lines.length);
          const checked = await readLines({ ...modules, nowSeconds: unixSeconds(clock) }, wallet, lines);
          return payouts.create({ wallet, key: credential.key, guards, userLabel, lines: checked }, rows);
        },
        replay: (id) => payouts.find(wallet, id),
      },
    );
    return reply.code(201).send(renderPayout(payout));
  });

  app.get(path, { schema: listSchema }, async (request, reply) => {
    const wallet = await access.wallet(request, 'wallet_read');
    return sendList(request, reply, payouts.list(wallet), renderPayout);
  });

  app.get(`${path}/:id`, { schema: getSchema }, async (request, reply) => {
    const wallet = await access.wallet(request, 'wallet_read');
    const payout = await payouts.find(wallet, request.params.id);
    const lines = await readListPage(request, reply, payouts.listLines(payout), 'asc');
    return { ...renderPayout(payout), lines: lines.map(renderLine) };
  });

  app.get(`${path}/:id/report`, { schema: reportSchema, config: { closedQuery: true } }, async (request, reply) => {
    const wallet = await access.wallet(request, 'wallet_read');
    const payout = await payouts.find(wallet, request.params.id);
    return sendCsvFile(request, reply, payout.id, report(payouts.listLines(payout)));
  });

  app.post(`${path}/:id/cancel`, { schema: cancelSchema }, async (request, reply) => {
    const { wallet, guards, credential } = await access.authorizeWallet(request, 'wallet_withdraw');
    const { id } = request.params;
    const payout = await runIdempotent(
      request,
      reply,
      { credential, walletId: wallet.id, objectId: id },
      {
        async make({ rows }) {
          return payouts.cancel(wallet, id, guards, rows(id));
        },
        replay: () => payouts.find(wallet, id),
      },
    );
    return reply.code(200).send(renderPayout(payout));
  });
}

async function* report(lines: List<ListedLine>): AsyncGenerator<string> {
  yield REPORT_HEADER;
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const { items, next } = await lines.readPage({ limit: PER_TURN.rows, order: 'asc', after });
    yield items.map(reportRow).join('');
    after = next;
    isLast = next === undefined;
  }
}
