import type { en } from './en.ts';
import type { accounts } from './en-accounts.ts';
import type { activity } from './en-activity.ts';
import type { alertTexts } from './en-alerts.ts';
import type { amounts } from './en-amounts.ts';
import type { apps } from './en-apps.ts';
import type { channels } from './en-channels.ts';
import type { desk } from './en-desk.ts';
import type { developers } from './en-developers.ts';
import type { texts as fiat } from './en-fiat.ts';
import type { filterTexts } from './en-filters.ts';
import type { found } from './en-found.ts';
import type { imported } from './en-imported.ts';
import type { lists } from './en-lists.ts';
import type { money } from './en-money.ts';
import type { paid } from './en-paid.ts';
import type { payers } from './en-payers.ts';
import type { payouts } from './en-payouts.ts';
import type { phone } from './en-phone.ts';
import type { playground } from './en-playground.ts';
import type { policy } from './en-policy.ts';
import type { print } from './en-print.ts';
import type { push } from './en-push.ts';
import type { service } from './en-service.ts';
import type { setup } from './en-setup.ts';
import type { shortcuts } from './en-shortcuts.ts';
import type { steps } from './en-steps.ts';
import type { Shape } from './lookup.ts';

/** The errors of the API that people meet. Its sentences are English; all others are shown as they are. */
type TranslatedError =
  | 'account_restricted'
  | 'address_taken'
  | 'database_unavailable'
  | 'email_taken'
  | 'forbidden'
  | 'insufficient_balance'
  | 'invoice_cancelled'
  | 'invoice_expired'
  | 'invoice_paid'
  | 'ledger_busy'
  | 'login_taken'
  | 'node_unavailable'
  | 'not_found'
  | 'own_invoice'
  | 'payee_restricted'
  | 'rate_limited'
  | 'rate_unavailable'
  | 'restored'
  | 'same_wallet'
  | 'too_many_invoices'
  | 'too_many_keys'
  | 'too_many_logins'
  | 'too_many_payments'
  | 'too_many_wallets'
  | 'too_many_webhooks'
  | 'unauthorized'
  | 'wallet_inactive';

/** Sentences in place of those of the API, by the type of the error. */
export type ErrorTexts = Readonly<Record<TranslatedError, string>>;

/** All texts of a language. A missing text, or one that English does not have, is an error of the compiler. */
export interface Translation {
  /** In which direction the language is written. */
  readonly direction: 'ltr' | 'rtl';
  readonly errors: ErrorTexts;
  /** The texts of the first page: those of `en.ts`. */
  readonly start: Shape<typeof en>;
  readonly accounts: Shape<typeof accounts>;
  readonly activity: Shape<typeof activity>;
  readonly amounts: Shape<typeof amounts>;
  readonly apps: Shape<typeof apps>;
  readonly channels: Shape<typeof channels>;
  readonly developers: Shape<typeof developers>;
  readonly fiat: Shape<typeof fiat>;
  readonly filters: Shape<typeof filterTexts>;
  readonly imported: Shape<typeof imported>;
  readonly money: Shape<typeof money>;
  readonly paid: Shape<typeof paid>;
  readonly payers: Shape<typeof payers>;
  readonly payouts: Shape<typeof payouts>;
  readonly phone: Shape<typeof phone>;
  readonly playground: Shape<typeof playground>;
  readonly policy: Shape<typeof policy>;
  readonly setup: Shape<typeof setup>;
  readonly steps: Shape<typeof steps>;
  readonly shortcuts: Shape<typeof shortcuts>;
  readonly lists: Shape<typeof lists>;
  readonly found: Shape<typeof found>;
  readonly alerts: Shape<typeof alertTexts>;
  readonly desk: Shape<typeof desk>;
  readonly service: Shape<typeof service>;
  readonly print: Shape<typeof print>;
  readonly push: Shape<typeof push>;
}
