import type { Tx } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import type { Bolt11 } from '../lightning/bolt11/bolt11.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { type Invoice, openInvoiceParameters } from './invoice.ts';
import * as sql from './invoices.sql.ts';

/** An imported invoice is stored whatever the number of open ones is. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** An invoice that another program created on the node of a wallet, and that may still be paid. */
export interface ImportedInvoice {
  readonly invoice: Bolt11;
  readonly memo: string;
  /** In hex, if the source has it. */
  readonly preimage: string | undefined;
}

/** Returns the row of an imported invoice. A payment that arrives later is credited to the wallet. */
export function importedInvoiceRow(clock: Clock, wallet: Wallet, { invoice, memo, preimage }: ImportedInvoice): RowWrite {
  const { paymentHash, paymentRequest, amountMsat, descriptionHash, expirySeconds, expiresAt, timestamp, payee } = invoice;
  const open: Invoice = {
    id: `lntx_${newId(clock.nowMs())}`,
    walletId: wallet.id,
    ledgerAccount: wallet.ledgerAccount,
    nodeId: wallet.nodeId,
    destPubkey: payee,
    wtxType: 'ln_deposit',
    state: 'open',
    paymentHash,
    paymentRequest,
    amountMsat,
    memo,
    descriptionHash,
    expirySeconds,
    expiresAt,
    createdAt: timestamp,
    preimage,
    isKeysend: false,
  };
  return {
    statement: sql.insertOpen,
    parameters: openInvoiceParameters(open, NO_LIMIT),
    onMiss: () => new Error('the invoice was not stored'),
  };
}

/** Returns whether an invoice that expired at a time may still be paid: by a payment that was under way. */
export function mayStillBePaid(clock: Clock, expiresAt: number): boolean {
  return expiresAt > unixSeconds(clock) - LATE_SECONDS;
}

/** A payment may be under way for as long as the time lock of its last hop, about a day. */
const LATE_SECONDS = 86_400;

/** Marks payment hashes as credited, because an opening balance contains their money. The reader of the node's events then skips them. */
export async function markCredited(tx: Tx, paymentHashes: readonly string[]): Promise<void> {
  if (paymentHashes.length > 0) await tx.run(sql.markCredited, JSON.stringify(paymentHashes));
}
