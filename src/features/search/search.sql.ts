import { type Statement, statement } from '../../core/db/statement.ts';
import type { SearchedType } from '../../core/journal/search-words.ts';

export type ObjectRow = {
  id: string;
  label: string;
  wallet_id: string | null;
  account_id: string;
  created_at: number;
};

/** A table of searched objects. */
interface Source {
  readonly table: string;
  /** The columns of {@link ObjectRow} after the id, of the table `o`. The label has all words of the object. */
  readonly columns: string;
  readonly account?: string;
  readonly join?: string;
}

const OF_WALLET = 'JOIN wallet w ON w.id = o.wallet_id';

const SOURCES: Readonly<Record<SearchedType, readonly Source[]>> = {
  wal: [{ table: 'wallet', columns: 'o.user_label AS label, o.id AS wallet_id, o.account_id, o.created_at' }],
  lnurlp: [
    {
      table: 'pay_link',
      columns: `trim(o.user_label || coalesce(' ' || o.name || '@' || o.domain, '')) AS label, o.wallet_id, o.account_id, o.created_at`,
    },
  ],
  lnurlw: [
    {
      table: 'withdraw_link',
      columns: 'o.user_label AS label, o.wallet_id, w.account_id, o.created_at',
      account: 'w.account_id',
      join: OF_WALLET,
    },
  ],
  key: [
    {
      table: 'access_key',
      columns: `trim(o.label || coalesce(' …' || o.last_four, '')) AS label, o.wallet_id, o.account_id, o.created_at`,
    },
  ],
  lntx: [
    { table: 'invoice', columns: 'o.memo AS label, o.wallet_id, o.account_id, o.created_at' },
    {
      table: 'payment',
      columns: 'o.user_label AS label, o.wallet_id, w.account_id, o.created_at',
      account: 'w.account_id',
      join: OF_WALLET,
    },
  ],
  wtx: [{ table: 'wallet_transaction', columns: 'o.label, o.wallet_id, o.account_id, o.placed_at_ms / 1000 AS created_at' }],
};

/** Selects objects of an account ($1) that satisfy a condition. */
function objectsOf(type: SearchedType, condition: string): string {
  return SOURCES[type]
    .map(
      ({ table, columns, account = 'o.account_id', join = '' }) =>
        `SELECT o.id, ${columns} FROM ${table} o ${join} WHERE ${account} = $1 AND ${condition}`,
    )
    .join(' UNION ALL ');
}

function ofTypes<T>(make: (type: SearchedType) => T): Readonly<Record<SearchedType, T>> {
  const types = Object.keys(SOURCES) as SearchedType[];
  return Object.fromEntries(types.map((type) => [type, make(type)])) as Record<SearchedType, T>;
}

/** The objects of an account ($1) among these ids ($2). */
export const readObjects = ofTypes((type) =>
  statement<ObjectRow>(`search_read_${type}`, {
    sqlite: objectsOf(type, 'o.id IN (SELECT value FROM json_each($2))'),
    postgres: objectsOf(type, 'o.id = ANY($2::text[])'),
  }),
);

/** The first ids from $1 until before $2, of any account: a long prefix has few. */
export const idsInRange: Readonly<Record<SearchedType, Statement<{ id: string }>>> = ofTypes((type) =>
  statement<{ id: string }>(
    `search_ids_${type}`,
    SOURCES[type]
      .map(({ table }) => `SELECT id FROM (SELECT id FROM ${table} WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3) AS ${table}_rows`)
      .join(' UNION ALL '),
  ),
);

/** Invoices and payments of an account ($1) with a payment hash ($2), the newest first. */
export const findByHash = statement<{ id: string }>(
  'search_find_hash',
  `SELECT id FROM (
     SELECT id FROM invoice WHERE payment_hash = $2 AND account_id = $1
     UNION ALL SELECT p.id FROM payment p JOIN wallet w ON w.id = p.wallet_id WHERE p.payment_hash = $2 AND w.account_id = $1) AS of_hash
   ORDER BY id DESC LIMIT $3`,
);
