import type { AlertDetails } from './alert-details.ts';
import type { ALERT_TEXTS, AlertWords, Sentence } from './alert-texts.ts';

/** The texts that are shown for an alert. */
export interface AlertSentence {
  readonly title: string;
  readonly text: string;
  /** When the cause began, in Unix seconds. */
  readonly since: number;
  /** The page where the alert is handled. */
  readonly action: { readonly href: string; readonly label: string };
}

/** An alert with the current names of its wallet and node, as the API returns it. */
export interface ShownAlert {
  readonly kind: string;
  readonly subject: string;
  readonly details: { readonly [Name in keyof AlertDetails | 'wallet_label' | 'node_alias']-?: Value<Name> | null };
  /** Unix seconds. */
  readonly raised_at: number;
}

type Value<Name> = Name extends keyof AlertDetails ? Exclude<AlertDetails[Name], undefined> : string;

type ActionName = keyof typeof ALERT_TEXTS.actions;

/** The texts of a language. */
interface SentenceTexts {
  readonly unknown: { readonly [Name in keyof typeof ALERT_TEXTS.unknown]: string };
  duration(hours: number, minutes: number): string;
  days(days: number): string;
  readonly actions: { readonly [Name in ActionName]: string };
  readonly other: Sentence;
  readonly sentences: Readonly<Record<string, Sentence>>;
}

/** The page where the alerts of each kind are handled. Alerts about a payment or a customer open the page of that payment or customer. */
const ACTIONS: Readonly<Record<string, ActionName>> = {
  payment_stuck: 'payment',
  payment_contradicted: 'payment',
  payment_corrected: 'payment',
  fee_above_limit: 'payment',
  invoice_contradicted: 'customer',
  payments_arriving: 'channels',
  holds_overdue: 'channels',
  credits_unproven: 'channels',
  received_restricted: 'customer',
  over_limit: 'customer',
  settlement_unbooked: 'reconciliation',
  node_balance_fell: 'reconciliation',
  event_unbooked: 'reconciliation',
  node_restored: 'payments',
  node_holds_less: 'reconciliation',
  relay_unavailable: 'apps',
  job_failing: 'jobs',
  suspense_not_empty: 'suspense',
  node_silent: 'node',
  node_setting: 'node',
  node_cannot_send: 'channels',
  channel_lost: 'channels',
  node_not_synced: 'node',
  node_behind: 'node',
  liquidity_low: 'channels',
  replication_broken: 'jobs',
  backup_failed: 'backups',
  backup_old: 'backups',
  restored: 'restore',
  restore_shortfall: 'customer',
  fiat_rate: 'rate',
  proxy_address_unreadable: 'jobs',
  withdrawals_stopped: 'withdrawals',
  webhook_disabled: 'customer',
  webhook_secrets_unreadable: 'webhooks',
  alert_channel_failing: 'notifications',
};

const PAGES: Readonly<Record<ActionName, string>> = {
  payment: '/operator/payments',
  payments: '/operator/payments?status=pending',
  customer: '/accounts',
  channels: '/operator/channels',
  node: '/operator/channels',
  reconciliation: '/operator/reconciliation',
  jobs: '/operator/instances',
  suspense: '/operator/suspense',
  apps: '/connections',
  backups: '/operator#backups',
  restore: '/operator#restore',
  rate: '/operator/limits',
  webhooks: '/webhooks',
  withdrawals: '/operator#withdrawals',
  notifications: '/operator#notifications',
};

/** Returns a function that writes the sentence about an alert in a language. The duration of the cause is measured until `nowMs`. `formatWhole` writes whole numbers. */
export function createSentences(texts: SentenceTexts, formatWhole: (number: number) => string) {
  /** Returns hours and minutes below two days, and days from then on. */
  function ageText(seconds: number): string {
    const minutes = Math.max(0, Math.floor(seconds / 60));
    if (minutes >= 2880) return texts.days(Math.floor(minutes / 1440));
    return texts.duration(Math.floor(minutes / 60), minutes % 60);
  }

  function wordsOf({ subject, details }: ShownAlert, age: string): AlertWords {
    const { unknown } = texts;
    const sats = (msat: number | null) => (msat === null ? undefined : `${formatWhole(Math.trunc(msat / 1000))} sats`);
    return {
      sats: sats(details.amount_msat) ?? unknown.sats,
      charged: sats(details.charged_msat) ?? unknown.sats,
      inFlight: details.in_flight_msat ? sats(details.in_flight_msat) : undefined,
      wallet: details.wallet_label ?? details.wallet_id ?? unknown.wallet,
      node: details.node_alias ?? details.ln_node_id ?? unknown.node,
      count: details.count ?? 1,
      counted: formatWhole(details.count ?? 1),
      age,
      name: details.name ?? subject,
      status: details.status ?? '',
      reason: details.reason ?? undefined,
    };
  }

  /** Capitalizes the first letter of a general word. The label of a wallet or node can begin a sentence, too, and is not changed. */
  function capital(text: string): string {
    const general = Object.values(texts.unknown).some((word) => text.startsWith(word));
    return general ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  }

  return (alert: ShownAlert, nowMs: number): AlertSentence => {
    const { kind, details, raised_at: raisedAt } = alert;
    const { title, text } = texts.sentences[kind] ?? texts.other;
    const since = details.since ?? raisedAt;
    const words = wordsOf(alert, kind === 'backup_old' && details.since === null ? '' : ageText(nowMs / 1000 - since));
    const { name, href } = placeOf(alert);
    return { title: capital(title(words)), text: capital(text(words)), since, action: { href, label: texts.actions[name] } };
  };
}

function placeOf({ kind, subject, details }: ShownAlert): { readonly name: ActionName; readonly href: string } {
  const name = ACTIONS[kind] ?? 'jobs';
  const lntx = details.lntx_id ?? (subject.startsWith('lntx_') ? subject : null);
  if (name === 'payment' && lntx !== null) return { name, href: `${PAGES.payment}/${encodeURIComponent(lntx)}` };
  if (name === 'customer' && details.account_id !== null)
    return { name, href: `${PAGES.customer}/${encodeURIComponent(details.account_id)}` };
  return { name, href: PAGES[name] };
}
