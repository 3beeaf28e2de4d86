import { listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';
import type { SourceName } from './source.ts';

export type RunRow = {
  id: string;
  source: string;
  plan: string;
  state: 'writing' | 'done';
  node_id: string;
  wallets: number;
  opening_msat: number;
};

const RUN = 'SELECT id, source, plan, state, node_id, wallets, opening_msat FROM import_run';

export const findWritingRun = statement<RunRow>('import_find_writing_run', `${RUN} WHERE state = 'writing'`);

export const findRunOfPlan = statement<RunRow>('import_find_run_of_plan', `${RUN} WHERE plan = $1 ORDER BY id DESC LIMIT 1`);

export const insertRun = statement(
  'import_insert_run',
  `INSERT INTO import_run (id, source, plan, state, node_id, wallets, opening_msat, started_at) VALUES ($1, $2, $3, 'writing', $4, $5, $6, $7)`,
);

export const endRun = statement(
  'import_end_run',
  `UPDATE import_run SET state = 'done', ended_at = $2, accepted_shortfall = $3 WHERE id = $1 AND state = 'writing'`,
);

/** What was made of an account or wallet of a source. */
export type ItemRow = {
  source_id: string;
  run_id: string;
  state: 'reserved' | 'done';
  made: string;
  ledger_account: number | null;
  opening_msat: number | null;
};

const ITEM = 'SELECT source_id, run_id, state, made, ledger_account, opening_msat FROM import_item';

export const findItem = statement<ItemRow>('import_find_item', `${ITEM} WHERE source = $1 AND kind = $2 AND source_id = $3`);

/** The imported wallets of a source after an id, a page at a time. */
export const madeWallets = statement<{ source_id: string; wallet_id: string; account_id: string }>(
  'import_made_wallets',
  `SELECT m.source_id, m.made AS wallet_id, w.account_id FROM import_item m JOIN wallet w ON w.id = m.made
   WHERE m.source = $1 AND m.kind = 'wallet' AND m.state = 'done' AND m.source_id > $2 ORDER BY m.source_id LIMIT $3`,
);

export const insertAccountItem = statement(
  'import_insert_account_item',
  `INSERT INTO import_item (source, kind, source_id, run_id, state, made) VALUES ($1, 'account', $2, $3, 'done', $4)`,
);

export const reserveWalletItem = statement(
  'import_reserve_wallet_item',
  `INSERT INTO import_item (source, kind, source_id, run_id, state, made, ledger_account) VALUES ($1, 'wallet', $2, $3, 'reserved', $4, $5)`,
);

/** Changes nothing when the wallet was imported before. */
export const completeWalletItem = statement(
  'import_complete_wallet_item',
  `UPDATE import_item SET state = 'done', opening_msat = $3, transfer_id = $4, shortfall_msat = $5, forgiven_transfer_id = $6
   WHERE source = $1 AND kind = 'wallet' AND source_id = $2 AND state = 'reserved'`,
);

/** The wallets of a run that are imported, and what they were credited. */
export const sumRun = statement<{ wallets: number; opening_msat: number }>(
  'import_sum_run',
  `SELECT count(*) AS wallets, CAST(coalesce(sum(opening_msat), 0) AS BIGINT) AS opening_msat FROM import_item
   WHERE run_id = $1 AND kind = 'wallet' AND state = 'done'`,
);

const HISTORY = `id, wallet_id, source, source_id, state, kind, amount_msat, fee_msat, memo, created_at, settled_at, payment_hash, preimage,
  payment_request, data`;

const FIELDS = HISTORY.split(/,\s+/);

const NUMBERS: ReadonlySet<string> = new Set(['amount_msat', 'fee_msat', 'created_at', 'settled_at']);

/** Stores the rows of a JSON array, `$1`. Rows that an interrupted import has stored are left as they are. */
export const insertHistory = statement('import_insert_history', {
  sqlite: `INSERT INTO imported_transaction (${HISTORY}) SELECT ${FIELDS.map((name) => `json_extract(value, '$.${name}')`)}
   FROM json_each($1) WHERE true ON CONFLICT (source, source_id) DO NOTHING`,
  postgres: `INSERT INTO imported_transaction (${HISTORY}) SELECT ${HISTORY} FROM json_to_recordset($1::json)
   AS given(${FIELDS.map((name) => `${name} ${NUMBERS.has(name) ? 'bigint' : 'text'}`)}) ON CONFLICT (source, source_id) DO NOTHING`,
});

export const insertPath = statement(
  'import_insert_path',
  'INSERT INTO imported_path (path, link_id) VALUES ($1, $2) ON CONFLICT (path) DO NOTHING',
);

export const findPath = statement<{ link_id: string; public_key: string }>(
  'import_find_path',
  `SELECT p.link_id, (SELECT public_text FROM access_key k WHERE k.wallet_id = l.wallet_id AND k.kind = 'wallet_lnurl_pay' ORDER BY k.id LIMIT 1)
     AS public_key
   FROM imported_path p JOIN pay_link l ON l.id = p.link_id WHERE p.path = $1`,
);

/** Receipts of the source that the reader of the node's events has credited to suspense, and that the opening balances contain, too. */
export const creditedTwice = statement<{ receipts: number; amount_msat: number }>(
  'import_credited_twice',
  `SELECT count(*) AS receipts, CAST(coalesce(sum(u.left_msat), 0) AS BIGINT) AS amount_msat FROM unmatched_settlement u
   WHERE u.left_msat > 0 AND EXISTS (SELECT 1 FROM imported_transaction t
     WHERE t.payment_hash = u.payment_hash AND t.state = 'settled' AND t.kind = 'lightning' AND t.amount_msat > 0)`,
);

/** What pending payments hold, whose money may have left the node. */
export const heldAtNode = statement<{ held_msat: number }>(
  'import_held_at_node',
  `SELECT CAST(coalesce(sum(h.amount_msat), 0) AS BIGINT) AS held_msat FROM ledger_hold h JOIN payment p ON p.id = h.id
   WHERE h.state = 'open' AND p.node_id = $1 AND p.invoice_id IS NULL`,
);

export type ImportedRow = {
  id: string;
  source: SourceName;
  source_id: string;
  state: 'settled' | 'pending' | 'open' | 'failed';
  kind: 'lightning' | 'internal' | 'other';
  amount_msat: number;
  fee_msat: number;
  memo: string;
  created_at: number;
  settled_at: number | null;
  payment_hash: string | null;
  preimage: string | null;
  payment_request: string | null;
  data: string | null;
};

export const listImported = listStatements<ImportedRow>('import_list_history', {
  select: `SELECT id, source, source_id, state, kind, amount_msat, fee_msat, memo, created_at, settled_at, payment_hash, preimage, payment_request,
    data FROM imported_transaction`,
  table: 'imported_transaction',
  where: 'wallet_id = $1',
  filters: 1,
});
