import type { Event } from '../../../../client/satchel.js';

export interface EventAmount {
  readonly sats: number;
  /** `moved`: booked. `held`: may still be paid. The others moved nothing. */
  readonly kind: 'moved' | 'held' | 'arriving' | 'notCharged' | 'notReceived' | 'asked';
}

/** Returns the amount that an event is about, and what happened to it; undefined for an event without an amount. */
export function amountOfEvent({ type, data: { wtx, lnTx } }: Event): EventAmount | undefined {
  if (wtx) return { sats: wtx.num_satoshis, kind: kindOf(type, wtx.status) };
  // Invoices: created, held, expired and cancelled ones have moved no money.
  return lnTx && lnTx.num_satoshis > 0 ? { sats: lnTx.num_satoshis, kind: type === 'invoice_held' ? 'arriving' : 'asked' } : undefined;
}

function kindOf(type: Event['type'], status: string): EventAmount['kind'] {
  if (type === 'wallet_send_failure') return 'notCharged';
  if (type === 'wallet_receive_failure') return 'notReceived';
  if (type === 'wallet_receive_pending') return 'arriving';
  if (status === 'pending' || type === 'payment_pending' || type === 'link_claimed') return 'held';
  return status === 'failed' ? 'notCharged' : 'moved';
}
