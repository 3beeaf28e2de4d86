import type { Database, Dialect, Tx } from '../../core/db/database.ts';
import { MIGRATIONS, migrateNew } from '../../core/db/migrate.ts';
import { type MoveTarget, readMoveTarget, writeMoveTarget } from '../../core/db/move-facts.ts';
import { type Statement, statement } from '../../core/db/statement.ts';
import { LOCK_CLASS } from './postgres-side.ts';
import type { Table } from './tables.ts';

/**
 * The schema of a database while it is filled: without indexes, foreign keys and triggers. Triggers would insert rows that are copied; foreign
 * keys need an order of tables that does not exist; indexes are built faster afterwards, and are then dense.
 */

type Step = { removal: string; creation: string };

/** What is left away, in the order in which it is created again. Primary keys stay: the copy continues after the last one. */
const STEPS: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    "SELECT 'DROP INDEX ' || name AS removal, sql AS creation FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
    "SELECT 'DROP TRIGGER ' || name AS removal, sql AS creation FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
  ],
  postgres: [
    constraints('u'),
    `SELECT format('DROP INDEX %s', i.indexrelid::regclass) AS removal, pg_get_indexdef(i.indexrelid) AS creation
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
     ORDER BY c.relname`,
    constraints('f'),
    `SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) AS removal, pg_get_triggerdef(t.oid) AS creation
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal ORDER BY t.tgname`,
  ],
};

function constraints(type: 'u' | 'f'): string {
  return `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS removal,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS creation
    FROM pg_constraint WHERE contype = '${type}' AND connamespace = current_schema()::regnamespace ORDER BY conrelid::regclass::text, conname`;
}

/** Building indexes and checking foreign keys read whole tables, which the connections of the service avoid. */
const readWholeTables = statement('move_settings', {
  sqlite: 'SELECT 1 AS done',
  postgres: `SELECT set_config('statement_timeout', '0', true), set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
    set_config('enable_mergejoin', 'on', true), set_config('maintenance_work_mem', '256MB', true),
    pg_advisory_xact_lock(${LOCK_CLASS}, 2)::text`,
});

const countTables = statement<{ n: number }>('move_count_tables', {
  sqlite: 'SELECT count(*) AS n FROM sqlite_schema',
  postgres: `SELECT count(*) AS n FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind <> 'c'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`,
});

/** Whether a database contains nothing, apart from extensions. */
export async function isEmpty(database: Pick<Database, 'first'>): Promise<boolean> {
  return (await database.first(countTables))?.n === 0;
}

/** Creates the schema in an empty database, and marks it as a target, in one transaction. */
export async function createTarget(target: Database, tables: readonly Table[], fact: MoveTarget): Promise<void> {
  await target.transaction(async (tx) => {
    await migrateNew(tx, MIGRATIONS);
    await clear(tx, tables, fact);
  });
}

/** Deletes everything that was copied, to begin again. */
export async function clearTarget(target: Database, tables: readonly Table[], fact: MoveTarget): Promise<void> {
  await target.transaction((tx) => clear(tx, tables, fact));
}

async function clear(tx: Tx, tables: readonly Table[], fact: MoveTarget): Promise<void> {
  await tx.all(readWholeTables);
  const earlier = (await readMoveTarget(tx))?.pending ?? [];
  const created: Step[] = [];
  for (const [index, sql] of STEPS[tx.dialect].entries()) created.push(...(await tx.all(statement<Step>(`move_steps_${index}`, sql))));
  for (const { removal } of created.toReversed()) await tx.run(ddl(removal));
  if (tx.dialect === 'sqlite') {
    await tx.all(statement('move_defer_keys', 'PRAGMA defer_foreign_keys = ON'));
    for (const { name } of tables) await tx.run(ddl(`DELETE FROM ${name}`));
  } else await tx.run(ddl(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`));
  await writeMoveTarget(tx, { ...fact, pending: [...created.map(({ creation }) => creation), ...earlier] });
}

/** Creates what is left away. An interruption loses one statement at most. */
export async function completeSchema(target: Database, progress: (done: number, total: number) => void): Promise<void> {
  const total = (await readMoveTarget(target))?.pending.length ?? 0;
  for (let done = 0; done < total; done++) {
    progress(done, total);
    await target.transaction(async (tx) => {
      const fact = await readMoveTarget(tx);
      const [next, ...pending] = fact?.pending ?? [];
      if (!fact || next === undefined) return;
      await tx.all(readWholeTables);
      await tx.run(ddl(next));
      await writeMoveTarget(tx, { ...fact, pending });
    });
  }
}

type Identity = { table_name: string; column_name: string };

const listIdentities = statement<Identity>('move_identities', {
  sqlite: "SELECT '' AS table_name, '' AS column_name WHERE FALSE",
  postgres: "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'",
});

/** Lets PostgreSQL continue its numbers after the copied ones. SQLite does so itself. */
export async function continueIdentities(target: Database): Promise<void> {
  if (target.dialect === 'sqlite') return;
  await target.transaction(async (tx) => {
    await tx.all(readWholeTables);
    for (const { table_name: table, column_name: column } of await tx.all(listIdentities)) {
      const next = `SELECT greatest(coalesce(max(${column}), 0), 0) + 1 FROM ${table}`;
      await tx.all(ddl(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (${next}), false)`));
    }
  });
}

let statements = 0;

/** PostgreSQL keeps prepared statements by their name. */
function ddl(sql: string): Statement {
  return { ...statement(`move_ddl_${++statements}`, sql), takesLong: true };
}
