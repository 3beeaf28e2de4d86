/** All event types: the name in the API, the category that the API calls `type`, and a name for people. */
export const EVENT_TYPES = {
  wallet_created: { category: 'wallet', displayName: 'Wallet Created' },
  wallet_updated: { category: 'wallet', displayName: 'Wallet Updated' },
  wallet_receive: { category: 'wallet', displayName: 'Wallet Receive' },
  wallet_receive_pending: { category: 'wallet', displayName: 'Wallet Receive Pending' },
  wallet_receive_failure: { category: 'wallet', displayName: 'Wallet Receive Failure' },
  wallet_send: { category: 'wallet', displayName: 'Wallet Send' },
  wallet_transfer_in: { category: 'wallet', displayName: 'Wallet Transfer In' },
  wallet_transfer_out: { category: 'wallet', displayName: 'Wallet Transfer Out' },
  wallet_send_failure: { category: 'wallet', displayName: 'Wallet Send Failure' },
  payment_pending: { category: 'wallet', displayName: 'Payment Pending' },
  payment_corrected: { category: 'wallet', displayName: 'Payment Corrected' },
  invoice_created: { category: 'wallet', displayName: 'Invoice Created' },
  invoice_expired: { category: 'wallet', displayName: 'Invoice Expired' },
  invoice_held: { category: 'wallet', displayName: 'Invoice Held' },
  invoice_cancelled: { category: 'wallet', displayName: 'Invoice Cancelled' },
  link_claimed: { category: 'wallet', displayName: 'Link Claimed' },
  payout_finished: { category: 'wallet', displayName: 'Payout Finished' },
  key_created: { category: 'account', displayName: 'Key Created' },
  key_revoked: { category: 'account', displayName: 'Key Revoked' },
  codes_paused: { category: 'account', displayName: 'Codes Paused' },
  alert_raised: { category: 'operator', displayName: 'Alert Raised' },
  alert_resolved: { category: 'operator', displayName: 'Alert Resolved' },
  webhook_test: { category: 'webhook', displayName: 'Webhook Test' },
} as const satisfies Record<string, { category: string; displayName: string }>;

export type EventType = keyof typeof EVENT_TYPES;

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as EventType[];

/** The types of events that a booking inserts (bookings.sql.ts). */
export type BookedEventType = 'wallet_receive' | 'wallet_send' | 'wallet_transfer_in' | 'wallet_transfer_out';

/** The types of events that other changes insert. */
export type StoredEventType = Exclude<EventType, BookedEventType>;

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(EVENT_TYPES, name);
}

/** The events of bookings by the type of the wallet transaction. Fees are part of the payment that they belong to and have no event. */
export const BOOKED_EVENTS = {
  ln_deposit: 'wallet_receive',
  ln_lnurl_pay_inbound: 'wallet_receive',
  ln_withdrawal: 'wallet_send',
  ln_lnurl_pay_outbound: 'wallet_send',
  ln_lnurl_withdraw: 'wallet_send',
  ln_transfer_in: 'wallet_transfer_in',
  ln_transfer_out: 'wallet_transfer_out',
} as const satisfies Record<string, BookedEventType>;
