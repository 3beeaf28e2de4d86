import { readAccountBalance } from '../journal/sums.ts';
import { type Msat, satText } from '../kernel/money.ts';
import type { Invoice } from './invoice.ts';
import type { InvoiceContext } from './invoices.ts';

type LimitContext = Pick<InvoiceContext, 'limits' | 'ledger' | 'database'>;

type Receiver = Pick<Invoice, 'walletId' | 'ledgerAccount'>;

/** Returns the balance of a limited owner of a wallet: the wallet itself, or an account. */
function balanceOf({ ledger, database }: LimitContext, { walletId, ledgerAccount }: Receiver) {
  return async (ownerId: string): Promise<number> =>
    ownerId === walletId ? (await ledger.balance(ledgerAccount)).balanceMsat : readAccountBalance(database, ownerId);
}

/** @throws Refusal `receiving_limit_exceeded` if a wallet may not receive an amount now. Undefined: any amount. */
export function requireMayReceive(context: LimitContext, receiver: Receiver, amountMsat: Msat | undefined): Promise<void> {
  return context.limits.requireMayReceive(receiver.walletId, amountMsat, balanceOf(context, receiver));
}

/** Returns the alert for an amount that a wallet is credited beyond a limit; undefined if there is none. Money that has arrived is never refused. */
export async function overLimitAlert(context: LimitContext, receiver: Receiver, amountMsat: Msat) {
  const excess = await context.limits.receivingExcess(receiver.walletId, amountMsat, balanceOf(context, receiver));
  if (excess === undefined) return undefined;
  const message = `${satText(amountMsat)} arrived and were credited although ${excess}`;
  return {
    kind: 'over_limit' as const,
    subject: receiver.walletId,
    message,
    details: { wallet_id: receiver.walletId, amount_msat: amountMsat, reason: excess },
  };
}
