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
    .option('--check', 'change nothing; exit with 1 if the schema is not current')
    .action(
      localAction<{ check?: boolean }>('The database was not migrated: ', async ({ options: { check = false }, output }) => {
        const [{ withDatabase }, { migrate, MIGRATIONS, requireMigrated }, { SchemaMismatch }] = await Promise.all([
          import('./database.ts'),
          import('../core/db/migrate.ts'),
          import('../core/db/errors.ts'),
        ]);
        return withDatabase(check ? { readOnly: true } : { mayCreate: true }, async (database) => {
          if (!check) await migrate(database, MIGRATIONS);
          try {
            await requireMigrated(database, MIGRATIONS);
          } catch (error) {
            if (!(error instanceof SchemaMismatch)) throw error;
            await output.print({ is_current: false, reason: error.message }, error.message);
            return EXIT.refused;
          }
          await output.print({ is_current: true }, 'The schema is current.');
          return EXIT.done;
        });
      }),
    );
}
