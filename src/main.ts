import { startSatchel } from './app.ts';
import { InvalidConfig, readConfig } from './config.ts';
import { secretKeyShell } from './first-key.ts';
import { greeting } from './greeting.ts';
import { errorMessage } from './kernel/log.ts';

/** The process: configuration → start → listen → signals → close. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const satchel = await startSatchel(config);
  const address = await satchel.server.listen({ host: config.host, port: config.port });
  const newKeys = config.bootstrapSecretKey === undefined ? satchel.newKeys : undefined;
  const localUrl = address.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');
  process.stdout.write(greeting({ publicUrl: config.publicUrl, localUrl, newKeys, secretKeyShell: secretKeyShell(config) }));
  endOnSignals(() => satchel.close());
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

main().catch((error) => {
  const known = error instanceof InvalidConfig || ['ForeignLedger', 'DatabaseNewer', 'DatabaseLocked'].includes((error as Error).name);
  process.stderr.write(`Satchel cannot start: ${errorMessage(error)}\n${known ? '' : `${(error as Error).stack ?? ''}\n`}`);
  process.exit(1);
});
