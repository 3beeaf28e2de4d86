import type { Database } from '../../core/db/database.ts';
import { AFTER_TEXT, findByWord, wordsOf } from '../../core/journal/search-words.ts';
import { readTransactions } from '../../core/journal/wallet-transactions.ts';
import { readPaymentText } from '../../core/kernel/payment-text.ts';
import { canonicalText, unverifiedPaymentHash } from '../../core/lightning/bolt11/bolt11.ts';
import * as sql from './search.sql.ts';
import { readWholeNumber } from './whole-number.ts';

/** The names of the types in the API, in the order of the results. */
export const TYPES = {
  account: 'acc',
  wallet: 'wal',
  pay_link: 'lnurlp',
  withdraw_link: 'lnurlw',
  key: 'key',
  lightning_transaction: 'lntx',
  wallet_transaction: 'wtx',
} as const satisfies Record<string, sql.FoundType>;

export type SearchType = keyof typeof TYPES;
export type Match = 'id' | 'payment_hash' | 'address' | 'id_prefix' | 'amount' | 'words';

export interface Found extends sql.ObjectRow {
  readonly type: SearchType;
  readonly matched: Match;
}

export interface SearchQuery {
  /** Undefined: all accounts, for an operator. */
  readonly accountId: string | undefined;
  readonly text: string;
  /** Undefined: all types. */
  readonly type?: SearchType | undefined;
  readonly limit: number;
}

/** The time of the id and two more characters: hardly more than one id begins with them. */
const MIN_PREFIX = 10;
const ID_PREFIX = new RegExp(`^([a-z]+)_[0-9A-Za-z]{${MIN_PREFIX},}$`);
const HASH = /^[0-9a-f]{64}$/i;
const MAX_IDS_OF_PREFIX = 20;
const EMAIL_PREFIX = /^[^\s@]{2,}(@\S*)?$/;
const ADDRESS = /^([^\s@]+)@([^\s@]+)$/;
/** With several words, the objects with the rarest one are read, and compared with the others. */
const MAX_COMPARED = 200;

/**
 * Finds objects of an account: first by id or payment hash, then by address or the beginning of an id, by amount, and by words. Each read uses an index, or
 * finds at most a few ids, so its cost does not depend on the number of objects.
 */
export async function search(database: Database, query: SearchQuery): Promise<Found[]> {
  const { text, limit } = query;
  const found = new Map<string, Found>();
  const add = (some: readonly Found[]) => {
    for (const one of some) if (!found.has(one.id)) found.set(one.id, one);
  };
  add(await findByHash(database, query));
  add(await findByAddress(database, query));
  add(await findByEmail(database, query));
  add(await findByPrefix(database, query));
  add(await findByAmount(database, query));
  const words = wordsOf(text);
  for (const type of words.length === 0 ? [] : typesOf(query)) {
    if (found.size >= limit) break;
    add(await findByWords(database, query, type, words));
  }
  return [...found.values()].slice(0, limit);
}

function typesOf({ type }: SearchQuery): readonly SearchType[] {
  return type === undefined ? (Object.keys(TYPES) as SearchType[]) : [type];
}

/** Reads the objects with these ids, in the order of their first occurrence. */
async function readObjects(
  database: Database,
  { accountId }: SearchQuery,
  type: SearchType,
  ids: readonly { id: string }[],
  matched: Match,
): Promise<Found[]> {
  const wanted = [...new Set(ids.map(({ id }) => id))];
  const order = new Map(wanted.map((id, index) => [id, index]));
  const rows = wanted.length === 0 ? [] : await database.all(sql.readObjects[TYPES[type]], accountId ?? null, wanted);
  return rows.map((row) => ({ ...row, type, matched })).sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
}

/** Finds invoices and payments by payment hash, or by the invoice that contains it. */
async function findByHash(database: Database, query: SearchQuery): Promise<Found[]> {
  const { accountId, text, limit } = query;
  const read = readPaymentText(text);
  const request = read.kind === 'invoice' ? canonicalText(read.text) : undefined;
  const hash = HASH.test(text) ? text.toLowerCase() : request && unverifiedPaymentHash(request);
  if (!hash || !typesOf(query).includes('lightning_transaction')) return [];
  const ids = await database.all(sql.findByHash, accountId ?? null, hash, limit);
  return readObjects(database, query, 'lightning_transaction', ids, 'payment_hash');
}

/** Finds the pay link of a Lightning address. */
async function findByAddress(database: Database, query: SearchQuery): Promise<Found[]> {
  const [, name, domain] = ADDRESS.exec(query.text.toLowerCase()) ?? [];
  if (name === undefined || domain === undefined || !typesOf(query).includes('pay_link')) return [];
  return readObjects(database, query, 'pay_link', await database.all(sql.findByAddress, name, domain), 'address');
}

/** Finds accounts by the beginning of their e-mail, in a search of all accounts. */
async function findByEmail(database: Database, query: SearchQuery): Promise<Found[]> {
  const email = query.text.toLowerCase();
  if (query.accountId !== undefined || !EMAIL_PREFIX.test(email) || !typesOf(query).includes('account')) return [];
  const ids = await database.all(sql.findByEmail, email, email + AFTER_TEXT, query.limit);
  return readObjects(database, query, 'account', ids, 'address');
}

/** Finds objects by their id or the beginning of it. */
async function findByPrefix(database: Database, query: SearchQuery): Promise<Found[]> {
  const { text } = query;
  const prefix = ID_PREFIX.exec(text)?.[1];
  const type = typesOf(query).find((one) => TYPES[one] === prefix);
  if (type === undefined) return [];
  // `~` sorts after every character of an id.
  const ids = await database.all(sql.idsInRange[TYPES[type]], text, `${text}~`, MAX_IDS_OF_PREFIX);
  const found = await readObjects(database, query, type, ids, 'id_prefix');
  return found.map((one) => (one.id === text ? { ...one, matched: 'id' } : one));
}

/** Finds the newest transactions of an account with a number of satoshis. Their number is limited, so that objects with the number in the label fit. */
async function findByAmount(database: Database, query: SearchQuery): Promise<Found[]> {
  const { accountId, text, type, limit } = query;
  const sats = readWholeNumber(text);
  if (sats === undefined || accountId === undefined || !typesOf(query).includes('wallet_transaction')) return [];
  const filter = { status: 'all', order: 'desc', amount: { minSat: sats, maxSat: sats } } as const;
  const most = type === undefined ? Math.ceil(limit / 2) : limit;
  const { rows } = await readTransactions(database, { accountId }, filter, { after: undefined, limit: most });
  return readObjects(database, query, 'wallet_transaction', rows, 'amount');
}

/** Finds objects that have words beginning with each of these words. */
async function findByWords(database: Database, query: SearchQuery, type: SearchType, words: readonly string[]): Promise<Found[]> {
  const prefix = TYPES[type];
  if (prefix === 'acc') return [];
  const limit = words.length === 1 ? query.limit : MAX_COMPARED;
  let ids: readonly { id: string }[] | undefined;
  for (const word of words) {
    const found = await findByWord(database, query.accountId, prefix, word, limit);
    if (ids === undefined || found.length < ids.length) ids = found;
    if (found.length === 0) return [];
  }
  const objects = await readObjects(database, query, type, ids ?? [], 'words');
  return objects.filter(({ label }) => {
    const own = wordsOf(label);
    return words.every((word) => own.some((one) => one.startsWith(word)));
  });
}
