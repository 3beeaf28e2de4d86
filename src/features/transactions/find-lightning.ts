import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { isId } from '../../core/kernel/ids.ts';
import { type Msat, subMsat } from '../../core/kernel/money.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { type LightningTransaction, ofInvoice, ofPayment } from './lightning-transaction.ts';

/** The owner of the transactions to read: one wallet, or all wallets of an account. */
export interface Owner {
  readonly accountId: string;
  readonly walletId: string | undefined;
}

/** A lightning transaction. If it is an internal payment between two wallets of the owner, also the id of the other side. */
export interface FoundLightning {
  readonly transaction: LightningTransaction;
  readonly counterpartId: string | undefined;
  /** Undefined for an invoice. */
  readonly hold: PaymentHold | undefined;
}

/** What the wallet held for a payment until its end: the amount and the fee limit. */
interface PaymentHold {
  readonly heldMsat: Msat;
  readonly feeLimitMsat: Msat;
}

interface Dependencies {
  readonly ledger: Pick<Ledger, 'reservedMsat'>;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly clock: Clock;
}

/**
 * Finds an invoice or a payment of the owner by its id or payment hash. For an internal payment between wallets of the owner, the hash finds
 * the invoice.
 */
export async function findLightning(deps: Dependencies, idOrHash: string, owner: Owner): Promise<FoundLightning | undefined> {
  const { invoice, payment } = await findSides(deps, idOrHash, owner);
  if (invoice) return { transaction: ofInvoice(invoice, unixSeconds(deps.clock)), counterpartId: payment?.id, hold: undefined };
  if (!payment) return undefined;
  const [counterpartId, hold] = await Promise.all([invoiceOf(deps, payment, owner), holdOf(deps, payment)]);
  return { transaction: ofPayment(payment), counterpartId, hold };
}

async function holdOf({ ledger }: Dependencies, { id, amountMsat }: Payment): Promise<PaymentHold | undefined> {
  const heldMsat = await ledger.reservedMsat(id);
  return heldMsat === undefined ? undefined : { heldMsat, feeLimitMsat: subMsat(heldMsat, amountMsat) };
}

interface Sides {
  readonly invoice?: Invoice | undefined;
  /** If there is an invoice: its internal payment. */
  readonly payment?: Payment | undefined;
}

async function findSides(deps: Dependencies, idOrHash: string, owner: Owner): Promise<Sides> {
  const { invoices, payments } = deps;
  const byId = isId(idOrHash);
  if (!byId && !/^[0-9a-f]{64}$/i.test(idOrHash)) return {};
  const found = byId ? await invoices.find(idOrHash) : await invoices.findByHash(idOrHash.toLowerCase());
  const invoice = found && (await isOwn(deps, found.walletId, owner)) ? found : undefined;
  if (byId && !found) {
    const payment = await payments.find(idOrHash);
    return { payment: payment && (await isOwn(deps, payment.walletId, owner)) ? payment : undefined };
  }
  if (byId && !invoice) return {};
  // A wallet cannot pay its own invoice, and an open or canceled invoice has no internal payment.
  if (invoice && (owner.walletId !== undefined || invoice.state === 'open' || invoice.state === 'canceled')) return { invoice };
  return { invoice, payment: await payments.findByHash(invoice?.paymentHash ?? idOrHash.toLowerCase(), owner) };
}

async function invoiceOf(deps: Dependencies, { invoiceId }: Payment, owner: Owner): Promise<string | undefined> {
  const invoice = invoiceId === undefined ? undefined : await deps.invoices.find(invoiceId);
  return invoice && (await isOwn(deps, invoice.walletId, owner)) ? invoice.id : undefined;
}

async function isOwn({ wallets }: Dependencies, walletId: string, owner: Owner): Promise<boolean> {
  if (owner.walletId !== undefined) return owner.walletId === walletId;
  return (await wallets.find(walletId))?.accountId === owner.accountId;
}
