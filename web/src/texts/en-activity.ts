import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts of the activity: transactions, events and deliveries of the account. */
export const activity = inLanguage('activity', {
  title: 'Activity',
  tabs: { transactions: 'Transactions', events: 'Events', deliveries: 'Deliveries' },
  export: 'Export',
  sums: 'Sums of these transactions',
  transactions: 'Transactions',
  moreThan: (count: string) => `more than ${count}`,
  in: 'In',
  out: 'Out',
  fees: 'Fees',
  settled: (count: string) => `${count} settled`,
  feesRemark: 'routing and service',
  everything: 'all time',
  since: (from: string) => `since ${from}`,
  until: (to: string) => `until ${to}`,
  period: (from: string, to: string) => `${from} – ${to}`,
  allWallets: 'all wallets',
  oneWallet: 'one wallet',
  newEvents: (count: number, isMore = false) => `Show ${count}${isMore ? ' or more' : ''} new`,
  event: 'Event',
  of: 'Of',
  time: 'Time',
  amount: 'Amount, sats',
  amounts: lookup({
    held: 'held',
    arriving: 'arriving',
    notCharged: 'not charged',
    notReceived: 'not received',
    asked: 'asked',
  }),
  noEventsTitle: 'No events',
  noEvents: 'Each event of your wallets appears here at once.',
  noSuchEvents: 'No event has this type and wallet.',
  olderEvents: 'None of the newest events has this type and wallet. Older searches further.',
});
