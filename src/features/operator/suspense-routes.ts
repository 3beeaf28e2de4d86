import { type Static, Type } from 'typebox';
import type { SqlReader } from '../../core/db/database.ts';
import { type List, mapList, pageOf } from '../../core/kernel/list.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice, PaymentRequest, plainText, requestBody } from '../../http/fields.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { namedObject } from '../../http/responses/response-types.ts';
import { ActionObject, listRecordsOfSubject } from './action-object.ts';
import * as sql from './operator.sql.ts';
import { ACTION, amount, NEEDS_KEY, OPERATOR, type OperatorRouteModules, RECORDED, Reason, runAction } from './operator-route.ts';

/** Money that arrived for no wallet: a settlement without an invoice, or the second payment of one. */
const SuspenseObject = namedObject('SuspendedMoney', {
  id: Type.String({ description: 'The payment hash, which identifies the money' }),
  created_at: Type.Integer({ description: 'When it arrived, in Unix seconds' }),
  num_msat: amount('What arrived'),
  left_msat: amount('What of it is left in suspense'),
  ln_node_id: Type.String({ description: 'The node at which it arrived' }),
  is_keysend: Type.Boolean({ description: 'Whether it was a keysend. Otherwise an invoice was paid twice' }),
  actions: Type.Array(ActionObject, { description: 'What operators requested for it, oldest first' }),
});

type SuspendedMoney = Static<typeof SuspenseObject>;

/** Before and after every settlement. */
const START = { created_at: -1, id: '' };
const END = { created_at: Number.MAX_SAFE_INTEGER, id: '' };

const HashParams = Type.Object({ id: Type.String({ description: 'The payment hash of the money in suspense, its `id`' }) });

const listSchema = {
  ...OPERATOR,
  operationId: 'listSuspense',
  summary: 'List money that arrived for no wallet',
  description: 'Newest first, with what operators did with it.',
  querystring: Type.Object({
    ...ListQuery.properties,
    status: Type.Optional(choice(['open', 'all'], { description: '`all`: also what was credited or returned. Default: `open`' })),
  }),
  response: { 200: Type.Array(SuspenseObject) },
};

const creditSchema = {
  ...ACTION,
  operationId: 'creditSuspense',
  summary: 'Credit money in suspense to a wallet',
  description: `Credits all that is left of it, once. 409 \`action_refused\`: nothing is left. ${RECORDED}`,
  params: HashParams,
  body: requestBody({
    wallet_id: Type.String({ maxLength: 64, description: 'The wallet (`wal_…`) to which all that is left of the money is credited' }),
    reason: Reason,
  }),
};

const returnSchema = {
  ...ACTION,
  operationId: 'returnSuspense',
  summary: 'Return money in suspense to its payer',
  description:
    'Pays an invoice with it. What is left after the amount and the routing fee stays in suspense. 409 `action_refused`: the payment failed ' +
    `or was not started, and the money is in suspense. ${RECORDED}`,
  params: HashParams,
  body: requestBody({
    payment_request: { ...PaymentRequest, description: 'A BOLT11 invoice with an amount. The routing fee is paid from the same money' },
    reason: Reason,
  }),
};

/** Money in suspense: operators list it, credit it to a wallet, or return it to its payer. */
export function suspenseRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, database, payments, wallets } = modules;
  /** @throws Refusal `not_found` */
  const readHash = async (id: string) => requireFound(await database.first(sql.findUnmatchedSettlement, id.toLowerCase())).id;

  app.get('/v1/operator/suspense', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    return sendList(request, reply, listSuspense(database, request.query.status), (money) => money);
  });

  app.post('/v1/operator/suspense/:id/credit', { schema: creditSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const subject = await readHash(request.params.id);
    const target = plainText('wallet_id', request.body.wallet_id);
    const wallet = await wallets.find(target);
    if (!wallet) throw new Refusal('not_found', 'There is no wallet with the id in `wallet_id`.');
    return runAction(modules, request, reply, credential, { kind: 'credit', subject, target, accountId: wallet.accountId });
  });

  app.post('/v1/operator/suspense/:id/return', { schema: returnSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const subject = await readHash(request.params.id);
    const { paymentRequest: target, amountMsat } = payments.readInvoice(request.body.payment_request);
    if (amountMsat === undefined) throw new Refusal('invoice_amount_missing', 'The invoice must state its amount.');
    return runAction(modules, request, reply, credential, { kind: 'return', subject, target });
  });
}

const HASH = /^[0-9a-f]{64}$/;

/** Returns settlements without a wallet, in the order in which they arrived: those of which something is left in suspense, or all. */
export function listSuspense(database: SqlReader, status: 'open' | 'all' = 'open'): List<SuspendedMoney> {
  const statements = sql.listUnmatched[status];
  const settlements: List<sql.UnmatchedSettlementRow> = {
    async readPage({ limit, order, after }) {
      const hash = after?.toLowerCase();
      const cursor = hash !== undefined && HASH.test(hash) ? await database.first(sql.findUnmatchedSettlement, hash) : undefined;
      if (after !== undefined && !cursor)
        throw new Refusal('validation_failed', '`after` must be the id of an item of this list, a payment hash.');
      const { created_at: time, id } = cursor ?? (order === 'asc' ? START : END);
      return pageOf(await database.all(statements[order], time, id, limit + 1), limit, (row) => row.id);
    },
    count: async (max) => (await database.first(statements.count, max))?.n ?? 0,
  };
  const render = async (row: sql.UnmatchedSettlementRow) => ({
    ...row,
    is_keysend: row.is_keysend === 1,
    actions: await listRecordsOfSubject(database, row.id),
  });
  return mapList(settlements, (rows) => Promise.all(rows.map(render)));
}
