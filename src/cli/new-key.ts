import { replaceLostKey } from '../accounts/lost-keys.ts';
import { MIGRATIONS, requireMigrated } from '../db/migrate.ts';
import { systemClock } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { exitWithUsage, readArguments } from './arguments.ts';
import { withDatabase } from './database.ts';
import { onlyAccount } from './only-account.ts';

const USAGE = `npm run --silent new-key -- [acc_…]

Creates a secret API key without limits for an account whose keys are lost, while the service may run. Prints the key once, to standard
output. The account may be omitted if there is only one. Verify first who requests the key: docs/operations.md.`;

const NOT_DONE = 2;

/** `npm run new-key -- [acc_…]`: creates a secret API key for an account whose keys are lost. */
async function main(): Promise<void> {
  const [given] = readArguments(USAGE, {}, 1).words;
  if (given !== undefined && !/^acc_[0-9A-Za-z]+$/.test(given)) exitWithUsage(USAGE);
  await withDatabase({ withoutLock: true }, async (database) => {
    await requireMigrated(database, MIGRATIONS);
    const accountId = given ?? (await onlyAccount(database));
    const created = await replaceLostKey(database, systemClock, accountId);
    if (!created) throw new Error(`There is no account ${accountId}.`);
    process.stderr.write(`A secret API key without limits for ${accountId}, shown this once; its id is ${created.id}.
Its owner should revoke the lost keys with it now: GET /v1/keys lists them, DELETE /v1/keys/<id> revokes one.\n`);
    process.stdout.write(`${created.text}\n`);
  });
}

main().catch((error) => {
  process.stderr.write(`No key was created. ${errorMessage(error)}\n`);
  process.exitCode = NOT_DONE;
});
