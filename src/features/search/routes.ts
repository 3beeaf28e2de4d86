import { Type } from 'typebox';
import type { Database } from '../../core/db/database.ts';
import { shownSat } from '../../core/journal/amount-range.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import type { App } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { choice, requireNoKey } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { type SearchType, search, TYPES } from './search.ts';

const MAX_RESULTS = 100;
const DEFAULT_RESULTS = 20;
const TYPE_NAMES = Object.keys(TYPES) as SearchType[];

const SearchResult = namedObject('SearchResult', {
  type: oneOf(TYPE_NAMES, { description: 'What was found' }),
  id: Type.String({ description: 'Its id' }),
  label: Type.String({
    description: 'Its label or memo. With the address of a pay link, and the last four characters of a key. The e-mail of an account',
  }),
  wallet_id: nullable(Type.String({ description: 'Its wallet; null for an account and for a key of it' })),
  account_id: Type.String({ description: 'Its account' }),
  matched: oneOf(['id', 'payment_hash', 'address', 'id_prefix', 'amount', 'words'], {
    description: 'What matched: the whole id, the payment hash, the Lightning address or the beginning of the e-mail, …',
  }),
  created_at: Type.Integer({ description: 'When it was created, in Unix seconds; when a transaction was booked' }),
  num_satoshis: nullable(
    Type.Integer({ description: 'The change of the balance in satoshis, as lists of transactions show it; null for all but transactions' }),
  ),
  num_msat: nullable(Type.Integer({ description: 'The same, exact in millisatoshis' })),
  status: nullable(oneOf(['settled', 'pending', 'failed'], { description: 'The status of a transaction; null for all others' })),
});

const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 8000,
    description:
      'An id or its first characters (at least 10 after the `_`), a payment hash, an invoice, a whole number of satoshis, or words. Each word must ' +
      'be the beginning of a word of the label or memo, in upper or lower case',
  }),
  type: Type.Optional(choice(TYPE_NAMES, { description: 'Only objects of this type' })),
  scope: Type.Optional(
    choice(['account', 'service'], {
      description:
        '`account`: the objects of the account, the default. `service`: those of all accounts, and the accounts, by id or the beginning of the ' +
        'e-mail. Only for operators',
    }),
  ),
  'per-page': Type.Optional(
    Type.Integer({
      minimum: 1,
      mayBeEmpty: true,
      description: 'The number of results. Default: 20, at most 100. There are no further pages',
    }),
  ),
});

const searchSchema = {
  operationId: 'search',
  tags: ['History'],
  summary: 'Find objects of the account, or of all accounts',
  description:
    'Exact ids and payment hashes first, then Lightning addresses and beginnings of ids, then amounts, then words: wallets, pay links and addresses, withdraw links, keys, invoices (by ' +
    'memo), payments and transfers (as wallet transactions, by label or memo), the newest first. A label is found by its first 8 words. Of ' +
    'several words, the rarest may be in hundreds of objects of a type; the newest 200 of them are compared with the others. ' +
    'A whole number, such as `1540`, `1 540`, `1,540` or `-1.540 sats`, finds the newest transactions of the account that show this amount, in either ' +
    'direction: at most half of the results without `type`. Of an amount that more than 10,000 transactions may have, those among the newest 20,000 ' +
    'transactions are found.',
  ...requires('account'),
  querystring: SearchQuery,
  response: { 200: Type.Array(SearchResult) },
};

export function searchRoutes(app: App, { access, database }: { access: Access; database: Database }): void {
  app.get('/v1/search', { schema: searchSchema }, async (request) => {
    const { q, type, scope, 'per-page': perPage = DEFAULT_RESULTS } = request.query;
    if (scope === 'service') await access.operator(request);
    const accountId = scope === 'service' ? undefined : await access.account(request);
    requireNoKey('`q`', q);
    await takeTurn();
    const found = await search(database, { accountId, text: q.trim(), type, limit: Math.min(perPage, MAX_RESULTS) });
    return found.map(({ amount_msat: amountMsat, balance_msat: balanceMsat, ...one }) => ({
      ...one,
      num_satoshis: amountMsat === null ? null : shownSat(amountMsat, balanceMsat),
      num_msat: amountMsat,
    }));
  });
}
