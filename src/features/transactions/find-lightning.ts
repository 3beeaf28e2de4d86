import type { Static } from 'typebox';
import type { Invoice } from '../../core/invoices/invoice.ts';
import { isId } from '../../core/kernel/ids.ts';
import { subMsat } from '../../core/kernel/money.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Sources } from './complete.ts';
import type { LightningTransactionDetailsObject } from './lightning-transaction-object.ts';

/** The owner of the transactions to read: one wallet, or all wallets of an account. */
export interface Owner {
  readonly accountId: string;
  readonly walletId: string | undefined;
}

/** A lightning transaction of a wallet. `counterpart_id` is the other side of an internal payment between two wallets of the owner. */
export interface FoundLightning {
  readonly walletId: string;
  readonly transaction: Static<typeof LightningTransactionDetailsObject>;
}

/**
 * Finds an invoice or a payment of the owner by its id or payment hash. For an internal payment between wallets of the owner, the hash finds
 * the invoice.
 */
export async function findLightning(sources: Sources, idOrHash: string, owner: Owner): Promise<FoundLightning | undefined> {
  const { objects, ledger } = sources;
  const { invoice, payment } = await findSides(sources, idOrHash, owner);
  if (invoice) {
    const details = { counterpart_id: payment?.id ?? null, held_msat: null, fee_limit_msat: null };
    return { walletId: invoice.walletId, transaction: { ...objects.invoice(invoice), ...details } };
  }
  if (!payment) return undefined;
  const [counterpart, held] = await Promise.all([findPaid(sources, payment, owner), ledger.reservedMsat(payment.id)]);
  const details = {
    counterpart_id: counterpart?.id ?? null,
    held_msat: held ?? null,
    fee_limit_msat: held === undefined ? null : subMsat(held, payment.amountMsat),
  };
  return { walletId: payment.walletId, transaction: { ...objects.payment(payment), ...details } };
}

interface Sides {
  readonly invoice?: Invoice | undefined;
  /** If there is an invoice: its internal payment. */
  readonly payment?: Payment | undefined;
}

async function findSides(sources: Sources, idOrHash: string, owner: Owner): Promise<Sides> {
  const { invoices, payments } = sources;
  const byId = isId(idOrHash);
  if (!byId && !/^[0-9a-f]{64}$/i.test(idOrHash)) return {};
  const found = byId ? await invoices.find(idOrHash) : await invoices.findByHash(idOrHash.toLowerCase());
  const invoice = found && (await isOwn(sources, found.walletId, owner)) ? found : undefined;
  if (byId && !found) {
    const payment = await payments.find(idOrHash);
    return { payment: payment && (await isOwn(sources, payment.walletId, owner)) ? payment : undefined };
  }
  if (byId && !invoice) return {};
  // A wallet cannot pay its own invoice, and an open or canceled invoice has no internal payment.
  if (invoice && (owner.walletId !== undefined || invoice.state === 'open' || invoice.state === 'canceled')) return { invoice };
  return { invoice, payment: await payments.findByHash(invoice?.paymentHash ?? idOrHash.toLowerCase(), owner) };
}

/** Returns the invoice that an internal payment paid, if it is the owner's. */
async function findPaid(sources: Sources, { invoiceId }: Payment, owner: Owner): Promise<Invoice | undefined> {
  const invoice = invoiceId === undefined ? undefined : await sources.invoices.find(invoiceId);
  return invoice && (await isOwn(sources, invoice.walletId, owner)) ? invoice : undefined;
}

async function isOwn({ wallets }: Sources, walletId: string, owner: Owner): Promise<boolean> {
  if (owner.walletId !== undefined) return owner.walletId === walletId;
  return (await wallets.find(walletId))?.accountId === owner.accountId;
}
