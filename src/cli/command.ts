import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import type { Database } from '../core/db/database.ts';
import { openDatabase } from '../core/db/open.ts';
import { errorMessage, type Log } from '../core/kernel/log.ts';

/**
 * Parses the options of a command and at most `maxWords` arguments. Prints the usage and exits, with code 0 for `--help` and with code 2 for
 * anything unknown, so that a mistyped option is never ignored.
 */
export function readArguments<T extends ParseArgsOptionsConfig>(usage: string, options: T, maxWords = 0) {
  const { values, positionals: words } = parse(usage, { ...options, help: { type: 'boolean' } });
  if ('help' in values) {
    process.stdout.write(`Usage: ${usage}\n`);
    process.exit(0);
  }
  if (words.length > maxWords) exitWithUsage(usage);
  return { ...values, words };
}

function parse<T extends ParseArgsOptionsConfig>(usage: string, options: T) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch {
    return exitWithUsage(usage);
  }
}

/** Prints the usage without repeating the arguments, which may contain a key, and exits with code 2. */
export function exitWithUsage(usage: string): never {
  process.stderr.write(`Usage: ${usage}\n`);
  process.exit(2);
}

/** Runs a command. After an error it prints what was not done and the reason, and sets the exit code 2. */
export function runCommand(notDone: string, main: () => Promise<void>): void {
  main().catch((error) => {
    process.stderr.write(`${notDone}${errorMessage(error)}\n`);
    process.exitCode = 2;
  });
}

/** Opens the database of DATABASE_URL for a command, and closes it after the work. The service may run at the same time. */
export async function withDatabase<T>(
  options: { readonly readOnly?: boolean; readonly withoutLock?: boolean },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  // SQLite creates files next to the database; only their owner may read them.
  process.umask(0o077);
  const database = await openDatabase(readConfig(process.env).databaseUrl, { ...options, log: stderrLog });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The log of a command: warnings and errors, written to standard error. */
export const stderrLog: Log = { info() {}, warn: write, error: write };

function write(fields: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
}
