import { type BudgetDependencies, transferCharge } from '../budgets/budgets.ts';
import type { Fees } from '../fees/fees.ts';
import { traceRows } from '../journal/event-traces.ts';
import { searchRows } from '../journal/search-words.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { newId } from '../kernel/ids.ts';
import { type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { InsufficientBalance, type Ledger, type Posting, type Receipt } from '../ledger/ledger.ts';
import { LimitMissed, type Limits } from '../limits/limits.ts';
import { type Wallet, walletGuard } from '../wallets/wallets.ts';
import { isInactive, type RequestTerms, sendingGuards } from './hold.ts';

export interface TransferDependencies extends BudgetDependencies {
  readonly ledger: Ledger;
  readonly fees: Fees;
  readonly limits: Limits;
}

export interface WalletTransfer extends RequestTerms {
  readonly source: Wallet;
  readonly destination: Wallet;
  readonly amountMsat: Msat;
  readonly memo: string | undefined;
  /** JSON text. */
  readonly passThru: string | undefined;
}

/**
 * Moves money between two wallets of this service, in one posting.
 * @returns the receipt, with the one transfer and both balances.
 * @throws Refusal `same_wallet`, `insufficient_balance`, `limit_exceeded`, `wallet_inactive`, `payee_restricted`, `spending_limit_exceeded`, `receiving_limit_exceeded`, `payment_cap_exceeded`, `budget_exceeded`.
 */
export async function transferBetween(deps: TransferDependencies, order: WalletTransfer): Promise<Receipt> {
  const { source, destination, amountMsat } = order;
  if (source.id === destination.id) throw new Refusal('same_wallet');
  const owners = await deps.limits.ownersOf(source.id);
  try {
    return await postTransfer(deps, order, owners);
  } catch (error) {
    if (error instanceof LimitMissed) {
      const reason = await deps.limits.explain(owners, { amountMsat, kind: 'transfer', unit: order.unit });
      if (reason) throw reason;
    } else if (!isInactive(error) || !(await deps.limits.haveChanged(source.id, owners))) throw error;
    // The limits have changed since they were read.
    return transferBetween(deps, order);
  }
}

async function postTransfer(deps: TransferDependencies, order: WalletTransfer, owners: readonly string[]): Promise<Receipt> {
  const { source, destination, amountMsat, memo, passThru } = order;
  const id = newId(deps.clock.nowMs());
  const toMaxBalanceMsat = await deps.limits.maxBalance(destination.id);
  const quoted = await deps.fees.quote(source.id, 'internal', amountMsat);
  const fee = await deps.fees.posting(
    quoted && { ...quoted, direction: 'internal', wallet: source, source: { transferId: id, side: 'from' } },
  );
  const feeMsat = quoted?.feeMsat ?? ZERO_MSAT;
  const posting: Posting = {
    guards: [...sendingGuards(source.id, owners), walletGuard(destination.id, 'payee'), ...(order.guards ?? [])],
    rows: [
      ...(await transferCharge(deps, order.limits, id, { amountMsat, feeMsat })),
      ...deps.limits.startRows(owners, amountMsat, 'transfer'),
      ...fee.rows,
      ...searchRows({ id: walletTransactionId(id, 'from'), owner: source.id, text: memo ?? '' }),
      ...searchRows({ id: walletTransactionId(id, 'to'), owner: destination.id, text: memo ?? '' }),
      ...(order.extraRows?.(id) ?? []),
      ...traceRows(id),
    ],
    transfers: [
      {
        id,
        from: source.ledgerAccount,
        to: destination.ledgerAccount,
        amountMsat,
        toMaxBalanceMsat,
        fromType: 'ln_transfer_out',
        toType: 'ln_transfer_in',
        ...(memo !== undefined && { memo }),
        ...(passThru !== undefined && { passThru }),
      },
      ...fee.charged,
      ...fee.shared,
    ],
  };
  try {
    return await deps.ledger.post(posting);
  } catch (error) {
    if (!(error instanceof InsufficientBalance) || feeMsat === 0) throw error;
    // The ledger names the transfer that the balance did not cover. The error is for both.
    const beforeMsat = error.shortfall.id === id ? error.shortfall.spendableMsat : msat(error.shortfall.spendableMsat + amountMsat);
    throw new InsufficientBalance({ ...error.shortfall, spendableMsat: beforeMsat, amountMsat: msat(amountMsat + feeMsat), feeMsat });
  }
}
