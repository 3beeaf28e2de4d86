import type { AccountStatus } from '../../../core/accounts/account-states.ts';
import type { SqlValue } from '../../../core/db/database.ts';
import { listStatements } from '../../../core/db/list.ts';
import { statement } from '../../../core/db/statement.ts';

/** What the owner of a pay link can set, as a new wallet's link has it. */
export const DEFAULT_SETTINGS = {
  state: 'active' as 'active' | 'inactive',
  /** For the owner alone. */
  user_label: '',
  short_desc: 'Lightning payment',
  long_desc: null as string | null,
  min_msat: 1000,
  max_msat: 100_000_000_000,
  /** The limits in a currency, as decimal texts; all or none. They replace those in millisatoshis. */
  currency: null as string | null,
  min_amount: null as string | null,
  max_amount: null as string | null,
  /** The maximum length of a comment, in characters. */
  comment_length: 255,
  /** JSON of a `PayerDataRequest`. */
  payer_data: null as string | null,
  /** JSON of a `SuccessAction`. */
  success_action: null as string | null,
  /** JSON. Part of the `passThru` of each payment. */
  pass_thru: null as string | null,
  /** The Lightning address; both or none. */
  domain: null as string | null,
  name: null as string | null,
  /** The Nostr public key of the owner (NIP-05), 64 hex digits. */
  nostr_pubkey: null as string | null,
};

export type LinkSettings = typeof DEFAULT_SETTINGS;

/** The columns of the settings, in the order of {@link insertLink} and {@link updateLink}. */
const SETTINGS = Object.keys(DEFAULT_SETTINGS) as (keyof LinkSettings)[];

/** Returns the last parameters of {@link insertLink} and {@link updateLink}. */
export function settingParameters(settings: LinkSettings): SqlValue[] {
  return SETTINGS.map((name) => settings[name]);
}

export type PayLinkRow = LinkSettings & {
  id: string;
  wallet_id: string;
  account_id: string;
  metadata_hash: string;
  created_at: number;
  updated_at: number;
  /** The `waklp_` key of the wallet. */
  public_key: string;
  /** What payers have paid through it: settled invoices, and what arrived for them. */
  payments: number;
  received_msat: number;
  last_paid_at: number | null;
};

/** With the metadata, which has the image. The link can be paid if its wallet and itself are active, and its account may receive. */
export type WholePayLinkRow = PayLinkRow & { metadata: string; wallet_status: 'active' | 'inactive'; account_status: AccountStatus };

const COLUMNS = `l.id, l.wallet_id, l.account_id, l.${SETTINGS.join(', l.')}, l.metadata_hash, l.created_at, l.updated_at,
  coalesce(t.payments, 0) AS payments, coalesce(t.received_msat, 0) AS received_msat, t.last_paid_at,
  (SELECT public_text FROM access_key k WHERE k.wallet_id = l.wallet_id AND k.kind = 'wallet_lnurl_pay' ORDER BY k.id LIMIT 1) AS public_key`;

const TABLES = 'pay_link l LEFT JOIN pay_link_total t ON t.link_id = l.id';

const WHOLE = `SELECT ${COLUMNS}, m.text AS metadata, w.status AS wallet_status, a.status AS account_status
  FROM ${TABLES} JOIN pay_metadata m ON m.hash = l.metadata_hash JOIN wallet w ON w.id = l.wallet_id JOIN account a ON a.id = l.account_id`;

export const findLink = statement<WholePayLinkRow>('pay_link_find', `${WHOLE} WHERE l.id = $1`);

/** The link whose payer requested an invoice. */
export const findLinkByInvoice = statement<WholePayLinkRow>(
  'pay_link_find_by_invoice',
  `${WHOLE} WHERE l.id = (SELECT link_id FROM pay_link_invoice WHERE invoice_id = $1)`,
);

/** Two active links cannot have one address. */
export const findLinkByAddress = statement<WholePayLinkRow>(
  'pay_link_find_by_address',
  `${WHOLE} WHERE l.domain = $1 AND l.name = $2 AND l.state = 'active'`,
);

/** The Nostr public key of the owner of an address. */
export const findNostrKey = statement<{ nostr_pubkey: string | null }>(
  'pay_link_find_nostr_key',
  "SELECT nostr_pubkey FROM pay_link WHERE domain = $1 AND name = $2 AND state = 'active'",
);

/**
 * Prevents others from changing a link until the transaction ends. It reads no other table: after waiting for another change, PostgreSQL
 * would compare the link's new row with the other table's old rows, and find nothing.
 */
