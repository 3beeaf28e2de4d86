import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts of the operator's desk. Its pages load them, not the start. */
export const desk = inLanguage('desk', {
  oldestFirst: { newer: 'Back', older: 'Next' },
  payments: {
    title: 'Payments that have not ended',
    one: 'Payment',
    which: 'Which payments',
    statuses: { stuck: 'Stuck', pending: 'All pending' },
    states: lookup({ pending: 'Pending', settled: 'Settled', failed: 'Failed' }),
    state: 'State',
    details: 'Details',
    customer: 'Show customer',
    wallet: 'Wallet',
    started: 'Started',
    failure: 'Why it failed',
    node: 'Node',
    id: 'Id',
    emptyPending: 'No pending payments',
    emptyPendingText: 'All payments have ended.',
  },
});
