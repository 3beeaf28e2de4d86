import type { Command } from 'commander';
import type { Database } from '../core/db/database.ts';
import { moment, table } from './table.ts';
import { EXIT, idParser, localAction } from './verb.ts';

const MAX_LISTED = 1000;

/** A secret of an account that a command created, such as a key. */
export interface CreatedSecret {
  /** What to do with it, for standard error. */
  readonly notice: string;
  readonly secret: string;
  readonly json: object;
}

/** Creates a secret for an account; undefined if there is no such account. */
type CreateSecret = (database: Database, accountId: string) => Promise<CreatedSecret | undefined>;

/** Makes a command create a secret in the database; its argument, the account, may be omitted if there is only one. */
export function createsAccountSecret(command: Command, what: string, loadCreate: () => Promise<CreateSecret>): void {
  command.argument('[account]', 'the id of the account; may be omitted if there is only one', idParser('acc')).action(
    localAction(`No ${what} was created. `, async ({ output, args: [given] }) => {
      const [{ withDatabase }, create] = await Promise.all([import('./database.ts'), loadCreate()]);
      return withDatabase({ withoutLock: true }, async (database) => {
        const accountId = given ?? (await onlyAccount(database));
        const created = await create(database, accountId);
        if (!created) throw new Error(`There is no account ${accountId}.`);
        process.stderr.write(`${created.notice}\n`);
        await output.print({ account_id: accountId, ...created.json }, created.secret);
        return EXIT.done;
      });
    }),
  );
}

/** Returns the only account. It does not guess: a key for the wrong account gives access to another customer's money. */
async function onlyAccount(database: Database): Promise<string> {
  const [{ listAccounts }, { systemClock }] = await Promise.all([
    import('../core/accounts/directory.ts'),
    import('../core/kernel/clock.ts'),
  ]);
  const { items } = await listAccounts(database, systemClock).readPage({ limit: MAX_LISTED, order: 'asc' });
  const [first, ...others] = items;
  if (!first) throw new Error('The database has no account yet; the next start of the service creates one.');
  if (others.length === 0) return first.id;
  const rows = [first, ...others].map((one) => [one.id, moment(one.created_at), String(one.num_wallets)]);
  throw new Error(`There are several accounts; name one.\n${table([['account', 'created', 'wallets'], ...rows], [2])}`);
}
