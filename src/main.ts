import { type Satchel, startSatchel } from './app.ts';
import { type Config, readConfig } from './config.ts';
import { setupUrl } from './core/accounts/setup-links.ts';
import { errorMessage } from './core/kernel/log.ts';
import { keysFile, secretKeyShell, storeSetupLink } from './data-files.ts';
import { type Greeting, greeting } from './greeting.ts';
import { InvalidConfig } from './settings.ts';
import { closeOnSignals } from './signals.ts';

// Files are readable only by their owner: the databases contain node keys, preimages and the customers' transactions.
process.umask(0o077);

/** Reads the configuration, starts the service, listens, and closes it on a signal. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const satchel = await startSatchel(config);
  const address = await listen(satchel, config);
  // Before the greeting, because a program that waits for the greeting may send a signal right after it.
  closeOnSignals('Satchel', () => satchel.close());
  void satchel.failed.then((error) => {
    if (!error) return;
    process.stderr.write(`Satchel stops: ${errorMessage(error)}\n`);
    // Nothing that runs may end: its connections are refused, and a crash at any moment loses nothing.
    process.exit(1);
  });
  const newKeys = newKeysOf(satchel, config);
  const setupLink = await setupLinkOf(satchel, config);
  const localUrl = address.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');
  const isFake = config.lightningUrls.some((url) => url.startsWith('fake:'));
  const isNodeAvailable = await satchel.isNodeAvailable();
  const isRestored = await satchel.isRestored();
  process.stdout.write(
    greeting({
      publicUrl: config.publicUrl,
      localUrl,
      newKeys,
      setupLink,
      isNodeAvailable,
      isRestored,
      isFake,
      hasPlayground: satchel.hasPlayground,
      secretKeyShell: secretKeyShell(config),
    }),
  );
}

/**
 * Returns the keys that this start created, or the file that contains them. The keys themselves are printed only to a terminal, because other
 * output is stored in logs. Keys that the operator chose are not printed.
 */
function newKeysOf({ newKeys }: Satchel, { bootstrapSecretKey, dataDir }: Config): Greeting['newKeys'] {
  if (bootstrapSecretKey !== undefined || !newKeys) return undefined;
  return process.stdout.isTTY ? { keys: newKeys } : { file: keysFile(dataDir) };
}

/** Returns the link to set up the operator's login, or the file that contains it if the output is not a terminal; undefined if there is a login. */
async function setupLinkOf(satchel: Satchel, { publicUrl, dataDir }: Config): Promise<Greeting['setupLink']> {
  try {
    const link = await satchel.createSetupLink();
    const url = link && setupUrl(publicUrl, link.token);
    const file = await storeSetupLink(dataDir, process.stdout.isTTY ? undefined : url);
    return url === undefined ? undefined : process.stdout.isTTY ? { url } : { file };
  } catch (error) {
    process.stderr.write(`No setup link was created: ${errorMessage(error)}\n`);
    return undefined;
  }
}

/** Listens on HOST and PORT and returns the address. @throws InvalidConfig if it cannot listen there. */
async function listen(satchel: Satchel, config: Config): Promise<string> {
  const { host, port, dataDir } = config;
  try {
    return await satchel.server.listen({ host, port });
  } catch (error) {
    await satchel.close();
    // The next start does not print the keys, because the account exists then.
    const keysNote = newKeysOf(satchel, config) ? ` The keys of the new account are in ${keysFile(dataDir)}.` : '';
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'EADDRINUSE')
      throw new InvalidConfig(`HOST and PORT must be an address of this machine that this user may listen on (${code}).${keysNote}`);
    throw new InvalidConfig(`another program listens on port ${port} already. Stop it, or choose another PORT.${keysNote}`);
  }
}

// The reader of standard output may have closed it; the service continues.
process.stdout.on('error', () => {});

main().catch((error) => {
  const known =
    error instanceof InvalidConfig ||
    [
      'ForeignLedger',
      'SchemaMismatch',
      'DatabaseMoved',
      'DatabaseLocked',
      'DatabaseUnavailable',
      'NodeUnavailable',
      'ImportUnfinished',
      'FakeFileRefused',
    ].includes((error as Error).name);
  process.stderr.write(`Satchel cannot start: ${errorMessage(error)}\n${known ? '' : `${(error as Error).stack ?? ''}\n`}`);
  process.exit(1);
});
