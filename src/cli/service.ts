import { existsSync, readFileSync } from 'node:fs';
import { createClient, type OperatorAction, type RequestOptions, type SatchelClient, SatchelError } from '../../client/satchel.js';
import { type Config, localUrl, readConfig } from '../config.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { keysFile } from '../data-files.ts';
import { moment, table } from './table.ts';

/** The exit codes of the commands that call the service. */
export const EXIT = { done: 0, refused: 1, notDone: 2, pending: 3 } as const;

/** Longer than any response waits for the end of a payment (PAYMENT_WAIT_SECONDS). */
const TIMEOUT_MS = 120_000;
const MAX_REASON = 500;

/** Runs a command over the API of the service that runs with the same settings. `work` returns the exit code. */
export async function runOnService(work: (service: SatchelClient) => Promise<number>): Promise<void> {
  let url: string | undefined;
  try {
    const config = readConfig(process.env);
    const key = readKey(config);
    url = localUrl(config);
    process.exitCode = await work(createClient({ url, key, timeoutMs: TIMEOUT_MS }));
  } catch (error) {
    const isRefused = error instanceof SatchelError && error.status < 500 && ![401, 403, 429].includes(error.status);
    const text = url === undefined ? `Nothing was done: ${errorMessage(error)}` : describeError(error, url);
    process.stderr.write(`${isRefused ? 'Refused: ' : ''}${text}\n`);
    process.exitCode = isRefused ? EXIT.refused : EXIT.notDone;
  }
}

/** Returns the operator's key: OPERATOR_KEY, or the first key of the service as long as its operator has not removed it. */
function readKey({ bootstrapSecretKey, dataDir }: Config): string {
  const file = keysFile(dataDir);
  const given = process.env.OPERATOR_KEY?.trim() || bootstrapSecretKey;
  const key = given || (existsSync(file) ? readFileSync(file, 'utf8').split('\n')[0] : undefined);
  if (!key) throw new Error(NO_KEY);
  // A header rejects other characters with an error that contains the value, which must not be printed.
  if (given && !/^[!-~]+$/.test(given))
    throw new Error('OPERATOR_KEY must be one key. The first line of DATA_DIR/first-key is the secret key.');
  return key;
}

const NO_KEY =
  'the command needs a secret API key (sak_…) of an operator in OPERATOR_KEY. If none is left, `npm run new-key` creates one for an account.';

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

/** Prints the reason why nothing was requested, and exits. */
export function exitNotDone(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(EXIT.notDone);
}

/** Returns the reason of an action, and exits if it is missing or too long. */
export function readReason(given: string | undefined): string {
  const reason = given?.trim() ?? '';
  if (reason === '' || reason.length > MAX_REASON) exitNotDone(`--reason is required and must have 1 to ${MAX_REASON} characters.`);
  return reason;
}

/** Exits unless a text is an id with this prefix. A key in place of an id would be in the service's records. */
export function requireId(prefix: 'wal' | 'lnd' | 'lntx', text: string, message: string): void {
  if (!new RegExp(`^${prefix}_[0-9A-Za-z]+$`).test(text)) exitNotDone(message);
}

export const WALLET_ID = 'The wallet must be an id (wal_…), not a key.';

/** Prints the rows of a list, or a text if there are none. */
export function printList(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[],
  ifEmpty: string,
): number {
  process.stdout.write(`${rows.length === 0 ? ifEmpty : table([head, ...rows], right)}\n`);
  return EXIT.done;
}

/** Requests an action and prints its result. The service returns an identical earlier action instead of repeating it. */
export function runAction(request: (service: SatchelClient, options: RequestOptions) => Promise<OperatorAction>): Promise<void> {
  return runOnService(async (service) => {
    let isReplay = false;
    const action = await request(service, {
      onResponse({ headers }) {
        isReplay = headers.get('idempotency-replayed') === 'true';
      },
    });
    const { id, status, answer, payment_id: paymentId, requested_by: requestedBy } = action;
    if (isReplay)
      process.stderr.write(`The same action was requested before: ${id}, by ${requestedBy} at ${moment(action.requested_at)}.\n`);
    if (status === 'done') {
      process.stdout.write(`Done: ${answer} (${id})\n`);
      return EXIT.done;
    }
    const payment = paymentId === null ? '' : ` Its payment ${paymentId} is pending.`;
    process.stderr.write(`Not ended yet (${id}).${payment} The service continues. Run the same command again to see the result.\n`);
    return EXIT.pending;
  });
}
