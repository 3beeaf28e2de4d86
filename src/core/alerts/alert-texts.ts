import type { AlertKind } from './alert-kinds.ts';

/** The values that a sentence about an alert can contain. All are texts for people; unknown values have a general word. */
export interface AlertWords {
  /** The amount, such as `2 110 sats`. */
  readonly sats: string;
  /** The part of the amount that the wallet paid. */
  readonly charged: string;
  /** The amount in flight; undefined if there is none. */
  readonly inFlight: string | undefined;
  readonly wallet: string;
  readonly node: string;
  readonly count: number;
  /** The count with its digits in groups. */
  readonly counted: string;
  /** The duration of the cause, such as `3 h 29 min`. */
  readonly age: string;
  /** A host, a background job, an event or a currency. */
  readonly name: string;
  readonly status: string;
  /** A text of the node, the database or another service; undefined if there is none. */
  readonly reason: string | undefined;
}

/** A sentence about an alert. `title` states the problem, `text` names the owner of the money and the remedy. */
export interface Sentence {
  title(words: AlertWords): string;
  text(words: AlertWords): string;
}

const channelNames: Readonly<Record<string, string>> = { email: 'by e-mail', telegram: 'to Telegram' };
const payments = ({ count, counted }: AlertWords) => (count === 1 ? '1 payment' : `${counted} payments`);
const quoted = (reason: string | undefined, before: string) => (reason === undefined ? '' : ` ${before}: “${reason}”.`);

