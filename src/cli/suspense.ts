import type { Database } from '../core/db/database.ts';
import { listUnmatchedSettlements } from '../features/operator/unmatched-settlements.ts';
import { exitWithUsage, readArguments } from './command.ts';
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

const PAGE = 100;
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
  if (!kind || words.length !== 3 || all) exitWithUsage(USAGE);
  const reason = readReason(given);
  if (!/^[0-9a-f]{64}$/i.test(hash))
    exitNotDone('The payment hash must be 64 hexadecimal digits. `npm run suspense` lists the payment hashes.');
  if (kind === 'credit' && !/^wal_[0-9A-Za-z]+$/.test(to)) exitNotDone('The wallet must be an id (wal_…), not a key.');
  const target = kind === 'credit' ? to : to.toLowerCase().replace(/^lightning:/, '');
  await runCommand((database) => requestAndWait(database, { kind, subject: hash.toLowerCase(), target, reason }));
}

async function list(database: Database, isAll: boolean): Promise<number> {
  const rows: string[][] = [];
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await listUnmatchedSettlements(database, isAll, PAGE, offset);
    total = page.total;
    for (const { paymentHash, settledAt, amountMsat, leftMsat, actions } of page.items) {
      rows.push([paymentHash, moment(settledAt), grouped(amountMsat), grouped(leftMsat)]);
      for (const { id, kind, requestedAt, state, requestedBy, reason, answer } of isAll ? actions : [])
        rows.push([`  ${id} ${kind}`, moment(requestedAt), state, `${requestedBy}: ${reason}. ${answer}`]);
    }
  }
  const head = ['payment hash', 'arrived', 'msat', 'left, msat'];
  process.stdout.write(rows.length === 0 ? 'Suspense is empty.\n' : `${table([head, ...rows], isAll ? [] : [2, 3])}\n`);
  return EXIT.done;
}

await main();
