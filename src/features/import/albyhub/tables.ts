import { detectColumns, readText } from '../columns.ts';
import { UnusableSource } from '../source.ts';
import type { SourceDatabase } from '../source-database.ts';

/** Alby Hub has sub-wallets since this migration. */
const FIRST_WITH_ISOLATED_APPS = '202407012100_transactions';

/** The migrations of Alby Hub up to 1.24.0, of which versions before it have the first ones. */
const KNOWN_MIGRATIONS: ReadonlySet<string> = new Set([
  '202401191539_initial_migration',
  '202403171120_delete_ldk_payments',
  '202404021909_nullable_expires_at',
  '_202405302121_store_decrypted_request',
  '202406061259_remove_content_columns',
  '202406071726_vacuum',
  '202406301207_rename_request_methods',
  FIRST_WITH_ISOLATED_APPS,
  '202407151352_autoincrement',
  '202407201604_transactions_indexes',
  '202407262257_remove_invalid_scopes',
  '202408061737_add_boostagrams_and_use_json',
  '202408191242_transaction_failure_reason',
  '202408291715_app_metadata',
  '202410141503_add_wallet_pubkey',
  '20241221234500_fix_types',
  '202504231037_add_indexes',
  '202505091314_hold_invoices',
  '202506170342_swaps',
  '202508041712_delete_non_cascade_deleted_records',
  '202508041737_postgres_amount_bigint',
  '202508041738_app_last_used',
  '202508041739_response_events_index',
  '202508151405_swap_xpub',
  '202508192137_forwards',
  '202509031250_transactions_updated_at_index',
  '202604081200_app_last_settled_transaction',
]);

/** The nodes that this service can use too. Others are a part of the hub, or no node of the operator. */
const SHARED_NODES: ReadonlySet<string> = new Set(['LND', 'CLN']);

/** The SQL of the columns that are read, for the version of the source. */
export type HubTables = Awaited<ReturnType<typeof findTables>>;

/** Finds the tables and columns. @throws UnusableSource for a version that is not known */
export async function findTables(database: SourceDatabase) {
  const version = await readVersion(database);
  const apps = await detectColumns(database, 'apps', {
    id: { names: ['id'] },
    name: { names: ['name'] },
    isolated: { names: ['isolated'] },
    createdAt: { names: ['created_at'] },
    metadata: { names: ['metadata'], isOptional: true },
  });
  await detectColumns(database, 'app_permissions', {
    appId: { names: ['app_id'] },
    scope: { names: ['scope'] },
    budget: { names: ['max_amount_sat'] },
    renewal: { names: ['budget_renewal'] },
  });
  const transactions = await detectColumns(database, 'transactions', {
    id: { names: ['id'] },
    appId: { names: ['app_id'] },
    type: { names: ['type'] },
    state: { names: ['state'] },
    amount: { names: ['amount_msat'] },
    fee: { names: ['fee_msat'] },
    reserve: { names: ['fee_reserve_msat'] },
    paymentRequest: { names: ['payment_request'] },
    paymentHash: { names: ['payment_hash'] },
    preimage: { names: ['preimage'] },
    description: { names: ['description'] },
    descriptionHash: { names: ['description_hash'] },
    createdAt: { names: ['created_at'] },
    expiresAt: { names: ['expires_at'] },
    settledAt: { names: ['settled_at'] },
    selfPayment: { names: ['self_payment'] },
    metadata: { names: ['metadata'] },
    boostagram: { names: ['boostagram'], isOptional: true },
    failureReason: { names: ['failure_reason'], isOptional: true },
    hold: { names: ['hold'], isOptional: true },
  });
  return { version, apps, transactions, ...times(database, transactions), otherNode: await readOtherNode(database) };
}

/** Returns the SQL of a time in Unix seconds, and that of the newest transaction. Ages are relative to it, so that a stopped source has one plan. */
function times({ dialect }: SourceDatabase, { createdAt }: { readonly createdAt: string }) {
  const epoch = (column: string) => (dialect === 'sqlite' ? `unixepoch(${column})` : `floor(extract(epoch FROM ${column}))`);
  return { epoch, newest: `(SELECT max(${epoch(createdAt)}) FROM transactions)` };
}

async function readVersion(database: SourceDatabase): Promise<string> {
  if (!(await database.columns('migrations')).has('id'))
    throw new UnusableSource('The source has no table migrations of Alby Hub. Check that --from is the database of Alby Hub.');
  const ids: string[] = [];
  for await (const { id } of database.rows(`SELECT id FROM migrations ORDER BY ${database.bytewise('id')}`)) ids.push(String(id));
  const unknown = ids.find((id) => !KNOWN_MIGRATIONS.has(id));
  if (unknown !== undefined)
    throw new UnusableSource(
      `The source has the migration ${unknown}, which Alby Hub 1.24.0 does not have. Use a version of Satchel that knows it.`,
    );
  if (!ids.includes(FIRST_WITH_ISOLATED_APPS))
    throw new UnusableSource(
      'The source is of a version of Alby Hub before 1.2, which has no isolated apps: there is no wallet to import.',
    );
  return `migration ${ids.findLast((id) => id.startsWith('2'))}`;
}

/**
 * Returns the name of the hub's node if this service cannot use it, such as LDK, which is a part of the hub: the wallets move to another node.
 * Undefined: they stay on theirs, or the hub has no node yet.
 */
async function readOtherNode(database: SourceDatabase): Promise<string | undefined> {
  await detectColumns(database, 'user_configs', { key: { names: ['key'] }, value: { names: ['value'] } });
  for await (const row of database.rows(`SELECT "value" FROM user_configs WHERE "key" = 'LNBackendType'`)) {
    const name = readText(row, 'value');
    return SHARED_NODES.has(name ?? '') ? undefined : name;
  }
  return undefined;
}
