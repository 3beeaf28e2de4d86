import type { Command } from 'commander';
import type { SatchelClient } from '../../client/satchel.js';
import { runAction, serviceAction, withKey } from './service.ts';
import { grouped, moment } from './table.ts';
import { confirm, EXIT, hexParser, idParser, noun, verb, withConfirmation, withReason } from './verb.ts';

const HASH = 'the payment hash of the money';

interface Decision {
  readonly reason: string;
  readonly yes?: boolean;
}

/** `satchel suspense`: lists money that arrived for no wallet, assigns it to a wallet, or returns it. */
export function addSuspense(program: Command): void {
  const suspense = noun(program, 'suspense', 'Handle money that arrived for no wallet', 'suspense list');
  addList(suspense);

  const assign = verb(suspense, {
    name: 'assign',
    summary: 'Credit the rest of the money to a wallet',
    example: 'suspense assign <payment hash> wal_… --reason "the payer called"',
  })
    .argument('<hash>', HASH, parseHash)
    .argument('<wallet>', 'the id of the wallet', idParser('wal'));
  withKey(withConfirmation(withReason(assign))).action(
    serviceAction<Decision>(async ({ service, output, options, args: [hash = '', wallet = ''] }) => {
      if (!options.yes) await confirm(`${await describe(service, hash)} is credited to ${wallet}.`, options);
      return runAction(output, (request) => service.operator.creditSuspense(hash, { wallet_id: wallet, reason: options.reason }, request));
    }),
  );

  const giveBack = verb(suspense, {
    name: 'return',
    summary: 'Pay the money to an invoice of its payer',
    details: 'The routing fee is paid from the same money, so the invoice must be for a little less.',
    example: 'suspense return <payment hash> lnbc… --reason "sent by mistake"',
  })
    .argument('<hash>', HASH, parseHash)
    .argument('<invoice>', 'a BOLT11 invoice that states its amount');
  withKey(withConfirmation(withReason(giveBack))).action(
    serviceAction<Decision>(async ({ service, output, options, args: [hash = '', invoice = ''] }) => {
      if (!options.yes) await confirm(`${await describe(service, hash)} pays the invoice.`, options);
      return runAction(output, (request) =>
        service.operator.returnSuspense(hash, { payment_request: invoice, reason: options.reason }, request),
      );
    }),
  );
}

function addList(suspense: Command): void {
  withKey(verb(suspense, { name: 'list', summary: 'List the money, oldest first', example: 'suspense list --all' }))
    .option('--all', 'also list what was assigned or returned, with the decisions')
    .action(
      serviceAction<{ all?: boolean }>(async ({ service, output, options: { all = false } }) => {
        const money = service.operator.listSuspense({ status: all ? 'all' : 'open', order: 'asc', 'per-page': 100 });
        if (output.isJson) await output.list(money, [], '');
        else await output.list(all ? withActions(money) : rowsOf(money), ROW, 'Suspense is empty.');
        return EXIT.done;
      }),
    );
}

type Money = Awaited<ReturnType<SatchelClient['operator']['listSuspense']>>[number];

const ROW = ['payment hash', 'arrived', 'msat', 'left, msat'].map((name, index) => ({ name, text: (row: string[]) => row[index] ?? '' }));

async function* rowsOf(list: AsyncIterable<Money>): AsyncGenerator<string[]> {
  for await (const one of list) yield rowOf(one);
}

async function* withActions(list: AsyncIterable<Money>): AsyncGenerator<string[]> {
  for await (const money of list) {
    yield rowOf(money);
    for (const { id, kind, requested_at, status, requested_by, reason, answer } of money.actions)
      yield [`  ${id} ${kind}`, moment(requested_at), status, `${requested_by}: ${reason}. ${answer}`];
  }
}

function rowOf({ id, created_at, num_msat, left_msat }: Money): string[] {
  return [id, moment(created_at), grouped(num_msat), grouped(left_msat)];
}

/** Returns the plan's description of the money. The service checks the hash again when it books. */
async function describe(service: SatchelClient, hash: string): Promise<string> {
  for await (const { id, left_msat } of service.operator.listSuspense({ status: 'open', 'per-page': 100 }))
    if (id === hash.toLowerCase()) return `${grouped(left_msat)} msat of ${hash}`;
  return `The money of ${hash}`;
}

const parseHash = hexParser('The payment hash must be 64 hexadecimal digits. `satchel suspense list` lists the payment hashes.');
