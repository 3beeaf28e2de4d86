import { type Statement, statement } from '../../core/db/statement.ts';
import type { SearchedType } from '../../core/journal/search-words.ts';
import type { WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';

export type ObjectRow = {
  id: string;
  label: string;
  wallet_id: string | null;
  account_id: string;
  created_at: number;
  /** Of a wallet transaction; null for all others. */
  status: WalletTransactionRow['status'] | null;
  amount_msat: number | null;
  balance_msat: number | null;
};

/** A table of searched objects. */
interface Source {
  readonly table: string;
  /** The columns of {@link ObjectRow} after the id, without those of wallet transactions, of the table `o`. The label has all words of the object. */
  readonly columns: string;
  /** The columns of wallet transactions. */
  readonly more?: string;
  readonly account?: string;
  readonly join?: string;
}

/** The searched objects by the prefixes of their ids. Accounts are found by e-mail, not by words. */
export type FoundType = SearchedType | 'acc';

const NO_TRANSACTION = 'NULL AS status, CAST(NULL AS BIGINT) AS amount_msat, CAST(NULL AS BIGINT) AS balance_msat';
const OF_WALLET = 'JOIN wallet w ON w.id = o.wallet_id';

const SOURCES: Readonly<Record<FoundType, readonly Source[]>> = {
  acc: [
    {
      table: 'account',
      columns: `coalesce(o.email, '') AS label, NULL AS wallet_id, o.id AS account_id, o.created_at`,
      account: 'o.id',
    },
  ],
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
      columns: `trim(o.user_label || coalesce(' …' || o.last_four, '')) AS label, o.wallet_id, o.account_id, o.created_at`,
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
  wtx: [
    {
      table: 'wallet_transaction',
      columns: 'o.label, o.wallet_id, o.account_id, o.placed_at_ms / 1000 AS created_at',
      more: 'o.status, o.amount_msat, o.balance_msat',
    },
  ],
};

function isOf(account: string): string {
  return `(CAST($1 AS TEXT) IS NULL OR ${account} = $1)`;
}

/** Selects objects of an account ($1), of all accounts if it is NULL, that satisfy a condition. */
function objectsOf(type: FoundType, condition: string): string {
  return SOURCES[type]
    .map(
      ({ table, columns, more = NO_TRANSACTION, account = 'o.account_id', join = '' }) =>
        `SELECT o.id, ${columns}, ${more} FROM ${table} o ${join} WHERE ${isOf(account)} AND ${condition}`,
    )
    .join(' UNION ALL ');
}

function ofTypes<T>(make: (type: FoundType) => T): Readonly<Record<FoundType, T>> {
  const types = Object.keys(SOURCES) as FoundType[];
  return Object.fromEntries(types.map((type) => [type, make(type)])) as Record<FoundType, T>;
}

/** The objects of an account ($1), of all accounts if it is NULL, among these ids ($2). */
export const readObjects = ofTypes((type) =>
  statement<ObjectRow>(`search_read_${type}`, {
    sqlite: objectsOf(type, 'o.id IN (SELECT value FROM json_each($2))'),
    postgres: objectsOf(type, 'o.id = ANY($2::text[])'),
  }),
);

/** The first ids from $1 until before $2, of any account: a long prefix has few. */
export const idsInRange: Readonly<Record<FoundType, Statement<{ id: string }>>> = ofTypes((type) =>
  statement<{ id: string }>(
    `search_ids_${type}`,
    SOURCES[type]
      .map(({ table }) => `SELECT id FROM (SELECT id FROM ${table} WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3) AS ${table}_rows`)
      .join(' UNION ALL '),
  ),
);

/** Invoices and payments of an account ($1), of all accounts if it is NULL, with a payment hash ($2), the newest first. */
export const findByHash = statement<{ id: string }>(
  'search_find_hash',
  `SELECT id FROM (
     SELECT id FROM invoice WHERE payment_hash = $2 AND ${isOf('account_id')}
     UNION ALL SELECT p.id FROM payment p JOIN wallet w ON w.id = p.wallet_id WHERE p.payment_hash = $2 AND ${isOf('w.account_id')}) AS of_hash
   ORDER BY id DESC LIMIT $3`,
);

/** Accounts with an e-mail from $1 until before $2. */
export const findByEmail = statement<{ id: string }>(
  'search_find_email',
  'SELECT id FROM account WHERE email >= $1 AND email < $2 ORDER BY email LIMIT $3',
);

/** The link of a Lightning address. */
export const findByAddress = statement<{ id: string }>(
  'search_find_address',
  `SELECT id FROM pay_link WHERE name = $1 AND domain = $2 AND state = 'active'`,
);
