import { type Satchel, startSatchel } from './app.ts';
import { type Config, InvalidConfig, readConfig } from './config.ts';
import { keysFile, secretKeyShell } from './first-key.ts';
import { greeting } from './greeting.ts';
import { errorMessage } from './kernel/log.ts';

// Every file is for its owner alone: in the databases are keys of nodes, preimages, and what everybody has done with their money.
process.umask(0o077);

/** The process: configuration → start → listen → signals → close. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const satchel = await startSatchel(config);
  const address = await listen(satchel, config);
  const newKeys = keysToPrint(satchel, config);
  const localUrl = address.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');
  const isFake = config.lightningUrl.startsWith('fake:');
  const isNodeAvailable = await satchel.isNodeAvailable();
  const { publicUrl } = config;
  process.stdout.write(greeting({ publicUrl, localUrl, newKeys, isNodeAvailable, isFake, secretKeyShell: secretKeyShell(config) }));
  endOnSignals(() => satchel.close());
}

/** The keys that this start made; those that the operator chose are not repeated. */
function keysToPrint({ newKeys }: Satchel, { bootstrapSecretKey }: Config): Satchel['newKeys'] {
  return bootstrapSecretKey === undefined ? newKeys : undefined;
}

/** @throws InvalidConfig when the address cannot be listened on. */
async function listen(satchel: Satchel, config: Config): Promise<string> {
  const { host, port, dataDir } = config;
  try {
    return await satchel.server.listen({ host, port });
  } catch (error) {
    await satchel.close();
    // The next start does not print them: the account is there by then.
    const made = keysToPrint(satchel, config) ? ` The keys of the new account are in ${keysFile(dataDir)}.` : '';
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'EADDRINUSE')
      throw new InvalidConfig(`HOST and PORT must be an address of this machine that this user may use (${code}).${made}`);
    throw new InvalidConfig(`another program listens on port ${port} already. Stop it, or choose another PORT.${made}`);
  }
}

function endOnSignals(close: () => Promise<void>): void {
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    // A second signal is somebody who does not want to wait: everything durable is durable already.
    if (ending) process.exit(1);
    ending = true;
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
    ['ForeignLedger', 'DatabaseNewer', 'DatabaseLocked', 'DatabaseUnavailable', 'NodeUnavailable', 'FakeFileRefused'].includes(
      (error as Error).name,
    );
  process.stderr.write(`Satchel cannot start: ${errorMessage(error)}\n${known ? '' : `${(error as Error).stack ?? ''}\n`}`);
  process.exit(1);
});
