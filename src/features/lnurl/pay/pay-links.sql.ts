import { statement } from '../../../core/db/statement.ts';

export type PayLinkRow = {
  id: string;
  wallet_id: string;
  account_id: string;
  state: 'active' | 'inactive';
  user_label: string;
  short_desc: string;
  long_desc: string | null;
  min_msat: number;
  max_msat: number;
  comment_length: number;
  payer_data: string | null;
  success_action: string | null;
  pass_thru: string | null;
  domain: string | null;
  name: string | null;
  metadata_hash: string;
  created_at: number;
  updated_at: number;
  /** The `waklp_` key of the wallet. */
  public_key: string;
};

/** With the metadata, which has the image. */
export type WholePayLinkRow = PayLinkRow & { metadata: string };

const COLUMNS = `l.id, l.wallet_id, l.account_id, l.state, l.user_label, l.short_desc, l.long_desc, l.min_msat, l.max_msat, l.comment_length,
  l.payer_data, l.success_action, l.pass_thru, l.domain, l.name, l.metadata_hash, l.created_at, l.updated_at,
  (SELECT public_text FROM access_key k WHERE k.wallet_id = l.wallet_id AND k.kind = 'wallet_lnurl_pay' ORDER BY k.id LIMIT 1) AS public_key`;

const WHOLE = `SELECT ${COLUMNS}, m.text AS metadata FROM pay_link l JOIN pay_metadata m ON m.hash = l.metadata_hash`;

export const findLink = statement<WholePayLinkRow>('pay_link_find', `${WHOLE} WHERE l.id = $1`);

/**
 * Prevents others from changing a link until the transaction ends. It reads no other table: after waiting for another change, PostgreSQL
 * would compare the link's new row with the other table's old rows, and find nothing.
 */
export const lockLink = statement<{ id: string }>('pay_link_lock', {
  sqlite: 'SELECT id FROM pay_link WHERE id = $1',
  postgres: 'SELECT id FROM pay_link WHERE id = $1 FOR UPDATE',
});

/** A link that can be paid if its wallet and itself are active. */
export type PayableLinkRow = WholePayLinkRow & { wallet_status: 'active' | 'inactive' };

const PAYABLE = `SELECT ${COLUMNS}, m.text AS metadata, w.status AS wallet_status
  FROM pay_link l JOIN pay_metadata m ON m.hash = l.metadata_hash JOIN wallet w ON w.id = l.wallet_id`;

export const findPayable = statement<PayableLinkRow>('pay_link_find_payable', `${PAYABLE} WHERE l.id = $1`);

export const findPayableByAddress = statement<PayableLinkRow>(
  'pay_link_find_payable_by_address',
  `${PAYABLE} WHERE l.domain = $1 AND l.name = $2 AND l.state = 'active'`,
);

/** Returns the links among these that can be paid, and prevents others from changing that until the transaction ends. */
export const payableLinks = statement<{ id: string }>('pay_link_payable', {
  sqlite: `SELECT l.id FROM pay_link l JOIN wallet w ON w.id = l.wallet_id
    WHERE l.id IN (SELECT value FROM json_each($1)) AND l.state = 'active' AND w.status = 'active'`,
  postgres: `SELECT l.id FROM pay_link l JOIN wallet w ON w.id = l.wallet_id
    WHERE l.id = ANY($1::text[]) AND l.state = 'active' AND w.status = 'active' FOR SHARE`,
});

export const listOfWallet = statement<PayLinkRow>(
  'pay_link_list_of_wallet',
  `SELECT ${COLUMNS} FROM pay_link l WHERE l.wallet_id = $1 ORDER BY l.id DESC LIMIT $2 OFFSET $3`,
);

export const listOfAccount = statement<PayLinkRow>(
  'pay_link_list_of_account',
  `SELECT ${COLUMNS} FROM pay_link l WHERE l.account_id = $1 ORDER BY l.id DESC LIMIT $2 OFFSET $3`,
);

export const listOfWalletAfter = statement<PayLinkRow>(
  'pay_link_list_of_wallet_after',
  `SELECT ${COLUMNS} FROM pay_link l WHERE l.wallet_id = $1 AND l.id < $2 ORDER BY l.id DESC LIMIT $3`,
);

export const listOfAccountAfter = statement<PayLinkRow>(
  'pay_link_list_of_account_after',
  `SELECT ${COLUMNS} FROM pay_link l WHERE l.account_id = $1 AND l.id < $2 ORDER BY l.id DESC LIMIT $3`,
);

export const countOfWallet = statement<{ n: number }>(
  'pay_link_count_of_wallet',
  'SELECT count(*) AS n FROM pay_link WHERE wallet_id = $1',
);

export const countOfAccount = statement<{ n: number }>(
  'pay_link_count_of_account',
  'SELECT count(*) AS n FROM pay_link WHERE account_id = $1',
);

export const insertMetadata = statement(
  'pay_metadata_insert',
  'INSERT INTO pay_metadata (hash, text) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING',
);

export const insertLink = statement(
  'pay_link_insert',
  `INSERT INTO pay_link (id, wallet_id, account_id, state, user_label, short_desc, long_desc, min_msat, max_msat, comment_length, payer_data,
     success_action, pass_thru, domain, name, metadata_hash, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)`,
);

export const updateLink = statement(
  'pay_link_update',
  `UPDATE pay_link SET state = $2, user_label = $3, short_desc = $4, long_desc = $5, min_msat = $6, max_msat = $7, comment_length = $8,
     payer_data = $9, success_action = $10, pass_thru = $11, domain = $12, name = $13, metadata_hash = $14, updated_at = $15
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
  'INSERT INTO pay_link_invoice (invoice_id, link_id, metadata_hash, payer_data, verify_token_hash) VALUES ($1, $2, $3, $4, $5)',
);

export const findInvoiceByToken = statement<{ invoice_id: string }>(
  'pay_link_invoice_find',
  'SELECT invoice_id FROM pay_link_invoice WHERE verify_token_hash = $1',
);
