import { type Static, Type } from 'typebox';
import type { Accounts } from '../../core/accounts/accounts.ts';
import { isIdOf } from '../../core/kernel/ids.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { accountScope, walletFilter } from '../../http/auth/account-scope.ts';
import { choice, HEX_32, KeyParams, MAX_SAT, requireNoKey, unixTime } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { NumberedListQuery, sendList } from '../../http/responses/list.ts';
import type { History } from './history.ts';
import { TYPE_NAMES, WalletTransactionObject } from './wallet-transaction-object.ts';

export const PeriodQuery = Type.Object({
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
      ...HEX_32,
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

const satoshis = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SAT, unit: 'satoshis', description }));

const AmountQuery = Type.Object({
  min_satoshis: satoshis(
    'Only transactions of at least this many satoshis, in either direction: `num_satoshis` is compared, without its sign. For an exact amount, ' +
      'send the same number as `max_satoshis`',
  ),
  max_satoshis: satoshis('Only transactions of at most this many satoshis, in either direction'),
});

/** The filters of lists of transactions. */
export const TransactionFilters = Type.Object({
  ...PeriodQuery.properties,
  ...SearchQuery.properties,
  ...AmountQuery.properties,
  status: Type.Optional(
    choice(['settled', 'pending', 'failed', 'open', 'all'], {
      description: 'Default: `settled`. `open`: invoices that can still be paid. `all`: everything but open invoices',
    }),
  ),
  type: Type.Optional(choice(Object.keys(TYPE_NAMES), { description: 'Only transactions of this type: a `name` of `wtxType`' })),
});

const ListParameters = Type.Object({ ...NumberedListQuery.properties, ...TransactionFilters.properties });

const LIST = { tags: ['History'], response: { 200: Type.Array(WalletTransactionObject) } };

const listSchema = {
  ...LIST,
  operationId: 'listWalletTransactions',
  summary: 'List the transactions of a wallet',
  description:
    'Newest first. With `after`, each page costs the same at any depth, and there is no total without `count=1`. Settled transactions are sorted by the time of ' +
    'booking, pending and failed payments and open invoices by the time of creation. Totals and pages of filtered lists end at 10,000. ' +
    '`payment_hash` is found directly, and so are at most 10,000 transactions of the account with an amount from `min_satoshis` to `max_satoshis`. Other filters read at most 20,000 rows per request; with `after`, the next request continues there. ' +
    'An item of `status=open` shows ' +
    'the requested amount, which the balance does not contain. Once it is paid, the settled transaction has another id and the same `lnTx.id`.',
  ...requires('wallet_tx_read'),
  params: KeyParams,
  querystring: ListParameters,
};

const KeyFilter = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'Only payments and transfers made with this key, or with a key that it replaced or that replaced it: the `key_` id of a key of the account, of a ' +
      'wallet or of a connection. Includes claims of its withdraw links, but not fees. Not together with `wallet_id`. Payments made before the service ' +
      'recorded keys are not included',
  }),
);

const accountListSchema = {
  ...LIST,
  operationId: 'listTransactions',
  summary: 'List the transactions of all wallets of the account',
  description: 'Like the list of one wallet.',
  ...requires('account'),
  querystring: Type.Object({ ...ListParameters.properties, wallet_id: walletFilter('transactions'), key_id: KeyFilter }),
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

interface TransactionRouteContext {
  readonly access: Access;
  readonly accounts: Accounts;
  readonly history: History;
}

export function transactionRoutes(app: App, { access, accounts, history }: TransactionRouteContext): void {
  /** @throws Refusal `not_found` unless it is the id of a key of the account or of one of its wallets */
  async function keyScope(accountId: string, keyId: string): Promise<{ accountId: string; lineageId: string }> {
    requireNoKey('`key_id`', keyId);
    // PostgreSQL rejects text that contains NUL.
    const key = isIdOf('key', keyId) ? await accounts.findById(keyId) : undefined;
    if (key?.accountId !== accountId) throw new Refusal('not_found');
    return { accountId, lineageId: key.lineageId };
  }

  for (const base of WALLET_BASES) {
    app.get(`${base}/transactions`, { schema: listSchema }, async (request, reply) => {
      const wallet = await access.wallet(request, 'wallet_tx_read');
      return sendList(request, reply, history.list({ wallet }, readTransactionQuery(request.query)), (wtx) => wtx);
    });
  }

  app.get('/v1/wallet-transactions', { schema: accountListSchema }, async (request, reply) => {
    const { key_id: keyId, wallet_id: walletId } = request.query;
    if (keyId !== undefined && walletId !== undefined)
      throw new Refusal('validation_failed', 'Send either `key_id` or `wallet_id`, not both.');
    const scope = keyId === undefined ? await accountScope(access, request) : await keyScope(await access.account(request), keyId);
    return sendList(request, reply, history.list(scope, readTransactionQuery(request.query)), (wtx) => wtx);
  });

  app.get('/v1/wallet-transactions/:id', { schema: getSchema }, async (request) => {
    return requireFound(await history.find(await access.account(request), request.params.id));
  });
}

/** Returns the filters of a list. @throws Refusal for a key, which the links of the response would repeat. */
export function readTransactionQuery({
  status = 'settled',
  type,
  from,
  to,
  label,
  payment_hash,
  pass_through: passThru,
  min_satoshis: minSat,
  max_satoshis: maxSat,
}: Static<typeof TransactionFilters>) {
  for (const text of [label ?? '', ...Object.entries(passThru ?? {}).flat()]) requireNoKey('`label` and `pass_through`', text);
  if (minSat !== undefined && maxSat !== undefined && minSat > maxSat)
    throw new Refusal('validation_failed', '`min_satoshis` must not be greater than `max_satoshis`.');
  const amount = minSat === undefined && maxSat === undefined ? undefined : { minSat, maxSat };
  return { status, type, from, to, amount, label, paymentHash: payment_hash?.toLowerCase(), passThru };
}
