import type { Invoices } from '../../../core/invoices/invoices.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { RunningTasks } from '../../../core/kernel/running-tasks.ts';
import type { Outbound } from '../../../core/outbound/outbound.ts';
import type { Payments } from '../../../core/payments/payments.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import type { Destination } from './destination.ts';
import { payRemote, probeRemote, type RemotePayment } from './remote-pay.ts';
import { pullRemote, type RemotePull } from './remote-pull.ts';

export interface RemoteLinkOptions {
  readonly outbound: Outbound;
  readonly payments: Payments;
  readonly invoices: Invoices;
  readonly clock: Clock;
}

/**
 * The concurrent requests to other services. The HTTP client allows 256 for the whole service; without limits, one account could use all of
 * them with links of slow services. Each instance of the service counts separately.
 */
const MAX_PER_ACCOUNT = 64;
const MAX_PER_WALLET = 32;
/** A public API key may probe, so probes are counted separately: they must not keep the account from paying. */
const MAX_PROBES_PER_ACCOUNT = 8;

export type RemoteLinks = ReturnType<typeof createRemoteLinks>;

/** Links and addresses of other services, which wallets of this service pay or withdraw from. */
export function createRemoteLinks(options: RemoteLinkOptions) {
  const tasks = new RunningTasks();
  const runForWallet = <T>({ id, accountId }: Wallet, task: () => Promise<T>) =>
    tasks.run(id, MAX_PER_WALLET, tooMany, () => tasks.run(accountId, MAX_PER_ACCOUNT, tooMany, task));

  return {
    /** Reads what a payee accepts. @throws Refusal */
    probe: (destination: Destination, accountId: string) =>
      tasks.run(`probes ${accountId}`, MAX_PROBES_PER_ACCOUNT, tooMany, () => probeRemote(options, destination)),
    /** See `remote-pay.ts`. @throws Refusal, NodeUnavailable when no payment was started. */
    pay: (order: RemotePayment) => runForWallet(order.wallet, () => payRemote(options, order)),
    /** See `remote-pull.ts`. @throws Refusal, NodeUnavailable when no invoice was created. */
    pull: (order: RemotePull) => runForWallet(order.wallet, () => pullRemote(options, order)),
  };
}

function tooMany(): Refusal {
  return new Refusal(
    'rate_limited',
    'Too many requests of this wallet or account to other services are running. This request paid nothing. Try again later.',
  );
}
