import type { Database } from '../core/db/database.ts';
import { actionsOf, listUnmatchedSettlements } from '../features/operator/actions.ts';
import { exitWithUsage, readArguments } from './arguments.ts';
import { EXIT, exitNotDone, readReason, requestAndWait, runCommand } from './operator-command.ts';
import { grouped, moment, table } from './table.ts';

const USAGE = `npm run --silent suspense -- [assign <payment hash> <wallet> | return <payment hash> <invoice>] [--reason "…"] [--all]

Handles money that arrived for no wallet. Without arguments: lists the money in suspense.
  --all     also lists what was assigned or returned
  assign    credits the money to a wallet (wal_…)
  return    pays the money to an invoice (BOLT11) that states its amount; the routing fee is paid from the same money
  --reason  1 to 500 characters, required for assign and return
The running service executes the command, and records the operator, the time and the reason.
Exit code 0: done. 1: refused, no money moved. 2: not done. 3: the payment is still pending.`;

const KINDS: Readonly<Record<string, 'credit' | 'return'>> = { assign: 'credit', return: 'return' };

/** `npm run suspense`: lists money that arrived for no wallet, assigns it to a wallet, or returns it. */
async function main(): Promise<void> {
  const { words, reason: given, all } = readArguments(USAGE, { reason: { type: 'string' }, all: { type: 'boolean' } }, 3);
  const [verb, hash = '', to = ''] = words;
  if (verb === undefined) {
    if (given !== undefined) exitWithUsage(USAGE);
    return runCommand((database) => list(database, all === true));
  }
  const kind = KINDS[verb];
  const reason = readReason(given);
  if (!kind || words.length !== 3 || all) exitWithUsage(USAGE);
  if (reason === undefined) exitNotDone('--reason is required and must have 1 to 500 characters.');
  if (!/^[0-9a-f]{64}$/i.test(hash))
    exitNotDone('The payment hash must be 64 hexadecimal digits. `npm run suspense` lists the payment hashes.');
  if (kind === 'credit' && !/^wal_[0-9A-Za-z]+$/.test(to)) exitNotDone('The wallet must be an id (wal_…), not a key.');
  const target = kind === 'credit' ? to : to.toLowerCase().replace(/^lightning:/, '');
  await runCommand((database) => requestAndWait(database, { kind, subject: hash.toLowerCase(), target, reason }));
}

async function list(database: Database, isAll: boolean): Promise<number> {
  const rows: string[][] = [];
  for await (const { paymentHash, settledAt, amountMsat, leftMsat } of listUnmatchedSettlements(database)) {
    if (!isAll && leftMsat === 0) continue;
    rows.push([paymentHash, moment(settledAt), grouped(amountMsat), grouped(leftMsat)]);
    if (!isAll) continue;
    for (const one of await actionsOf(database, paymentHash)) {
      rows.push([`  ${one.id} ${one.kind}`, moment(one.requestedAt), one.state, `${one.requestedBy}: ${one.reason}. ${one.answer}`]);
    }
  }
  const head = ['payment hash', 'arrived', 'msat', 'left, msat'];
  process.stdout.write(rows.length === 0 ? 'Suspense is empty.\n' : `${table([head, ...rows], isAll ? [] : [2, 3])}\n`);
  return EXIT.done;
}

await main();
