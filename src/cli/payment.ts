import type { Command } from 'commander';
import { type OperatorPayment, type SatchelClient, SatchelError } from '../../client/satchel.js';
import { printAction, runAction, serviceAction, withKey } from './service.ts';
import { grouped, moment, span } from './table.ts';
import { confirm, EXIT, hexParser, idParser, NotDone, noun, verb, withConfirmation, withReason } from './verb.ts';

const HEX_32 = /^[0-9a-f]{64}$/i;

interface Evidence {
  readonly preimage?: string;
  readonly failed?: boolean;
  readonly received?: boolean;
  readonly reason: string;
  readonly yes?: boolean;
}

/** `satchel payment`: lists pending payments, and ends one with evidence. */
export function addPayment(program: Command): void {
  const payment = noun(program, 'payment', 'Find pending payments, and end one with evidence', 'payment list');

  withKey(
    verb(payment, { name: 'list', summary: 'List the pending payments of all wallets, oldest first', example: 'payment list --stuck' }),
  )
    .option('--stuck', 'list only those older than STUCK_PAYMENT_SECONDS')
    .action(
      serviceAction<{ stuck?: boolean }>(async ({ service, output, options: { stuck = false } }) => {
        const payments = service.operator.listPendingPayments({ status: stuck ? 'stuck' : 'pending', 'per-page': 100 });
        await output.list(payments, COLUMNS, stuck ? 'No payment is stuck.' : 'No payment is pending.');
        return EXIT.done;
      }),
    );

  withKey(
    verb(payment, { name: 'show', summary: 'Show a payment of any wallet, and what its node reported', example: 'payment show lntx_…' }),
  )
    .argument('<payment>', 'the id of the payment', idParser('lntx'))
    .action(printAction(({ service, args: [id = ''] }) => service.operator.getPayment(id), describe));

  addResolve(payment);
}

function addResolve(payment: Command): void {
  const resolve = verb(payment, {
    name: 'resolve',
    summary: 'End a pending or arriving payment with evidence',
    details: 'The service looks it up at the node before it books. The node’s report decides; the message tells how the payment ended.',
    example: 'payment resolve lntx_… --failed --reason "ticket 12"',
  })
    .argument('<payment>', 'the id of the payment; of an arriving one for no wallet, its payment hash', parsePayment)
    .option('--preimage <hex>', 'it was paid: the preimage that the receiver shows', parsePreimage)
    .option('--failed', 'it failed; refused unless the node’s records prove it')
    .option('--received', 'an arriving payment arrived, and is credited');
  withKey(withConfirmation(withReason(resolve))).action(
    serviceAction<Evidence>(async ({ service, output, options, args: [id = ''] }) => {
      const { preimage, failed = false, reason } = options;
      const outcome = failed ? 'failed' : 'settled';
      const sent = await findSent(service, id);
      if (sent && options.received) throw new NotDone(`Nothing was done: ${NOT_RECEIVED}\n${describe(sent)}`);
      const plan = sent ? describe(sent) : `The arriving payment of ${id}.`;
      await confirm(`${plan}\nIt is ended as ${outcome}.`, options);
      const evidence = { outcome, ...(preimage !== undefined && { preimage }) } as const;
      return runAction(output, (request) => service.operator.resolvePayment(id, { ...evidence, reason }, request));
    }, requireOneOutcome),
  );
}

function requireOneOutcome({ preimage, failed = false, received = false }: Evidence): void {
  if ([preimage !== undefined, failed, received].filter(Boolean).length !== 1)
    throw new NotDone('Give one of --preimage, --failed and --received. See `satchel payment resolve --help`.');
}

const COLUMNS = [
  { name: 'payment', text: (one: OperatorPayment) => one.id },
  { name: 'wallet', text: (one: OperatorPayment) => one.wallet_id },
  { name: 'msat', isRight: true, text: (one: OperatorPayment) => grouped(one.num_msat) },
  { name: 'age', text: (one: OperatorPayment) => span(one.age_seconds) },
  { name: 'at the node', text: (one: OperatorPayment) => one.evidence?.node_state ?? 'not looked up yet' },
];

const NOT_RECEIVED = 'this payment was sent. --received is for a payment that arrives; end this one with --preimage or --failed.';

/** Returns a payment that was sent. Only the service knows whether an unknown one is an invoice with an arriving payment. */
function findSent(service: SatchelClient, id: string): Promise<OperatorPayment | undefined> {
  return service.operator.getPayment(id).catch((error) => {
    if (error instanceof SatchelError && error.status === 404) return undefined;
    throw error;
  });
}

function describe({ id, wallet_id, num_msat, age_seconds, status, failure_reason, evidence }: OperatorPayment): string {
  const payment = `Payment ${id} of ${wallet_id}: ${grouped(num_msat)} msat, ${status}, ${span(age_seconds)} old.`;
  if (status !== 'pending') return failure_reason === null ? payment : `${payment} It failed because of ${failure_reason}.`;
  const report = evidence
    ? `${evidence.node_state}, looked up at ${moment(evidence.checked_at)}`
    : 'not looked up yet (`satchel reconcile` looks up stuck ones)';
  const proof = evidence?.proves_failure ? ' No money can leave the node any more.' : '';
  return `${payment} At the node: ${report}.${proof}`;
}

/** Accepts the id of a payment, or a payment hash. */
function parsePayment(text: string): string {
  return HEX_32.test(text) ? text.toLowerCase() : idParser('lntx')(text);
}

const parsePreimage = hexParser('--preimage must be 64 hexadecimal digits.');
