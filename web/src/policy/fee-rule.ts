import type { FeeSchedule } from '../api/client.ts';
import { groupDecimal, readDecimal } from '../parts/decimal.ts';
import { formatMsat } from '../parts/format-amount.ts';
import { policy } from '../texts/en-policy.ts';
import { isBlank, msatText, parseMsat } from './msat-text.ts';

export const FEE_DIRECTIONS = ['ln_out', 'ln_in', 'internal', 'link'] as const;

export type FeeDirection = (typeof FEE_DIRECTIONS)[number];

export function isFeeDirection(name: string): name is FeeDirection {
  return (FEE_DIRECTIONS as readonly string[]).includes(name);
}

/** The fee of a direction, as the API has it. */
export type FeeRule = NonNullable<FeeSchedule[FeeDirection]>;

/** Returns a fee in words: `0.5 %, at least 1 sat, at most 500 sats`. */
export function ruleInWords(rule: FeeRule | null): string {
  const texts = policy.fees;
  if (rule === null || rule.max_msat === 0) return texts.none;
  const { flat_msat: flat, proportional_millionths: share, min_msat: min, max_msat: max, free_below_msat: free } = rule;
  const parts = [flat > 0 && inSats(flat), share > 0 && texts.percentOf(percentText(share))].filter(Boolean);
  // Without another part, the minimum is what each payment costs.
  if (parts.length === 0 && min === 0) return texts.none;
  const main = parts.length === 0 ? inSats(min) : parts.join(' + ');
  return [
    main,
    min > 0 && parts.length > 0 && texts.atLeast(inSats(min)),
    max !== null && parts.length > 0 && texts.atMost(inSats(max)),
    free > 0 && texts.freeBelow(inSats(free)),
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns a fee of the audit log in words. It is JSON with the names of the code; null: free. */
export function recordedRuleInWords(json: string | null): string {
  if (json === null) return policy.fees.none;
  const { flatMsat, proportionalMillionths, minMsat, maxMsat, freeBelowMsat } = JSON.parse(json) as Record<string, number | undefined>;
  return ruleInWords({
    flat_msat: flatMsat ?? 0,
    proportional_millionths: proportionalMillionths ?? 0,
    min_msat: minMsat ?? 0,
    max_msat: maxMsat ?? null,
    free_below_msat: freeBelowMsat ?? 0,
  });
}

function inSats(msat: number): string {
  return policy.fees.sats(formatMsat(msat));
}

function percentText(millionths: number): string {
  return groupDecimal(String(millionths / 10_000));
}

/** The fee of a direction, as the person types it. */
export interface RuleDraft {
  readonly flat: string;
  readonly percent: string;
  readonly minimum: string;
  readonly maximum: string;
  readonly free: string;
}

export type RuleField = keyof RuleDraft;

export function draftOf(rule: FeeRule | null): RuleDraft {
  const text = (msat: number | undefined) => (msat === 0 ? '' : msatText(msat));
  return {
    flat: text(rule?.flat_msat),
    percent: rule && rule.proportional_millionths > 0 ? percentText(rule.proportional_millionths) : '',
    minimum: text(rule?.min_msat),
    maximum: msatText(rule?.max_msat),
    free: text(rule?.free_below_msat),
  };
}

/** Returns why fields of a draft are not accepted. */
export function errorsOf(draft: RuleDraft): Partial<Record<RuleField, string>> {
  const errors: Partial<Record<RuleField, string>> = {};
  for (const field of ['flat', 'minimum', 'maximum', 'free'] as const)
    if (!isBlank(draft[field]) && parseMsat(draft[field]) === undefined) errors[field] = policy.amountError;
  if (!isBlank(draft.percent) && parsePercent(draft.percent) === undefined) errors.percent = policy.fees.percentError;
  const [minimum, maximum] = [parseMsat(draft.minimum) ?? 0, parseMsat(draft.maximum)];
  if (maximum !== undefined && maximum < minimum) errors.maximum = policy.fees.maximumError;
  const hasFee = !isBlank(draft.flat) || !isBlank(draft.percent) || !isBlank(draft.minimum);
  const modifier = !isBlank(draft.maximum) ? 'maximum' : !isBlank(draft.free) ? 'free' : undefined;
  if (!hasFee && modifier !== undefined) errors[modifier] ??= policy.fees.needsFee;
  return errors;
}

/** Returns the fee of a draft without errors; null if it is free. */
export function ruleOfDraft(draft: RuleDraft): FeeRule | null {
  const [flat_msat, min_msat] = [parseMsat(draft.flat) ?? 0, parseMsat(draft.minimum) ?? 0];
  const proportional_millionths = parsePercent(draft.percent) ?? 0;
  if (flat_msat === 0 && min_msat === 0 && proportional_millionths === 0) return null;
  const [max_msat, free_below_msat] = [parseMsat(draft.maximum) ?? null, parseMsat(draft.free) ?? 0];
  return { flat_msat, proportional_millionths, min_msat, max_msat, free_below_msat };
}

/** Returns the millionths of a percentage from 0 to 100 with up to four decimals, or undefined. */
function parsePercent(text: string): number | undefined {
  const decimal = readDecimal(text, 4);
  if (decimal === undefined) return undefined;
  const [whole, decimals = ''] = decimal.split('.');
  const millionths = Number(whole) * 10_000 + Number(decimals.padEnd(4, '0'));
  return millionths <= 1_000_000 ? millionths : undefined;
}
