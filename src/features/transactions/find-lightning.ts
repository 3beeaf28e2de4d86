import type { Static } from 'typebox';
import type { KeyOwner } from '../../core/accounts/accounts.ts';
import { isId } from '../../core/kernel/ids.ts';
import { routingReserve } from '../../core/payments/payment.ts';
import type { Sources } from './complete.ts';
import type { LightningTransactionDetailsObject } from './lightning-transaction-object.ts';

/** A lightning transaction of a wallet. `counterpart_id` is the other side of an internal payment between two wallets of the owner. */
export interface FoundLightning {
  readonly walletId: string;
  readonly transaction: Static<typeof LightningTransactionDetailsObject>;
}

/**
 * Finds an invoice or a payment of an account, or of one of its wallets, by its id or payment hash. For an internal payment between wallets of
 * the owner, the hash finds the invoice.
 */
export async function findLightning(sources: Sources, idOrHash: string, owner: KeyOwner): Promise<FoundLightning | undefined> {
  const { invoices, payments, objects, ledger, wallets } = sources;
  async function own<T extends { readonly walletId: string }>(reading: Promise<T | undefined>): Promise<T | undefined> {
    const found = await reading;
    if (!found || found.walletId === owner.walletId) return found;
    const isOwn = owner.walletId === undefined && (await wallets.find(found.walletId))?.accountId === owner.accountId;
    return isOwn ? found : undefined;
  }
  const ownerId = owner.walletId ?? owner.accountId;
  const byId = isId(idOrHash);
  const hash = idOrHash.toLowerCase();
  if (!byId && !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const invoice = await own(byId ? invoices.find(idOrHash) : invoices.findByHash(hash));
  if (invoice) {
    // A wallet cannot pay its own invoice, and an open or canceled invoice has no internal payment.
    const isPaidInside = owner.walletId === undefined && (invoice.state === 'closing' || invoice.state === 'settled');
    const payment = isPaidInside ? await payments.findByHash(invoice.paymentHash, ownerId) : undefined;
    const inside_only = invoice.state === 'open' && (await invoices.isClosedOutside(invoice.id)) ? 1 : 0;
    const details = { counterpart_id: payment?.id ?? null, held_msat: null, fee_limit_msat: null, inside_only } as const;
    return { walletId: invoice.walletId, transaction: { ...objects.invoice(invoice), ...details } };
  }
  const payment = byId ? await own(payments.find(idOrHash)) : await payments.findByHash(hash, ownerId);
  if (!payment) return undefined;
  const { id, walletId, invoiceId } = payment;
  const [paid, held] = await Promise.all([invoiceId === undefined ? undefined : own(invoices.find(invoiceId)), ledger.reservedMsat(id)]);
  const details = {
    counterpart_id: paid?.id ?? null,
    held_msat: held ?? null,
    fee_limit_msat: held === undefined ? null : routingReserve(payment, held),
    inside_only: 0,
  } as const;
  return { walletId, transaction: { ...objects.payment(payment), ...details } };
}