export const lockLink = statement<{ id: string }>('pay_link_lock', 'SELECT id FROM pay_link WHERE id = $1 FOR NO KEY UPDATE');

/** Returns the links among these that can be paid, and prevents others from changing that until the transaction ends. */
export const payableLinks = statement<{ id: string }>(
  'pay_link_payable',
  `SELECT l.id FROM pay_link l JOIN wallet w ON w.id = l.wallet_id
    WHERE l.id = ANY($1::text[]) AND l.state = 'active' AND w.status = 'active' FOR SHARE`,
);

const LIST = { select: `SELECT ${COLUMNS} FROM ${TABLES}`, table: 'pay_link l', id: 'l.id' };

/** Parameters: the account, a wallet or null, a state or null. */
const OF_ACCOUNT = 'l.account_id = $1 AND (CAST($2 AS TEXT) IS NULL OR l.wallet_id = $2) AND (CAST($3 AS TEXT) IS NULL OR l.state = $3)';

/** The links of a wallet, and those of an account. */
export const LISTS = {
  wallet: listStatements<PayLinkRow>('pay_link_list_of_wallet', { ...LIST, where: 'l.wallet_id = $1', filters: 1 }),
  account: listStatements<PayLinkRow>('pay_link_list_of_account', { ...LIST, where: OF_ACCOUNT, filters: 3 }),
};

export type TotalRow = { links: number; payments: number; received_msat: number; last_paid_at: number | null };

/** The sums over the links of an account's list. */
export const totalOfAccount = statement<TotalRow>(
  'pay_link_total_of_account',
  `SELECT count(*) AS links, CAST(coalesce(sum(t.payments), 0) AS BIGINT) AS payments,
     CAST(coalesce(sum(t.received_msat), 0) AS BIGINT) AS received_msat, max(t.last_paid_at) AS last_paid_at
   FROM ${TABLES} WHERE ${OF_ACCOUNT}`,
);

export const insertMetadata = statement(
  'pay_metadata_insert',
  'INSERT INTO pay_metadata (hash, text) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING',
);

export const insertLink = statement(
  'pay_link_insert',
  `INSERT INTO pay_link (id, wallet_id, account_id, metadata_hash, created_at, updated_at, ${SETTINGS.join(', ')})
   VALUES ($1, $2, $3, $4, $5, $5, ${SETTINGS.map((_, index) => `$${index + 6}`).join(', ')})`,
);

export const updateLink = statement(
  'pay_link_update',
  `UPDATE pay_link SET metadata_hash = $2, updated_at = $3, ${SETTINGS.map((name, index) => `${name} = $${index + 4}`).join(', ')}
   WHERE id = $1`,
);

/** Takes a name for an account. Changes nothing if another account has it. */
export const takeName = statement(
  'pay_name_take',
  `INSERT INTO pay_name (domain, name, account_id, created_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (domain, name) DO UPDATE SET account_id = excluded.account_id WHERE pay_name.account_id = excluded.account_id`,
);

export const insertLinkInvoice = statement(
  'pay_link_invoice_insert',
  `INSERT INTO pay_link_invoice (invoice_id, link_id, metadata_hash, payer_data, verify_token_hash, payer_networks)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);

const OPEN_OF_PAYERS = `ledger_account = $1 AND wtx_type = 'ln_lnurl_pay_inbound' AND state = 'open' AND expires_at > $2`;

/** Counts the open invoices of a wallet that payers requested, up to `$3`. */
export const countOpenOfPayers = statement<{ n: number }>(
  'pay_link_invoice_count_open',
  `SELECT count(*) AS n FROM (SELECT 1 FROM invoice WHERE ${OPEN_OF_PAYERS} LIMIT $3) AS open_invoice`,
);

/** Returns these invoices, the oldest first. */
export const listOpenOfPayers = statement<{ id: string; payer_networks: string }>(
  'pay_link_invoice_list_open',
  `SELECT i.id, p.payer_networks FROM (SELECT id FROM invoice WHERE ${OPEN_OF_PAYERS} LIMIT $3) AS i
   JOIN pay_link_invoice p ON p.invoice_id = i.id ORDER BY i.id`,
);

export const findInvoiceByToken = statement<{ invoice_id: string }>(
  'pay_link_invoice_find',
  'SELECT invoice_id FROM pay_link_invoice WHERE verify_token_hash = $1',
);

export const findName = statement<{ name: string }>('pay_name_find', 'SELECT name FROM pay_name WHERE domain = $1 AND name = $2');
