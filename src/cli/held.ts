import type { Command } from 'commander';
import type { SatchelClient, UnknownHold } from '../../client/satchel.js';
import { listAction, runAction, serviceAction, withKey } from './service.ts';
import { grouped } from './table.ts';
import { confirm, hexParser, idParser, noun, verb, withConfirmation, withReason } from './verb.ts';

interface Decision {
  readonly reason: string;
  readonly yes?: boolean;
}

const WARNING = 'Another program that uses the node may own it.';

/** `satchel held`: lists payments that a node holds and the ledger does not know, and settles or cancels them. */
export function addHeld(program: Command): void {
  const held = noun(
    program,
    'held',
    'Handle held payments that the ledger does not know',
    'held list',
    'A restore may have lost their hold invoices, or another program that uses the node has created them. `satchel node holds` lists the others.',
  );

  withKey(
    verb(held, { name: 'list', summary: 'List the payments, those that expire first at the top', example: 'held list --json' }),
  ).action(listAction(({ service }) => holdsOf(service), COLUMNS, 'The nodes hold no payment that the ledger does not know.'));

  const settle = addHash(
    verb(held, {
      name: 'settle',
      summary: 'Claim a payment with its preimage',
      details: 'The money is then in suspense.',
      example: 'held settle lnd_… <hash> <preimage> --reason "ticket 12"',
    }),
  ).argument('<preimage>', 'the preimage of the payment', hexParser('The preimage must be 64 hexadecimal digits.'));
  withKey(withConfirmation(withReason(settle))).action(
    serviceAction<Decision>(async ({ service, output, options, args: [node = '', hash = '', preimage = ''] }) => {
      await confirm(`The payment of ${hash} is settled. ${WARNING}`, options);
      const { reason } = options;
      return runAction(output, (request) => service.operator.settleUnknownHold(node, hash, { preimage, reason }, request));
    }),
  );

  const cancel = addHash(
    verb(held, {
      name: 'cancel',
      summary: 'Return a payment to its payer',
      example: 'held cancel lnd_… <payment hash> --reason "nobody has the preimage"',
    }),
  );
  withKey(withConfirmation(withReason(cancel))).action(
    serviceAction<Decision>(async ({ service, output, options, args: [node = '', hash = ''] }) => {
      await confirm(`The payment of ${hash} goes back to its payer. ${WARNING}`, options);
      return runAction(output, (request) => service.operator.cancelUnknownHold(node, hash, { reason: options.reason }, request));
    }),
  );
}

function addHash(command: Command): Command {
  return command
    .argument('<node>', 'the id of the node that holds it', idParser('lnd'))
    .argument('<hash>', 'the payment hash', hexParser('The payment hash must be 64 hexadecimal digits. `satchel held list` lists them.'));
}

async function* holdsOf(service: SatchelClient): AsyncGenerator<UnknownHold> {
  const { nodes } = await service.operator.getOverview();
  for (const { id } of nodes) yield* service.operator.listUnknownHolds(id, { 'per-page': 100 });
}

const COLUMNS = [
  { name: 'node', text: ({ ln_node_id }: UnknownHold) => ln_node_id },
  { name: 'payment hash', text: ({ id }: UnknownHold) => id },
  { name: 'msat', isRight: true, text: ({ num_msat }: UnknownHold) => grouped(num_msat) },
  { name: 'blocks left', isRight: true, text: ({ blocks_left }: UnknownHold) => grouped(blocks_left) },
  { name: 'memo', text: ({ memo }: UnknownHold) => memo ?? '' },
];
