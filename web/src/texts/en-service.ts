import { formatCount } from './count.ts';
import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

const days = (count: number) => {
  if (count < 1) return 'less than a day';
  if (count === 1) return '1 day';
  return count > 365 ? 'more than a year' : `${formatCount(count)} days`;
};

/** The English texts of the cards about the state of the service. The operator's overview loads them. */
export const service = inLanguage('service', {
  liquidity: {
    title: 'Liquidity of all nodes',
    counted: (counted: number, nodes: number) =>
      `Sums over ${formatCount(counted)} of ${formatCount(nodes)} nodes. The others do not list their channels now.`,
    none: 'No node lists its channels now.',
    receiving: 'Can receive for',
    sending: 'Can send for',
    days,
    received: (sats: string) => `${sats} sats came in per day on average over the last seven days`,
    sent: (sats: string) => `${sats} sats went out per day on average over the last seven days, routing fees included`,
    unknown: 'unknown',
    tooLittle: 'shown with seven days of payments',
    noneIn: 'nothing came in during the last seven days',
    noneOut: 'nothing went out during the last seven days',
    covers: 'Payments in the other direction restore capacity, but are not counted.',
    was: 'What it could send and receive at its last answer,',
  },
  cover: {
    title: 'Money owed and cover',
    period: 'Period',
    periods: { day: '24 h', week: '7 d', month: '30 d', year: '1 y' },
    over: { day: 'over 24 hours', week: 'over 7 days', month: 'over 30 days', year: 'over a year' },
    owed: 'Owed, sats',
    owedTo: (sats: string, wallets: number, inFlight: string) =>
      `${sats} to ${formatCount(wallets)} ${wallets === 1 ? 'wallet' : 'wallets'}, including ${inFlight} in flight`,
    suspense: (sats: string, count: number) => `and ${sats} in suspense (${count === 1 ? '1 payment' : `${formatCount(count)} payments`})`,
    cover: 'Cover',
    coverRemark: 'times what is owed is on the nodes',
    nothingOwed: 'nothing is owed',
    assets: 'Nodes have, sats',
    measured: 'measured',
    own: 'Your own funds, sats',
    ownRemark: 'above what is owed',
    unknown: 'unknown',
    noHistory: 'The chart begins with the first reconciliation.',
    noCover: 'The chart begins with the first reconciliation that measures all nodes while money is owed.',
    owedChart: (over: string, now: string) => `Owed ${over}, at the last sample ${now} sats`,
    ratioChart: (over: string, lowest: string, highest: string, isBelow: boolean) =>
      `Cover ${over}, lowest ${lowest}, highest ${highest}, ${isBelow ? 'at times below 1' : 'never below 1'}`,
    lowestOf: {
      day: 'measured hourly',
      week: 'measured hourly',
      month: 'lowest of 6 hourly samples',
      year: 'lowest of the hourly samples of a day',
    },
    limit: '1.00: every sat owed is on a node',
    peak: (ratio: string) => `up to ${ratio}`,
  },
  health: {
    answers: 'Answers in',
    answer: (ms: number, median: number) => `${formatCount(ms)} ms, median of the last answers ${formatCount(median)} ms`,
    answered: 'Last answer',
    block: 'Block',
    synced: 'in sync',
    behind: 'behind the blockchain',
  },
  backups: {
    last: 'The last backups',
    checked: 'Checked',
    failed: 'Failed',
    result: (megabytes: string, seconds: number) => `${megabytes} MB in ${formatCount(seconds)} s`,
  },
  checks: {
    title: 'Checks',
    allGood: 'All checks passed',
    good: (count: number) => (count === 1 ? '1 check passed' : `${formatCount(count)} checks passed`),
    subjects: lookup({
      node: 'Node',
      liquidity: 'Liquidity',
      backup: 'Backup',
      'public URL': 'Public address',
      proxy: 'Proxy',
      alerts: 'Alerts',
      disk: 'Disk',
      files: 'Files',
    }),
  },
  webhooks: {
    title: 'Webhooks of all accounts',
    waiting: 'Deliveries that wait',
    active: (count: string) => `${count} active webhooks`,
    failed: 'Failed in the last 24 h',
    failedRemark: 'given up after the last attempt',
    retrying: 'Failed, being retried',
    retryingRemark: 'of the waiting ones, counted up to 10 000',
    disabled: (count: number) => `${formatCount(count)} disabled`,
    show: 'Your webhooks',
  },
  limits: {
    title: 'Fees and limits',
    defaults:
      'If neither a wallet, nor its account, nor an account above has fees or limits, the service charges nothing and limits no amounts. Set fees and limits on the page of a customer.',
    show: 'All limits',
    customers: 'Customers',
  },
});
