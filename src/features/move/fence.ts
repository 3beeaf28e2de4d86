import type { Tx } from '../../core/db/database.ts';
import { statement } from '../../core/db/statement.ts';

type Named = { name: string };

const listTables = statement<Named>('fence_tables', {
  sqlite: "SELECT '' AS name WHERE FALSE",
  postgres: `SELECT quote_ident(relname) AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname`,
});

/**
 * Lets PostgreSQL reject all writes to a moved database: an instance that was paused during the move would otherwise continue to book there. A
 * SQLite file needs no fence, because such a process still holds its lock.
 */
export async function rejectWrites(tx: Tx): Promise<void> {
  if (tx.dialect === 'sqlite') return;
  const run = (name: string, text: string) => tx.run({ ...statement(`fence_${name}`, text), takesLong: true });
  await run(
    'function',
    `CREATE FUNCTION reject_writes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'this database was moved; see "moved_to" in service_fact';
     END $$`,
  );
  for (const { name } of await tx.all(listTables))
    await run(
      `trigger_${name}`,
      `CREATE TRIGGER a_moved BEFORE INSERT OR UPDATE OR DELETE ON ${name} FOR EACH STATEMENT EXECUTE FUNCTION reject_writes()`,
    );
}
