import type { Command } from 'commander';
import type { OperatorWithdrawals } from '../../client/satchel.js';
import { printAction, serviceAction, withKey } from './service.ts';
import { moment } from './table.ts';
import { EXIT, noun, verb, withReason } from './verb.ts';

/** `satchel withdrawals`: stops all payments that leave the service, and resumes them. */
export function addWithdrawals(program: Command): void {
  const withdrawals = noun(program, 'withdrawals', 'Stop and resume the payments that leave the service', 'withdrawals show');

  withKey(verb(withdrawals, { name: 'show', summary: 'Show whether they are stopped', example: 'withdrawals show' })).action(
    printAction(({ service }) => service.operator.getWithdrawals(), describe),
  );

  const stop = verb(withdrawals, {
    name: 'stop',
    summary: 'Reject every payment that leaves the service',
    details:
      'Customers read the reason. Receiving, transfers and payments between wallets of the service work. Payments in flight end normally.',
    example: 'withdrawals stop --reason "We are checking our node."',
  });
  withKey(withReason(stop)).action(
    serviceAction<{ reason: string }>(async ({ service, output, options: { reason } }) => {
      const state = await service.operator.stopWithdrawals({ reason });
      await output.print(state, describe(state));
      return EXIT.done;
    }),
  );

  const resume = verb(withdrawals, {
    name: 'resume',
    summary: 'Allow payments again; payouts continue',
    example: 'withdrawals resume --reason "the node was checked"',
  });
  withKey(withReason(resume)).action(
    serviceAction<{ reason: string }>(async ({ service, output, options: { reason } }) => {
      const state = await service.operator.resumeWithdrawals({ reason });
      await output.print(state, describe(state));
      return EXIT.done;
    }),
  );
}

function describe({ status, stopped_at, stopped_by, reason, num_refused, pending_payments }: OperatorWithdrawals): string {
  if (status !== 'stopped' || stopped_at === null) return 'Withdrawals are allowed.';
  const refused = `${num_refused} ${num_refused === 1 ? 'payment was' : 'payments were'} refused, ${pending_payments} in flight.`;
  return `Withdrawals are stopped since ${moment(stopped_at)} by ${stopped_by}: “${reason}” ${refused}`;
}
