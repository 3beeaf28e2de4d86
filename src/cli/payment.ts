import { systemClock, unixSeconds } from '../kernel/clock.ts';
import { listPending } from '../operator/actions.ts';
import { readArguments, refuse } from './arguments.ts';
import { askOperator, besideService, EXIT, readReason } from './ask-operator.ts';
import { grouped, span, table } from './table.ts';

const USAGE = `npm run --silent payment -- [resolve <payment> (--preimage <hex> | --failed) --reason "…"]

Without a verb: lists the payments that have not ended, the oldest first.
  resolve     ends a payment (lntx_…) with evidence, which the service checks at the node right before it books:
  --preimage  it was paid: the preimage of its payment hash, as the receiver shows it; refused while the node reports it as pending or failed
  --failed    it failed: only if the node says so definitively
The service records who asked, when, why and with what evidence.
Exit code 0: done; 1: refused, no money moved; 2: not done; 3: not ended yet.`;

const MAX_LISTED = 200;

/** `npm run payment`: lists payments in flight, and ends one with evidence. */
async function main(): Promise<void> {
  const options = { reason: { type: 'string' }, preimage: { type: 'string' }, failed: { type: 'boolean' } } as const;
  const { words, reason: given, preimage, failed } = readArguments(USAGE, options, 2);
  const [verb, subject = ''] = words;
  if (verb === undefined) {
    if (given !== undefined || preimage !== undefined || failed) refuse(USAGE);
    return list();
  }
  if (verb !== 'resolve' || words.length !== 2 || (preimage !== undefined) === (failed === true)) refuse(USAGE);
  const reason = readReason(given);
  if (reason === undefined) fail('--reason is required, with 1 to 500 characters: it is recorded.');
  if (!/^lntx_[0-9A-Za-z]+$/.test(subject))
    fail('The payment must be given by its id (lntx_…). `npm run payment` lists those that have not ended.');
  if (preimage !== undefined && !/^[0-9a-f]{64}$/i.test(preimage)) fail('--preimage must be 64 hexadecimal digits.');
  const target = failed ? 'failed' : 'settled';
  await besideService((database) => askOperator(database, { kind: 'resolve', subject, target, preimage: preimage?.toLowerCase(), reason }));
}

function list(): Promise<void> {
  return besideService(async (database) => {
    const now = unixSeconds(systemClock);
    const rows = (await listPending(database, MAX_LISTED)).map((one) => [
      one.id,
      one.walletId,
      grouped(one.amountMsat),
      span(Math.max(0, now - one.createdAt)),
    ]);
    const head = ['payment', 'wallet', 'msat', 'age'];
    process.stdout.write(rows.length === 0 ? 'No payment is pending.\n' : `${table([head, ...rows], [2])}\n`);
    return EXIT.done;
  });
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(EXIT.notDone);
}

await main();
