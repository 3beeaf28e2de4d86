import type { Command } from 'commander';
import { EXIT, localAction, verb } from './verb.ts';

/** `satchel migrate`: brings the database to the schema of this version. */
export function addMigrate(program: Command): void {
  verb(program, {
    name: 'migrate',
    summary: 'Upgrade the database to the schema of this version',
    details:
      'The service also does this when it starts. On SQLite, stop the service first. Back up the database first: this cannot be undone.',
    example: 'migrate --check',
  })
    .option('--check', 'change nothing; exit with 1 if the schema is not current, and say whether the old version may run meanwhile')
    .action(
      localAction<{ check?: boolean }>('The database was not migrated: ', async ({ options: { check = false }, output }) => {
        const [{ withDatabase }, { migrate, MIGRATIONS, readPending }] = await Promise.all([
          import('./database.ts'),
          import('../core/db/migrate.ts'),
        ]);
        return withDatabase({ readOnly: check, mayCreate: !check, hasAnySchema: true }, async (database) => {
          if (!check) await migrate(database, MIGRATIONS);
          const { names, canRunBeside } = await readPending(database, MIGRATIONS);
          // Without a pending migration, this version changes nothing that another one uses.
          const isRolling = names.length === 0 || (canRunBeside && database.dialect === 'postgres');
          await output.print({ is_current: names.length === 0, pending: names, can_run_beside: isRolling }, describe(names, isRolling));
          return names.length === 0 ? EXIT.done : EXIT.refused;
        });
      }),
    );
}

function describe(pending: readonly string[], isRolling: boolean): string {
  if (pending.length === 0) return 'The schema is current.';
  const next = isRolling
    ? 'Instances of the old version may run while this version starts. Stop them afterwards: they cannot start again.'
    : 'Stop every instance of the old version first, and write a backup with it.';
  return `The database lacks ${pending.join(', ')}. ${next}`;
}
