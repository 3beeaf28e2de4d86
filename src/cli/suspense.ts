import type { SatchelClient } from '../../client/satchel.js';
import { exitWithUsage, readArguments } from './command.ts';
import { exitNotDone, printList, readReason, requireId, runAction, runOnService, WALLET_ID } from './service.ts';
import { grouped, moment } from './table.ts';

const USAGE = `npm run --silent suspense -- [assign <payment hash> <wallet> | return <payment hash> <invoice>] [--reason "…"] [--all]

Handles money that arrived for no wallet. Without arguments: lists the money in suspense.
  --all     also lists what was assigned or returned
  assign    credits the money to a wallet (wal_…)
  return    pays the money to an invoice (BOLT11) that states its amount; the routing fee is paid from the same money
  --reason  1 to 500 characters, required for assign and return
The running service executes the command, and records the operator, the time and the reason.
Exit code 0: done. 1: refused, no money moved. 2: not done. 3: the payment is still pending.`;

/** `npm run suspense`: lists money that arrived for no wallet, assigns it to a wallet, or returns it. */
async function main(): Promise<void> {
  const { words, reason: given, all } = readArguments(USAGE, { reason: { type: 'string' }, all: { type: 'boolean' } }, 3);
  const [verb, id = '', to = ''] = words;
  if (verb === undefined) {
    if (given !== undefined) exitWithUsage(USAGE);
    return runOnService((service) => list(service, all === true));
  }
  if (!(verb === 'assign' || verb === 'return') || words.length !== 3 || all) exitWithUsage(USAGE);
  const reason = readReason(given);
  if (!/^[0-9a-f]{64}$/i.test(id))
    exitNotDone('The payment hash must be 64 hexadecimal digits. `npm run suspense` lists the payment hashes.');
  if (verb === 'assign') requireId('wal', to, WALLET_ID);
  await runAction((service, options) =>
    verb === 'assign'
      ? service.operator.creditSuspense(id, { wallet_id: to, reason }, options)
      : service.operator.returnSuspense(id, { payment_request: to, reason }, options),
  );
}

async function list(service: SatchelClient, isAll: boolean): Promise<number> {
  const rows: string[][] = [];
  for await (const money of service.operator.listSuspense({ status: isAll ? 'all' : 'open', 'per-page': 100 })) {
    rows.push([money.id, moment(money.created_at), grouped(money.num_msat), grouped(money.left_msat)]);
    for (const { id, kind, requested_at, status, requested_by, reason, answer } of isAll ? money.actions : [])
      rows.push([`  ${id} ${kind}`, moment(requested_at), status, `${requested_by}: ${reason}. ${answer}`]);
  }
  return printList(['payment hash', 'arrived', 'msat', 'left, msat'], rows, isAll ? [] : [2, 3], 'Suspense is empty.');
}

await main();
