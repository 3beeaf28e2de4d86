import { searchRows } from '../journal/search-words.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { pendingTransactionRow } from '../journal/wallet-transactions.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Msat } from '../kernel/money.ts';
import type { Posting } from '../ledger/ledger.ts';
import type { Bolt11 } from '../lightning/bolt11/bolt11.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { newParameters, newPayment } from './payment.ts';
import * as sql from './payments.sql.ts';

/** A payment that another program has sent, or was about to send, from the node of a wallet. */
export interface ImportedPayment {
  readonly invoice: Bolt11;
  readonly amountMsat: Msat;
  /** What the other program has reserved for the fee. */
  readonly reserveMsat: Msat;
  readonly memo: string;
  readonly createdAt: number;
}

/**
 * Returns the hold and the rows of an imported payment. It is looked up at the node by its payment hash, and never sent. While the node has no
 * record of it, it stays pending.
 */
export function importedPayment(clock: Clock, wallet: Wallet, imported: ImportedPayment): Required<Pick<Posting, 'holds' | 'rows'>> {
  const { invoice, amountMsat, reserveMsat, memo, createdAt } = imported;
  const created = newPayment(clock, wallet, {
    wtxType: 'ln_withdrawal',
    paymentHash: invoice.paymentHash,
    paymentRequest: invoice.paymentRequest,
    destPubkey: invoice.payee,
    amountMsat,
    userLabel: memo,
    memo: invoice.description?.replaceAll('\u0000', '') ?? '',
    descriptionHash: invoice.descriptionHash,
    expirySeconds: invoice.expirySeconds,
    expiresAt: invoice.expiresAt,
    isKeysend: false,
  });
  const payment = { ...created, createdAt };
  const { id, transferId, walletId, ledgerAccount: account } = payment;
  return {
    holds: [{ id, account, amountMsat, reserveMsat }],
    rows: [
      {
        statement: sql.insertPending,
        parameters: newParameters(payment),
        onMiss: () => new Error(`the payment hash ${invoice.paymentHash} has a pending or settled payment already`),
      },
      { statement: sql.markImported, parameters: [id, clock.nowMs()], onMiss: () => new Error('the payment was not stored') },
      pendingTransactionRow(payment, clock.nowMs()),
      ...searchRows({ id: walletTransactionId(transferId, 'from'), owner: walletId, text: memo }),
    ],
  };
}
