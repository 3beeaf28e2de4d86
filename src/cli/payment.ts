import type { SatchelClient } from '../../client/satchel.js';
import { exitWithUsage, readArguments } from './command.ts';
import { exitNotDone, printList, readReason, requireId, runAction, runOnService } from './service.ts';
import { grouped, span } from './table.ts';

const USAGE = `npm run --silent payment -- [resolve <payment> (--preimage <hex> | --failed | --received) --reason "…"]

Without arguments: lists the pending payments, oldest first, at most 100.
  resolve     ends a pending or arriving payment (lntx_…) with evidence. The service looks it up at the node right before it books.
  --preimage  The payment was paid; this is the preimage that the receiver shows. Refused while the node reports it as pending or failed.
  --failed    The payment failed. Refused unless the node reports failure, or its records prove that no money can leave. Ends an arriving
              payment without a credit.
  --received  The arriving payment of an invoice has arrived, and is credited.
              If the node reports how an arriving payment ended, its report decides, also with --failed.
  --reason    1 to 500 characters.
The service records the operator, the time, the reason and the evidence.
Exit code 0: done. 1: refused; the message tells whether the payment has ended with the other outcome. 2: not done. 3: not ended yet.`;

/** `npm run payment`: lists pending payments, and ends one with evidence. */
async function main(): Promise<void> {
  const options = {
    reason: { type: 'string' },
    preimage: { type: 'string' },
    failed: { type: 'boolean' },
    received: { type: 'boolean' },
  } as const;
  const { words, reason: given, preimage, failed = false, received = false } = readArguments(USAGE, options, 2);
  const [verb, id = ''] = words;
  if (verb === undefined) {
    if (given !== undefined || preimage !== undefined || failed || received) exitWithUsage(USAGE);
    return runOnService(list);
  }
  if (verb !== 'resolve' || words.length !== 2 || [preimage !== undefined, failed, received].filter(Boolean).length !== 1)
    exitWithUsage(USAGE);
  const reason = readReason(given);
  requireId('lntx', id, 'The payment must be an id (lntx_…). `npm run payment` lists the pending payments.');
  if (preimage !== undefined && !/^[0-9a-f]{64}$/i.test(preimage)) exitNotDone('--preimage must be 64 hexadecimal digits.');
  const evidence = { outcome: failed ? 'failed' : 'settled', ...(preimage !== undefined && { preimage }) } as const;
  await runAction((service, options) => service.operator.resolvePayment(id, { ...evidence, reason }, options));
}

async function list(service: SatchelClient): Promise<number> {
  const pending = await service.operator.listPendingPayments({ status: 'pending', 'per-page': 100 });
  const rows = pending.map((one) => [one.id, one.wallet_id, grouped(one.num_msat), span(one.age_seconds)]);
  return printList(['payment', 'wallet', 'msat', 'age'], rows, [2], 'No payment is pending.');
}

await main();
