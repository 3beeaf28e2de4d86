import type { Command } from 'commander';
import { percent } from './backup.ts';
import { confirm, EXIT, localAction, NotDone, verb, withConfirmation } from './verb.ts';

/** `satchel move`: copies the database to PostgreSQL, or back to SQLite, and ends the use of the old one. */
export function addMove(program: Command): void {
  const move = verb(program, {
    name: 'move',
    summary: 'Move the database from SQLite to PostgreSQL, or back',
    details:
      'Stop the service first. The new database must be empty. If the command is interrupted, repeat it: it continues. At the end both ' +
      'databases are compared, and the old one refuses to start. A URL with a password belongs into TARGET_DATABASE_URL or a file that ' +
      'TARGET_DATABASE_URL_FILE names, because other users of the machine can read arguments.',
    example: 'move --to postgres://satchel@db.example.com/satchel',
  }).option('--to <url>', 'the new database, sqlite:<file> or postgres://…, without a password');
  withConfirmation(move).action(
    localAction<{ to?: string; yes?: boolean }>('The move has not ended: ', async ({ options, output }) => {
      const [{ readConfig }, { systemClock }, { stderrLog }, { moveDatabase, nameOf }] = await Promise.all([
        import('../config.ts'),
        import('../core/kernel/clock.ts'),
        import('./database.ts'),
        import('../features/move/move.ts'),
      ]);
      const { databaseUrl, targetDatabaseUrl } = readConfig(process.env);
      const to = targetOf(options.to, targetDatabaseUrl);
      await confirm(`The database is copied to ${nameOf(to)}. Then ${nameOf(databaseUrl)} refuses to start.`, options);
      process.umask(0o077);
      const moved = await moveDatabase({
        from: databaseUrl,
        to,
        clock: systemClock,
        log: stderrLog,
        progress: (step, done, total) => output.progress(`${step}: ${percent(done, total)}`),
      });
      output.progress('');
      const copied =
        moved.rows === undefined ? 'The move is complete' : `${moved.rows} rows in ${moved.tables} tables were copied and compared`;
      await output.print(
        moved,
        `${copied}. The database is now ${moved.to}.\n` +
          'Next: set DATABASE_URL or DATABASE_URL_FILE to it, and start the service. The old database refuses to start. Keep it until the\n' +
          'first backup of the new one. The secret key and the other files of DATA_DIR stay where they are.',
      );
      return EXIT.done;
    }),
  );
}

function targetOf(given: string | undefined, configured: string | undefined): string {
  if (given === undefined && configured === undefined) throw new NotDone('name the new database: --to <url>, or TARGET_DATABASE_URL.');
  if (given === undefined) return configured as string;
  if (configured !== undefined) throw new NotDone('only one of --to and TARGET_DATABASE_URL may be given.');
  if (!/^(sqlite:.|postgres(ql)?:\/\/.)/.test(given)) throw new NotDone('--to must be sqlite:<file> or postgres://user@host/database.');
  if (hasPassword(given))
    throw new NotDone('--to must not contain a password, which other users of the machine could read. Set TARGET_DATABASE_URL instead.');
  return given;
}

/** A URL that cannot be parsed may contain a password, too. */
function hasPassword(text: string): boolean {
  if (text.startsWith('sqlite:')) return false;
  if (!URL.canParse(text)) return true;
  const url = new URL(text);
  return url.password !== '' || url.searchParams.has('password');
}
