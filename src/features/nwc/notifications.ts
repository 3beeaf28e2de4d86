import type { LoggedEvent } from '../../core/journal/event-log.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import { findTransactions } from '../../core/journal/wallet-transactions.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { completeRows, type Sources } from '../transactions/complete.ts';
import type { NotificationType } from './methods.ts';
import { type NwcTransaction, transactionOfInvoice, transactionOfWallet } from './transaction-object.ts';

/** The events that apps are notified of: of bookings, and of hold invoices whose payment has arrived. */
const NOTIFIED: Partial<Record<EventType, NotificationType>> = {
  wallet_receive: 'payment_received',
  wallet_transfer_in: 'payment_received',
  wallet_send: 'payment_sent',
  wallet_transfer_out: 'payment_sent',
  invoice_held: 'hold_invoice_accepted',
};

export interface Notification {
  readonly walletId: string;
  readonly type: NotificationType;
  readonly transaction: NwcTransaction;
}

/** Returns the notifications of events, in their order. `isWanted`: whether a wallet has an app that gets them. */
export async function notificationsOf(
  sources: Sources,
  events: readonly LoggedEvent[],
  isWanted: (walletId: string) => boolean,
): Promise<Notification[]> {
  const wanted = events.filter(({ type, walletId }) => NOTIFIED[type] !== undefined && walletId !== undefined && isWanted(walletId));
  if (wanted.length === 0) return [];
  const rows = await findTransactions(
    sources.database,
    wanted.flatMap(({ type, subject }) => (type === 'invoice_held' ? [] : subject)),
  );
  const held = await sources.invoices.findMany(wanted.flatMap(({ type, subject }) => (type === 'invoice_held' ? subject : [])));
  const invoices = new Map(held.map((invoice) => [invoice.id, invoice]));
  const transactions = new Map((await completeRows(sources, rows)).map((wtx) => [wtx.id, wtx]));
  const now = unixSeconds(sources.clock);
  return wanted.flatMap(({ type, walletId, subject }) => {
    const notified = NOTIFIED[type];
    if (!notified || walletId === undefined) return [];
    const [wtx, invoice] = [transactions.get(subject), invoices.get(subject)];
    // It may have been settled or cancelled meanwhile.
    if (invoice) return [{ walletId, type: notified, transaction: transactionOfInvoice({ ...invoice, state: 'held' }, now) }];
    return wtx ? [{ walletId, type: notified, transaction: transactionOfWallet(wtx, now) }] : [];
  });
}
