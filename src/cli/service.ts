import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createClient, type OperatorAction, type RequestOptions, type SatchelClient, SatchelError } from '../../client/satchel.js';
import { type Config, readConfig } from '../config.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { keysFile } from '../data-files.ts';
import { localUrl } from '../service-addresses.ts';
import type { Column, Output } from './output.ts';
import { moment } from './table.ts';
import { action, type Call, EXIT, NotDone } from './verb.ts';

/** Longer than any response waits for the end of a payment (PAYMENT_WAIT_SECONDS). */
const TIMEOUT_MS = 120_000;

export interface ServiceOptions {
  readonly keyFile?: string;
}

export interface ServiceCall<Options> extends Call<Options & ServiceOptions> {
  readonly service: SatchelClient;
}

/** Adds the option of a command that calls the service. */
export function withKey(command: Command): Command {
  return command.option(
    '--key-file <file>',
    'a file with the secret API key, - for standard input (default: OPERATOR_KEY, then DATA_DIR/first-key)',
  );
}

/**
 * Returns the action of a command over the API of the service that runs with the same settings. `work` returns the exit code. `check` rejects
 * options that contradict each other, before a key is needed.
 */
export function serviceAction<Options extends object = object>(
  work: (call: ServiceCall<Options>) => Promise<number>,
  check: (options: Options) => void = () => undefined,
) {
  return action<Options & ServiceOptions>(async (call) => {
    check(call.options);
    const { key, url } = connectionOf(call.options);
    try {
      return await work({ ...call, service: createClient({ url, key, timeoutMs: TIMEOUT_MS }) });
    } catch (error) {
      if (error instanceof NotDone) throw error;
      const isRefused = error instanceof SatchelError && error.status < 500 && ![401, 403, 429].includes(error.status);
      process.stderr.write(`${isRefused ? 'Refused: ' : ''}${describeError(error, url)}\n`);
      return isRefused ? EXIT.refused : EXIT.notDone;
    }
  });
}

/** Returns the action of a command that prints one object. */
export function printAction<Found, Options extends object = object>(
  read: (call: ServiceCall<Options>) => Promise<Found>,
  describe: (found: Found) => string,
) {
  return serviceAction<Options>(async (call) => {
    const found = await read(call);
    await call.output.print(found, describe(found));
    return EXIT.done;
  });
}

/** Returns the action of a command that prints a list while it is read. The client's lists are promises, too: of their first page only. */
export function listAction<Item, Options extends object = object>(
  read: (call: ServiceCall<Options>) => AsyncIterable<Item>,
  columns: readonly Column<Item>[],
  ifEmpty: string,
) {
  return serviceAction<Options>(async (call) => {
    await call.output.list(read(call), columns, ifEmpty);
    return EXIT.done;
  });
}

/** Returns the URL of the service and the key for it. @throws NotDone */
export function connectionOf({ keyFile }: ServiceOptions): { key: string; url: string } {
  try {
    const config = readConfig(process.env);
    return { key: readKey(config, keyFile), url: localUrl(config) };
  } catch (error) {
    throw new NotDone(`Nothing was done: ${errorMessage(error)}`);
  }
}

/** Returns the key of a file, OPERATOR_KEY, or the first key of the service as long as its operator has not removed it. */
function readKey({ bootstrapSecretKey, dataDir }: Config, keyFile: string | undefined): string {
  const given = keyFile === undefined ? process.env.OPERATOR_KEY?.trim() || bootstrapSecretKey : readKeyFile(keyFile);
  const firstKeys = keysFile(dataDir);
  const key = given || (existsSync(firstKeys) ? readFileSync(firstKeys, 'utf8').split('\n')[0] : undefined);
  if (!key) throw new Error(NO_KEY);
  // A header rejects other characters with an error that contains the value, which must not be printed.
  if (given && !/^[!-~]+$/.test(given))
    throw new Error('OPERATOR_KEY must be one key. The first line of DATA_DIR/first-key is the secret key.');
  return key;
}

/** Returns the first line, because the second line of DATA_DIR/first-key is the public key. */
function readKeyFile(file: string): string {
  try {
    const [first = ''] = readFileSync(file === '-' ? 0 : file, 'utf8').split('\n');
    if (first.trim() !== '') return first.trim();
  } catch (error) {
    throw new Error(`the file of --key-file cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  throw new Error('the file of --key-file must contain a secret API key (sak_…) in its first line.');
}

const NO_KEY =
  'the command needs a secret API key (sak_…) of an operator in OPERATOR_KEY or --key-file. If none is left, `satchel key recover` creates one for an account.';

/** Returns why the service did not do what was requested. */
function describeError(error: unknown, url: string): string {
  if (error instanceof SatchelError) {
    if (error.status === 401 || error.status === 403) return `Nothing was done: ${error.message} ${NO_KEY.replace('the', 'The')}`;
    return error.status < 500 ? error.message : `${error.message} Run the same command again.`;
  }
  const { code } = (error as { cause?: { cause?: NodeJS.ErrnoException } }).cause?.cause ?? {};
  if (code === 'ECONNREFUSED')
    return `Nothing was done: no service answers at ${url}. Start it, or run the command with its settings (HOST, PORT and DATA_DIR).`;
  return `No valid response came from ${url} (${errorMessage(error)}). Whether it was done is unknown: see the actions of GET /v1/operator/actions.`;
}

/** Requests an action and prints its result. The service returns an identical earlier action instead of repeating it. */
export async function runAction(output: Output, request: (options: RequestOptions) => Promise<OperatorAction>): Promise<number> {
  let isReplay = false;
  const done = await request({
    onResponse({ headers }) {
      isReplay = headers.get('idempotency-replayed') === 'true';
    },
  });
  const { id, status, answer, payment_id: paymentId, requested_by: requestedBy } = done;
  if (isReplay) process.stderr.write(`The same action was requested before: ${id}, by ${requestedBy} at ${moment(done.requested_at)}.\n`);
  if (status === 'done') {
    await output.print(done, `Done: ${answer} (${id})`);
    return EXIT.done;
  }
  if (output.isJson) await output.print(done, '');
  const payment = paymentId === null ? '' : ` Its payment ${paymentId} is pending.`;
  process.stderr.write(`Not ended yet (${id}).${payment} The service continues. Run the same command again to see the result.\n`);
  return EXIT.pending;
}
