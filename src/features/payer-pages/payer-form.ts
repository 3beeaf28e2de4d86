import type { RefusalType } from '../../core/kernel/refusal.ts';
import { type PayPage, payerDataRequest } from '../lnurl/pay/pay-requests.ts';
import type { FilledForm } from './amount-form.ts';

type Values = FilledForm['values'];

/** Returns the errors of the comment and of the payer's data. */
export function checkFields({ link }: PayPage, values: Values): Record<string, string> {
  const { comment = '' } = values;
  const errors: Record<string, string> = {};
  if ([...comment].length > link.comment_length) errors.comment = `The comment must have at most ${link.comment_length} characters.`;
  if (/\p{Cc}/u.test(comment)) errors.comment = 'The comment must be one line.';
  for (const [name, rule] of Object.entries(payerDataRequest(link) ?? {})) {
    if (rule.mandatory && !values[`payer_${name}`]?.trim()) errors[`payer_${name}`] = 'This field is required.';
  }
  return errors;
}

/** Returns the payer's data as the JSON text of LUD-18; undefined if the link requests none. */
export function payerDataText({ link }: PayPage, values: Values): string | undefined {
  const requested = payerDataRequest(link);
  if (!requested) return undefined;
  const entries = Object.keys(requested).map((name) => [name, values[`payer_${name}`]?.trim() ?? '']);
  return JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== '')));
}

/** The words for payers. The messages of the API name its fields. */
const PROBLEMS: Partial<Record<RefusalType, string>> = {
  link_unusable: 'This pay link or address does not exist, or it accepts no payments now.',
  not_found: 'There is no such invoice.',
  node_unavailable: 'The Lightning node does not answer now. Nothing was paid. Try again in a minute.',
  rate_limited: 'Too many requests came from your network. Nothing was paid. Try again in a minute.',
  rate_unavailable: 'The price cannot be converted now, because there is no current rate. Nothing was paid. Try again in a minute.',
  receiving_limit_exceeded: 'The receiver cannot accept this amount now. Nothing was paid.',
  too_many_invoices: 'The receiver has too many open invoices. Nothing was paid. Try again in a minute.',
  validation_failed: 'One of the fields has a value that the receiver does not accept. Nothing was paid.',
};

export function problemText(type: RefusalType): string {
  return PROBLEMS[type] ?? 'The receiver cannot be paid here now. Nothing was paid. Try again in a minute.';
}
