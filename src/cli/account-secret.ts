import { createAccountDirectory } from '../core/accounts/directory.ts';
import type { Database } from '../core/db/database.ts';
import { MIGRATIONS, requireMigrated } from '../core/db/migrate.ts';
import { systemClock } from '../core/kernel/clock.ts';
import { exitWithUsage, readArguments, runCommand, withDatabase } from './command.ts';
import { moment, table } from './table.ts';

const MAX_LISTED = 1000;

/** A command that creates a secret for an account, such as a key, while the service may run. */
interface AccountSecretCommand {
  readonly usage: string;
  /** What the command creates, for errors. */
  readonly noun: string;
  /** Returns the secret, which goes to standard output, and a notice for standard error; undefined if there is no such account. */
  create(database: Database, accountId: string): Promise<{ notice: string; secret: string } | undefined>;
}

/** Runs a command whose only argument is the account; it may be omitted if there is only one. */
export function runAccountSecretCommand({ usage, noun, create }: AccountSecretCommand): void {
  runCommand(`No ${noun} was created. `, async () => {
    const [given] = readArguments(usage, {}, 1).words;
    if (given !== undefined && !/^acc_[0-9A-Za-z]+$/.test(given)) exitWithUsage(usage);
    await withDatabase({ withoutLock: true }, async (database) => {
      await requireMigrated(database, MIGRATIONS);
      const accountId = given ?? (await onlyAccount(database));
      const created = await create(database, accountId);
      if (!created) throw new Error(`There is no account ${accountId}.`);
      process.stderr.write(`${created.notice}\n`);
      process.stdout.write(`${created.secret}\n`);
    });
  });
}

/** Returns the only account. It does not guess: a key for the wrong account gives access to another customer's money. */
async function onlyAccount(database: Database): Promise<string> {
  const { items } = await createAccountDirectory(database, systemClock).list().readPage({ limit: MAX_LISTED, order: 'asc' });
  const [first, ...others] = items;
  if (!first) throw new Error('The database has no account yet; the next start of the service creates one.');
  if (others.length === 0) return first.id;
  const rows = [first, ...others].map((one) => [one.id, moment(one.created_at), String(one.num_wallets)]);
  throw new Error(`There are several accounts; name one.\n${table([['account', 'created', 'wallets'], ...rows], [2])}`);
}
