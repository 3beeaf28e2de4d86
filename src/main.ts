import { type Satchel, startSatchel } from './app.ts';
import { type Config, InvalidConfig, readConfig } from './config.ts';
import { keysFile, secretKeyShell } from './first-key.ts';
import { type Greeting, greeting } from './greeting.ts';
import { errorMessage } from './kernel/log.ts';

// Every file is for its owner alone: in the databases are keys of nodes, preimages, and what everybody has done with their money.
process.umask(0o077);

/** The process: configuration → start → listen → signals → close. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const satchel = await startSatchel(config);
  const address = await listen(satchel, config);
  // Before the greeting: a program that waits for it may send a signal right after it.
  endOnSignals(() => satchel.close());
  const newKeys = newKeysOf(satchel, config);
  const localUrl = address.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');
  const isFake = config.lightningUrl.startsWith('fake:');
  const isNodeAvailable = await satchel.isNodeAvailable();
  const { publicUrl } = config;
  process.stdout.write(greeting({ publicUrl, localUrl, newKeys, isNodeAvailable, isFake, secretKeyShell: secretKeyShell(config) }));
}

/**
 * Returns the keys that this start created, or the file that has them. Only a terminal shows them: other output ends up in a journal or a
 * container's log. Keys that the operator chose are not repeated.
 */
function newKeysOf({ newKeys }: Satchel, { bootstrapSecretKey, dataDir }: Config): Greeting['newKeys'] {
  if (bootstrapSecretKey !== undefined || !newKeys) return undefined;
  return process.stdout.isTTY ? { keys: newKeys } : { file: keysFile(dataDir) };
}

/** @throws InvalidConfig when the address cannot be listened on. */
async function listen(satchel: Satchel, config: Config): Promise<string> {
  const { host, port, dataDir } = config;
  try {
    return await satchel.server.listen({ host, port });
  } catch (error) {
    await satchel.close();
    // The next start does not print them: the account is there by then.
    const made = newKeysOf(satchel, config) ? ` The keys of the new account are in ${keysFile(dataDir)}.` : '';
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'EADDRINUSE')
      throw new InvalidConfig(`HOST and PORT must be an address of this machine that this user may use (${code}).${made}`);
    throw new InvalidConfig(`another program listens on port ${port} already. Stop it, or choose another PORT.${made}`);
  }
}

/** npm forwards a signal that a terminal or a service manager has sent to this process as well. */
const SAME_SIGNAL_MS = 1000;

function endOnSignals(close: () => Promise<void>): void {
  let endingSinceMs: number | undefined;
  const end = (signal: NodeJS.Signals) => {
    if (endingSinceMs !== undefined) {
      if (performance.now() - endingSinceMs < SAME_SIGNAL_MS) return;
      // A second signal means that the operator does not want to wait: everything durable is durable already.
      process.exit(1);
    }
    endingSinceMs = performance.now();
    process.stdout.write(`\n${signal}: finishing what is running …\n`);
    close().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`Satchel did not end cleanly: ${errorMessage(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

// Whoever read the output may be gone; the service goes on.
process.stdout.on('error', () => {});

main().catch((error) => {
  const known =
    error instanceof InvalidConfig ||
    ['ForeignLedger', 'SchemaMismatch', 'DatabaseLocked', 'DatabaseUnavailable', 'NodeUnavailable', 'FakeFileRefused'].includes(
      (error as Error).name,
    );
  process.stderr.write(`Satchel cannot start: ${errorMessage(error)}\n${known ? '' : `${(error as Error).stack ?? ''}\n`}`);
  process.exit(1);
});
