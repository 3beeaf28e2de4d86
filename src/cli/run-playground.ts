import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { DEFAULT_NODE } from '../../devnet/playground/node-name.ts';
import { servePlayground } from '../../devnet/playground/server.ts';
import { DEFAULT_PORT, playgroundUrl } from '../../devnet/playground/shared.ts';
import { makeDataDir, readConfig } from '../config.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { readOrCreate } from '../data-files.ts';
import { InvalidConfig, settingsOf } from '../settings.ts';
import { closeOnSignals } from '../signals.ts';

// Files are readable only by their owner: they contain the keys of the nodes.
process.umask(0o077);

/** `satchel playground`: runs the playground of DATA_DIR in a separate process. Several instances can share it, as they would a real node. */
async function main(): Promise<void> {
  // This process connects to neither, so invalid values do not matter.
  const { host, dataDir, logLevel } = readConfig({ ...process.env, LIGHTNING_URL: undefined, DATABASE_URL: undefined });
  const { get, integer } = settingsOf(process.env);
  const port = integer('PLAYGROUND_PORT', DEFAULT_PORT, 0, 65_535);
  makeDataDir(dataDir);
  const secret =
    get('PLAYGROUND_SECRET') ?? (await readOrCreate(join(dataDir, 'playground-secret'), randomBytes(32).toString('base64url')));
  if (secret.length < MIN_SECRET_LENGTH) throw new InvalidConfig(`PLAYGROUND_SECRET must have at least ${MIN_SECRET_LENGTH} characters.`);
  const log = pino({ level: logLevel, base: null });
  const server = await servePlayground({ dataDir, host, port, secret, log });
  // The line can be pasted into a shell or a file of settings.
  const everywhere = host === '0.0.0.0' || host === '::';
  const url = playgroundUrl({ host: everywhere ? '127.0.0.1' : host, port: server.port, secret, node: DEFAULT_NODE });
  process.stdout.write(`The playground is ready; its node is ${server.hub}. Start each instance with\n\nLIGHTNING_URL='${url}'\n\n`);
  process.stdout.write('A service with another ledger needs its own node: add &node= and a name to its URL, such as &node=shop.\n\n');
  closeOnSignals('The playground', () => server.close());
}

const MIN_SECRET_LENGTH = 16;

// The reader of standard output may have closed it; the playground continues.
process.stdout.on('error', () => {});

main().catch((error) => {
  process.stderr.write(`The playground cannot run: ${errorMessage(error)}\n`);
  process.exit(1);
});
