import { listAccounts, replaceLostKey } from '../accounts/lost-keys.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { MIGRATIONS, requireMigrated } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { systemClock } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { readArguments, refuse } from './arguments.ts';
import { stderrLog } from './stderr-log.ts';
import { moment, table } from './table.ts';

// SQLite makes files beside the database: they are for their owner alone, as it is.
process.umask(0o077);

const USAGE = `npm run --silent new-key -- [acc_…]

Makes a new secret API key without limits for an account whose keys are lost, beside the running service, and prints it once, alone on
standard output. Without an account: for the only one that there is. Ask first who wants it: docs/operations.md.`;

const NOT_DONE = 2;

/** `npm run new-key -- [acc_…]`: the operator's way back into an account whose secret API keys are lost. */
async function main(): Promise<void> {
  const [asked] = readArguments(USAGE, {}, 1).words;
  if (asked !== undefined && !/^acc_[0-9A-Za-z]+$/.test(asked)) refuse(USAGE);
  const { databaseUrl } = readConfig(process.env);
  const database = await openDatabase(databaseUrl, { log: stderrLog, beside: true });
  try {
    await requireMigrated(database, MIGRATIONS);
    const accountId = asked ?? (await onlyAccount(database));
    const made = await replaceLostKey(database, systemClock, accountId);
    if (!made) throw new Error(`There is no account ${accountId}.`);
    process.stderr.write(`A secret API key without limits for ${accountId}, shown this once; its id is ${made.id}.
Its owner should revoke the lost keys with it now: GET /v1/keys lists them, DELETE /v1/keys/<id> ends one.\n`);
    process.stdout.write(`${made.text}\n`);
  } finally {
    await database.close();
  }
}

/** Never a guess: a key to the wrong account is a key to somebody else's money. */
async function onlyAccount(database: Database): Promise<string> {
  const [first, ...others] = await listAccounts(database);
  if (!first) throw new Error('The database has no account yet; the next start of the service makes one.');
  if (others.length === 0) return first.id;
  const rows = [first, ...others].map(({ id, createdAt, wallets }) => [id, moment(createdAt), String(wallets)]);
  throw new Error(`There are several accounts; name one.\n${table([['account', 'created', 'wallets'], ...rows], [2])}`);
}

main().catch((error) => {
  process.stderr.write(`No key was handed out. ${errorMessage(error)}\n`);
  process.exitCode = NOT_DONE;
});
