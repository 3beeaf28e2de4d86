import { replaceSetupLink, setupUrl } from '../accounts/login/setup-links.ts';
import { readConfig } from '../config.ts';
import { MIGRATIONS, requireMigrated } from '../db/migrate.ts';
import { systemClock } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { exitWithUsage, readArguments } from './arguments.ts';
import { withDatabase } from './database.ts';
import { onlyAccount } from './only-account.ts';
import { moment } from './table.ts';

const USAGE = `npm run --silent login-link -- [acc_…]

Creates a link with which the owner of an account sets e-mail and password, once, while the service may run. Prints it to standard output. An
earlier link of the account stops working. The account may be omitted if there is only one. Verify first who requests the link:
docs/operations.md.`;

const NOT_DONE = 2;

/** `npm run login-link -- [acc_…]`: creates a setup link for an account. */
async function main(): Promise<void> {
  const [given] = readArguments(USAGE, {}, 1).words;
  if (given !== undefined && !/^acc_[0-9A-Za-z]+$/.test(given)) exitWithUsage(USAGE);
  await withDatabase({ withoutLock: true }, async (database) => {
    await requireMigrated(database, MIGRATIONS);
    const accountId = given ?? (await onlyAccount(database));
    const link = await replaceSetupLink(database, systemClock, accountId);
    if (!link) throw new Error(`There is no account ${accountId}.`);
    process.stderr.write(`A link to set e-mail and password of ${accountId}, shown this once. It expires at ${moment(link.expiresAt)}.\n`);
    process.stdout.write(`${setupUrl(readConfig(process.env).publicUrl, link.token)}\n`);
  });
}

main().catch((error) => {
  process.stderr.write(`No link was created. ${errorMessage(error)}\n`);
  process.exitCode = NOT_DONE;
});
