import type { NodeConnection } from '../connection/connection.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Wallet } from '../wallets/wallets.ts';
import type { Payment } from './payment.ts';

/** What every payment has in the same way when it begins. */
type AtFirst =
  | 'id'
  | 'walletId'
  | 'ledgerAccount'
  | 'nodeId'
  | 'transferId'
  | 'state'
  | 'failureReason'
  | 'feeMsat'
  | 'createdAt'
  | 'settledAt';

/** A payment of a wallet that is about to begin. */
export function newPayment(
  { connection, clock }: { connection: NodeConnection; clock: Clock },
  wallet: Wallet,
  particulars: Omit<Payment, AtFirst>,
): Payment {
  return {
    ...particulars,
    id: `lntx_${newId(clock.nowMs())}`,
    walletId: wallet.id,
    ledgerAccount: wallet.ledgerAccount,
    nodeId: connection.nodeId,
    transferId: newId(clock.nowMs()),
    state: 'pending',
    failureReason: undefined,
    feeMsat: undefined,
    createdAt: unixSeconds(clock),
    settledAt: undefined,
  };
}