/** The English sentences about alerts, by kind, and their words. The dashboard and the messages to operators use them. */
export const ALERT_TEXTS = {
  unknown: { sats: 'Money', wallet: 'a wallet', node: 'the node' },
  duration: (hours: number, minutes: number) => (hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`),
  days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  /** The button that opens the page where the alert is handled. */
  actions: {
    payment: 'Show payment',
    payments: 'Show payments',
    customer: 'Show customer',
    channels: 'Show channels',
    node: 'Show node',
    reconciliation: 'Show reconciliation',
    jobs: 'Show jobs',
    suspense: 'Assign or return',
    apps: 'Show connections',
    backups: 'Show backups',
    restore: 'Show restore',
    rate: 'Show rate',
    webhooks: 'Show webhooks',
    withdrawals: 'Resume',
    notifications: 'Send a test',
  },
  /** For a kind that this version of the dashboard does not know. */
  other: { title: () => 'The service has raised an alert.', text: () => '' } as Sentence,
  sentences: {
    payment_stuck: {
      title: ({ age }) => `A payment has been pending for ${age}.`,
      text: ({ sats, wallet, node, reason }) =>
        `${sats} of ${wallet}. It ends when ${node} reports the outcome; never refund it by hand.${quoted(reason, 'The node reports')}`,
    },
    payment_contradicted: {
      title: ({ sats }) => `The ledger and the node disagree about a payment of ${sats}.`,
      text: ({ wallet, status, reason }) =>
        `It belongs to ${wallet} and is ${status} in the ledger.${quoted(reason, 'The node reports')} Check on the node whether the money left.`,
    },
    payment_corrected: {
      title: ({ sats }) => `A payment of ${sats} succeeded after it was reported as failed.`,
      text: ({ wallet, status, charged }) =>
        status === 'borne'
          ? `${wallet} could not pay it again, so you bear it. Tell the customer.`
          : `${wallet} was charged ${charged}. Tell the customer.`,
    },
    fee_above_limit: {
      title: ({ sats }) => `The node exceeded a fee limit by ${sats}, which you bear.`,
      text: ({ wallet, charged }) => `${wallet} paid its limit of ${charged} for routing. Find out why the node exceeds its limit.`,
    },
    invoice_contradicted: {
      title: ({ sats, status }) =>
        status === 'never_arrived'
          ? `${sats} that the node reported never arrived.`
          : status === 'credited_early'
            ? `${sats} were credited and never arrived.`
            : `The ledger and the node disagree about ${sats} received.`,
      text: ({ wallet, status, reason }) => {
        if (status === 'never_arrived') return `Nothing was credited to ${wallet}. The payer has the money back; tell the customer.`;
        if (status === 'credited_early') return 'They were credited before they were final, so you bear them.';
        if (status === 'credited')
          return `They were credited to ${wallet} after another report of the node. Compare with the balance of the channel.`;
        return `${wallet} was credited.${quoted(reason, 'The node reports')} If the money is missing, stop its withdrawals.`;
      },
    },
    payments_arriving: {
      title: (words) => `${payments(words)} with ${words.sats} are reported and not yet final.`,
      text: ({ node, age }) =>
        `They are not credited. The oldest was reported ${age} ago. Check that the channels of ${node} are active and that it stores final resolutions.`,
    },
    holds_overdue: {
      title: (words) => `${payments(words)} of hold invoices are still held after their deadline.`,
      text: ({ node, age }) =>
        `The oldest is overdue by ${age}. If its HTLC expires, the peer closes the channel. Check that ${node} answers.`,
    },
    credits_unproven: {
      title: (words) => `${payments(words)} with ${words.sats} were credited without proof that they arrived.`,
      text: ({ node }) => `${node} has not shown for ten minutes that they are final. Compare the balances of its channels.`,
    },
    received_restricted: {
      title: ({ sats, wallet }) => `${sats} arrived for ${wallet}, whose account may not receive.`,
      text: ({ status }) => `They were credited. The account is ${status}. Decide what happens with the money.`,
    },
    over_limit: {
      title: ({ sats, wallet }) => `${sats} arrived for ${wallet} beyond its limit.`,
      text: () => 'They were credited. Ask the customer to withdraw, or raise the limit.',
    },
    settlement_unbooked: {
      title: ({ sats, wallet }) => `${sats} arrived for ${wallet} and could not be booked.`,
      text: ({ reason }) => `Every reconciliation tries again.${quoted(reason, 'The reason')}`,
    },
    node_balance_fell: {
      title: ({ sats, node }) => `${sats} left ${node} without an entry in the ledger.`,
      text: ({ inFlight }) =>
        `If you closed a channel or moved your own money, accept the balance. Otherwise stop withdrawals and find out where it went.${inFlight === undefined ? '' : ` Up to ${inFlight} more may be missing or in flight.`}`,
    },
    event_unbooked: {
      title: ({ node }) => `An event of ${node} could not be booked.`,
      text: ({ name, reason }) => `It is stored and tried again: ${name}.${quoted(reason, 'The reason')}`,
    },
    node_restored: {
      title: ({ node }) => `${node} was restored from an older backup.`,
      text: () =>
        'All its events are read again; nothing is credited twice. Check the payments that stay pending: the node may have lost them although the money left.',
    },
    node_holds_less: {
      title: ({ node, sats }) => `${node} has ${sats} less than the ledger owes.`,
      text: ({ inFlight }) =>
        `${inFlight === undefined ? 'Nothing' : `Up to ${inFlight}`} of that may be in flight. Stop withdrawals, and find out where the money went.`,
    },
    relay_unavailable: {
      title: ({ name }) => `The Nostr relay ${name} does not work.`,
      text: ({ reason }) => `Apps that use only this relay get no responses.${quoted(reason, 'The relay')}`,
    },
    job_failing: {
      title: ({ name, counted }) => `The background job “${name}” has failed ${counted} times in a row.`,
      text: ({ reason }) => `It is tried again.${quoted(reason, 'The last reason')}`,
    },
    suspense_not_empty: {
      title: ({ sats }) => `${sats} arrived for no wallet.`,
      text: () => 'Assign the money to a wallet, or return it to its payer.',
    },
    node_silent: {
      title: ({ node }) => `${node} does not answer.`,
      text: ({ reason }) => `Its wallets cannot send or receive, and pending payments keep their holds.${quoted(reason, 'The reason')}`,
    },
    node_setting: {
      title: ({ node }) => `A setting of ${node} can cost a channel, or delay received money.`,
      text: ({ reason }) => `${reason ?? ''} Change it and restart the node.`.trim(),
    },
    node_cannot_send: {
      title: ({ node, age }) => `${node} has been unable to send for ${age}.`,
      text: ({ reason }) => `Payments of its wallets to other nodes are rejected.${quoted(reason, 'The reason')}`,
    },
    channel_lost: {
      title: ({ name, sats, status }) =>
        status === 'closing'
          ? `The channel with ${name} is being closed by force.`
          : `The channel with ${name}, with ${sats}, is inactive.`,
      text: ({ node, sats, age, status }) =>
        status === 'closing'
          ? `${sats} are on their way to the on-chain wallet of ${node}. Keep the node running until they arrive.`
          : `Its peer has been offline for ${age}. Check that it is online, and connect to it.`,
    },
    node_not_synced: {
      title: ({ node, age }) => `${node} has not been synchronized with the blockchain for ${age}.`,
      text: () => 'Payments can fail. Check its Bitcoin node.',
    },
    node_behind: {
      title: ({ node }) => `${node} is behind the blockchain.`,
      text: ({ reason }) =>
        `Payments from it are rejected until it has caught up. Check its Bitcoin node, or the peers of neutrino.${quoted(reason, 'The reason')}`,
    },
    liquidity_low: {
      title: ({ node, sats, status }) =>
        status === 'sending' ? `${node} can send only ${sats} more.` : `${node} can receive only ${sats} more.`,
      text: ({ status }) =>
        status === 'sending'
          ? 'That is less than its wallets send on an average day.'
          : 'That is less than its wallets receive on an average day.',
    },
    replication_broken: {
      title: () => 'A commit did not wait for the standby of the database.',
      text: () => 'What it wrote was sent to no node before a standby had it. Bring the standby back; after a failover, reconcile.',
    },
    backup_failed: {
      title: () => 'A backup was not written.',
      text: ({ reason }) => `The next one closes the alert.${quoted(reason, 'The reason')}`,
    },
    backup_old: {
      title: ({ age }) => (age === '' ? 'There is no backup.' : `The newest backup is ${age} old.`),
      text: () => 'That is more than three intervals. Find out why backups fail.',
    },
    restored: {
      title: () => 'The service was restored from a backup and sends no money.',
      text: () => 'It receives, and reads back from its nodes what happened since. Then accept the restore.',
    },
    restore_shortfall: {
      title: ({ sats, wallet }) => `${wallet} had ${sats} less than its payments cost.`,
      text: () => 'The restored ledger lacks what it had received, so you bear the difference. Find out from which wallet the money came.',
    },
    fiat_rate: {
      title: ({ name }) => `The rate of ${name} needs a look.`,
      text: ({ reason }) => reason ?? 'Amounts are never converted with a doubtful rate.',
    },
    withdrawals_stopped: {
      title: () => 'Withdrawals are stopped.',
      text: ({ reason }) => `Customers read: “${reason ?? ''}” Receiving and transfers work.`,
    },
    proxy_address_unreadable: {
      title: ({ name }) => `The proxy ${name} does not name its clients.`,
      text: ({ reason }) =>
        `X-Forwarded-For contains “${reason ?? ''}”, which is no IP address. All clients of the proxy share the limits of one address.`,
    },
    webhook_disabled: {
      title: ({ name }) => `The webhook to ${name} was disabled.`,
      text: ({ status }) =>
        status === 'gone'
          ? 'It responded 410 Gone. Its owner can resume it.'
          : 'Nothing was delivered for three days. Tell its owner, who can resume it.',
    },
    webhook_secrets_unreadable: {
      title: ({ count, counted }) => (count === 1 ? 'A webhook receives nothing.' : `${counted} webhooks receive nothing.`),
      text: () => 'Their secrets were sealed with another SECRET_KEY. Restore the earlier key, or let their owners rotate the secrets.',
    },
    alert_channel_failing: {
      title: ({ name }) => `Alerts cannot be sent ${channelNames[name] ?? `by ${name}`}.`,
      text: ({ reason }) => `The service keeps trying to send them.${quoted(reason, 'The reason')}`,
    },
  } satisfies Readonly<Record<AlertKind, Sentence>>,
};
