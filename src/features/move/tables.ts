import { DatabaseSync } from 'node:sqlite';
import { statementsOf } from '../../core/db/dialect.ts';
import { MIGRATIONS, readMigrations } from '../../core/db/migrate.ts';
import { MOVE_FACTS } from '../../core/db/move-facts.ts';
import { CHECKPOINT_TABLE } from './checkpoint.ts';

type ColumnType = 'INTEGER' | 'TEXT' | 'BLOB';

/** A table whose rows are copied. */
export interface Table {
  readonly name: string;
  /** In their order. All copies use this order. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** The columns of the primary key, in which rows are read. */
  readonly key: readonly string[];
  /** The SQL condition of the rows that are copied. */
  readonly condition: string;
}

/** Tables that a new database gets without a copy, and why. Every other table of the schema must be in {@link COPIED}. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_migration: 'each database has its own; both have the same migrations',
  instance: 'running processes, of which there are none',
  lease: 'rights of running processes',
  task_queue: 'locks without content, created by the instances that run the queues',
  event_order: 'PostgreSQL alone: a lock without content, created by the migration',
  [CHECKPOINT_TABLE]: 'SQLite alone: the state of its balance cache, computed from the copied rows',
  ledger_batch: 'outcomes of commits that running processes ask for; on PostgreSQL the positions begin again',
};

const EVERY_ROW = 'TRUE';

/** Tables whose rows are copied, and which of them. */
export const COPIED: Readonly<Record<string, string>> = {
  service_fact: `name NOT IN ('${MOVE_FACTS.source}', '${MOVE_FACTS.target}')`,
  // With the old periods, the first positions of new batches would count as old.
  retention_period: "name <> 'ledger_batch'",
  idempotency_outcome: EVERY_ROW,
  alert: EVERY_ROW,
  alert_channel: EVERY_ROW,
  alert_notice: EVERY_ROW,
  ledger_account: EVERY_ROW,
  ledger_transfer: EVERY_ROW,
  ledger_hold: EVERY_ROW,
  lightning_node: EVERY_ROW,
  unbooked_event: EVERY_ROW,
  account: EVERY_ROW,
  operator_record: EVERY_ROW,
  account_note: EVERY_ROW,
  contact: EVERY_ROW,
  wallet: EVERY_ROW,
  access_key: EVERY_ROW,
  key_use: EVERY_ROW,
  key_spending: EVERY_ROW,
  key_transfer: EVERY_ROW,
  fee_schedule: EVERY_ROW,
  fee_rule: EVERY_ROW,
  service_fee: EVERY_ROW,
  spending_limit: EVERY_ROW,
  withdrawal_switch: EVERY_ROW,
  hold_switch: EVERY_ROW,
  lndhub_login: EVERY_ROW,
  nwc_connection: EVERY_ROW,
  nwc_request: EVERY_ROW,
  task: EVERY_ROW,
  session: EVERY_ROW,
  setup_link: EVERY_ROW,
  totp: EVERY_ROW,
  recovery_code: EVERY_ROW,
  linked_key: EVERY_ROW,
  wallet_challenge: EVERY_ROW,
  passkey: EVERY_ROW,
  passkey_challenge: EVERY_ROW,
  invoice: EVERY_ROW,
  closed_invoice: EVERY_ROW,
  settlement: EVERY_ROW,
  arriving_payment: EVERY_ROW,
  unmatched_settlement: EVERY_ROW,
  payment: EVERY_ROW,
  payout: EVERY_ROW,
  payout_line: EVERY_ROW,
  event: EVERY_ROW,
  event_trace: EVERY_ROW,
  wallet_transaction: EVERY_ROW,
  search_word: EVERY_ROW,
  wallet_hour: EVERY_ROW,
  account_hour: EVERY_ROW,
  flow_hour: EVERY_ROW,
  node_flow_hour: EVERY_ROW,
  webhook: EVERY_ROW,
  // Claimed ones name an instance that no longer runs, so the next deliverer takes them over.
  webhook_delivery: EVERY_ROW,
  webhook_replay: EVERY_ROW,
  push_subscription: EVERY_ROW,
  withdraw_link: EVERY_ROW,
  withdraw_link_day: EVERY_ROW,
  withdraw_claim: EVERY_ROW,
  withdraw_notice: EVERY_ROW,
  pay_metadata: EVERY_ROW,
  pay_name: EVERY_ROW,
  pay_link: EVERY_ROW,
  pay_link_invoice: EVERY_ROW,
  pay_link_total: EVERY_ROW,
  zap: EVERY_ROW,
  import_run: EVERY_ROW,
  import_item: EVERY_ROW,
  imported_transaction: EVERY_ROW,
  imported_path: EVERY_ROW,
  reconciliation: EVERY_ROW,
  reconciliation_pending: EVERY_ROW,
  node_baseline: EVERY_ROW,
  backup_run: EVERY_ROW,
  ledger_sample: EVERY_ROW,
  node_sample: EVERY_ROW,
  operator_action: EVERY_ROW,
  fiat_rate: EVERY_ROW,
  market_rate: EVERY_ROW,
  transfer_fiat: EVERY_ROW,
  proof_tree: EVERY_ROW,
  proof_epoch: EVERY_ROW,
  proof_leaf: EVERY_ROW,
  proof_node: EVERY_ROW,
};

/** Returns the tables to copy, as this version's migrations create them. */
export async function listTables(): Promise<readonly Table[]> {
  const schema = new DatabaseSync(':memory:');
  try {
    for (const { text } of await readMigrations(MIGRATIONS)) for (const sql of statementsOf(text, 'sqlite')) schema.exec(sql);
    return Object.entries(COPIED).map(([name, condition]) => {
      const columns = schema.prepare(`PRAGMA table_info(${name})`).all() as { name: string; type: ColumnType; pk: number }[];
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
      if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
      return { name, condition, columns: columns.map((one) => ({ name: one.name, type: one.type })), key: key.map((one) => one.name) };
    });
  } finally {
    schema.close();
  }
}
