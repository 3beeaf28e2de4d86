import type { RefusalType } from '../../core/kernel/refusal.ts';
import { type PayPage, payerDataRequest } from '../lnurl/pay/pay-requests.ts';
import type { FilledForm } from './amount-form.ts';
import type { PayerTexts } from './language.ts';

type Values = FilledForm['values'];

/** Returns the errors of the comment and of the payer's data. */
export function checkFields(texts: PayerTexts, { link }: PayPage, values: Values): Record<string, string> {
  const { comment = '' } = values;
  const errors: Record<string, string> = {};
  if ([...comment].length > link.comment_length) errors.comment = texts.longComment(link.comment_length);
  if (/\p{Cc}/u.test(comment)) errors.comment = texts.oneLine;
  for (const [name, rule] of Object.entries(payerDataRequest(link) ?? {})) {
    if (rule.mandatory && !values[`payer_${name}`]?.trim()) errors[`payer_${name}`] = texts.required;
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

/** Returns what a payer reads about a refusal. */
export function problemText(texts: PayerTexts, type: RefusalType): string {
  const problems: Partial<Record<RefusalType, string>> = texts.problems;
  return problems[type] ?? texts.otherProblem;
}
