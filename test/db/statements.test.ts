import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Dialect, Tx } from '../../src/core/db/database.ts';
import { sendRows } from '../../src/core/db/row-write.ts';
import type { Statement } from '../../src/core/db/statement.ts';
import { statement } from '../../src/core/db/statement.ts';
import { onBothDatabases } from '../support/ledger.ts';

const root = join(import.meta.dirname, '..', '..');

async function allStatements(dialect: Dialect): Promise<Statement[]> {
  const found: Statement[] = [];
  for await (const file of glob('src/**/*.sql.ts', { cwd: root })) {
    // Statements of the other database's ledger store, and of its verification.
    if (file.includes(dialect === 'sqlite' ? '-postgres' : '-sqlite')) continue;
    const module: Record<string, unknown> = await import(join(root, file));
    for (const exported of Object.values(module)) found.push(...statementsIn(exported));
  }
  return found;
}

/** Returns a statement, or the statements of an object such as those of a list. */
function statementsIn(exported: unknown): Statement[] {
  if (isStatement(exported)) return [exported];
  return typeof exported === 'object' && exported !== null ? Object.values(exported).filter(isStatement) : [];
}

function isStatement(value: unknown): value is Statement {
  return typeof value === 'object' && value !== null && 'sqlite' in value && 'postgres' in value && 'name' in value;
}

onBothDatabases('statements', (open, dialect) => {
  it('of writes have a form that must change exactly one row', async () => {
    const database = await open();
    const writes = (await allStatements(dialect)).filter(({ postgres }) => /^(INSERT|UPDATE|DELETE)(?![\s\S]*RETURNING)/.test(postgres));
    expect(writes.length).toBeGreaterThan(30);
    if (dialect === 'sqlite') return;
    for (const write of writes) {
      const sent: Statement[] = [];
      const send = async (statement: Statement) => void sent.push(statement);
      await sendRows({ send } as unknown as Tx, [{ statement: write, parameters: [], onMiss: new Error() }]);
      const [{ name, postgres } = write] = sent;
      await database.transaction((tx) => tx.all(statement(`check_${name}`, `PREPARE ${name} AS ${postgres}`)));
    }
  });

  it('that update many rows find them by id', async () => {
    if (dialect === 'sqlite') return;
    const database = await open();
    const updates = (await allStatements(dialect)).filter(({ postgresMany }) => postgresMany?.startsWith('UPDATE'));
    expect(updates.length).toBeGreaterThan(2);
    for (const { name, postgresMany = '' } of updates) {
      const lists = new Set(postgresMany.match(/\$\d+/g)).size;
      const rows = await database.transaction(async (tx) => {
        await tx.all(statement(`prepare_${name}`, `PREPARE ${name} AS ${postgresMany}`));
        return tx.all(statement(`explain_${name}`, `EXPLAIN EXECUTE ${name}(${new Array(lists).fill(`'{}'`).join()})`));
      });
      expect(rows.flatMap((row) => Object.values(row)).join('\n'), name).toMatch(/Index Scan using \w+_pkey/);
    }
  });

  it('can be prepared, and no two share a name', async () => {
    const database = await open();
    const statements = await allStatements(dialect);
    expect(statements.length).toBeGreaterThan(30);
    expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length);
    for (const { name, sqlite, postgres } of statements) {
      // PostgreSQL cannot prepare LOCK.
      if (dialect === 'postgres' && postgres.startsWith('LOCK ')) continue;
      const check = dialect === 'sqlite' ? `EXPLAIN ${sqlite}` : `PREPARE ${name} AS ${postgres}`;
      const parameters = dialect === 'sqlite' ? [...new Set(sqlite.match(/\$\d+/g) ?? [])].map(() => null) : [];
      await database.transaction((tx) => tx.all(statement(`check_${name}`, check), ...parameters));
    }
  });
});
