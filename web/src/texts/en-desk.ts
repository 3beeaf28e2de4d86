import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts of the operator's desk. Its pages load them, not the start. */
export const desk = inLanguage('desk', {
  oldestFirst: { newer: 'Back', older: 'Next' },
  withdrawals: {
    stop: 'Stop withdrawals',
    stopTitle: 'Stop all withdrawals?',
    stopText:
      'Nobody can send, and no withdraw link can be claimed, until you resume. Receiving, transfers inside the service and reading go on.',
    inFlight: (count: number) => (count === 1 ? '1 payment in flight ends normally.' : `${count} payments in flight end normally.`),
    stopReason: 'Reason, shown to customers',
    stopHint: 'Written to the audit log with your name.',
    resume: 'Resume',
    resumeTitle: 'Resume withdrawals?',
    resumeText: 'Payments leave the service again, and payouts continue.',
    stopped: 'Withdrawals are stopped.',
    by: (name: string) => `By ${name},`,
    quote: (reason: string) => `“${reason}”`,
    refused: (count: number) => (count === 1 ? '1 payment was refused.' : `${count} payments were refused.`),
    receiving: 'Receiving works.',
  },
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
