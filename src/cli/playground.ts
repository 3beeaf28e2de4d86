import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { servePlayground } from '../../devnet/playground/server.ts';
import { DEFAULT_PORT, playgroundUrl } from '../../devnet/playground/shared.ts';
import { InvalidConfig, makeDataDir, readConfig } from '../config.ts';
import { errorMessage } from '../kernel/log.ts';
import { readArguments } from './arguments.ts';

// The keys of the nodes are in its files: they are for their owner alone.
process.umask(0o077);

/** `npm run playground`: the playground of DATA_DIR as a process of its own, for instances that share it as they would share a real node. */
async function main(): Promise<void> {
  readArguments('npm run playground', {});
  // Nothing of the service is started, so what it would connect to does not matter here.
  const { host, dataDir, logLevel } = readConfig({ ...process.env, LIGHTNING_URL: undefined, DATABASE_URL: undefined });
  const port = readPort(process.env.PLAYGROUND_PORT?.trim() || String(DEFAULT_PORT));
  makeDataDir(dataDir);
  const secret = process.env.PLAYGROUND_SECRET?.trim() || keptSecret(dataDir);
  if (secret.length < MIN_SECRET_LENGTH) throw new InvalidConfig(`PLAYGROUND_SECRET must have at least ${MIN_SECRET_LENGTH} characters.`);
  const log = pino({ level: logLevel, base: null });
  const server = await servePlayground({ dataDir, host, port, secret, log });
  // To be copied as it stands: into a shell, or into a file of settings.
  const everywhere = host === '0.0.0.0' || host === '::';
  const url = playgroundUrl({ host: everywhere ? '127.0.0.1' : host, port: server.port, secret });
  process.stdout.write(`The playground is ready; its node is ${server.hub}. Start each instance with\n\nLIGHTNING_URL='${url}'\n\n`);
  endOnSignals(() => server.close());
}

const MIN_SECRET_LENGTH = 16;

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidConfig('PLAYGROUND_PORT must be a whole number from 0 to 65535.');
}

/** The secret that the first start left for its owner alone. */
function keptSecret(dataDir: string): string {
  const file = join(dataDir, 'playground-secret');
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

function endOnSignals(close: () => Promise<void>): void {
  let ending = false;
  const end = (): void => {
    // A second signal is somebody who does not want to wait: everything durable is durable already.
    if (ending) process.exit(1);
    ending = true;
    close().then(
      () => process.exit(0),
      (error) => fail(`The playground did not end cleanly: ${errorMessage(error)}`),
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

main().catch((error) => fail(`The playground cannot run: ${errorMessage(error)}`));
