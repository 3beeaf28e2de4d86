import type { SqlReader } from '../../core/db/database.ts';
import { openDatabase } from '../../core/db/open.ts';
import { statement } from '../../core/db/statement.ts';
import type { Log } from '../../core/kernel/log.ts';
import { readLastRestore } from '../../core/quarantine/quarantine.ts';
import { verify } from '../verify/verify.ts';
import { integrityProblems } from './copy-sqlite.ts';
import { BackupFailed, type Manifest } from './manifest.ts';

/** What a database contains, as far as a manifest says it. */
export type Contents = Pick<
  Manifest,
  'restored_at' | 'ledger_id' | 'schema' | 'transfers' | 'last_position' | 'wallets' | 'trial_balance_msat'
>;

const readLedgerId = statement<{ id: string }>('backup_ledger_id', 'SELECT id FROM lightning_node WHERE ledger_account = 1');
const readSchema = statement<{ checksum: string }>('backup_schema', 'SELECT checksum FROM schema_migration ORDER BY version');
const readLastPosition = statement<{ position: number }>(
  'backup_last_position',
  'SELECT COALESCE(max(position), 0) AS position FROM ledger_transfer',
);

/** Returns the SHA-256 of each migration that a database has. */
export async function readAppliedSchema(database: SqlReader): Promise<string[]> {
  return (await database.all(readSchema)).map(({ checksum }) => checksum);
}

/**
 * Checks a SQLite database completely: its pages and indexes, every entry, hash and balance of the ledger.
 * @throws BackupFailed with the first problem
 */
export async function checkDatabase(path: string, log: Log, progress: (done: number, total: number) => void): Promise<Contents> {
  const [damage] = integrityProblems(path);
  if (damage !== undefined) throw new BackupFailed(`SQLite finds a damage in ${path}: ${damage}.`);
  const database = await openDatabase(`sqlite:${path}`, { readOnly: true, log });
  try {
    const { problems, transfers, wallets, trialBalance } = await verify(database, progress);
    const [problem] = problems;
    if (problem !== undefined) throw new BackupFailed(`The ledger in ${path} has ${problems.length} problems, the first: ${problem}.`);
    const ledger = await database.first(readLedgerId);
    if (!ledger) throw new BackupFailed('The database has no ledger. Start the service on it first.');
    return {
      restored_at: await readLastRestore(database),
      ledger_id: ledger.id,
      schema: await readAppliedSchema(database),
      transfers,
      last_position: (await database.first(readLastPosition))?.position ?? 0,
      wallets,
      trial_balance_msat: Object.fromEntries(Array.from(trialBalance, ([kind, balance]) => [kind, String(balance)])),
    };
  } finally {
    await database.close();
  }
}
