import { parseDecimal, RATE_DECIMALS } from '../kernel/fiat.ts';
import { rateText } from './providers.ts';

/** The lowest and the highest rate of five minutes on which a majority of the providers agreed, in units of 10^-8. */
export interface RateSpan {
  /** The begin of the five minutes, in Unix seconds. */
  readonly at: number;
  readonly low: bigint;
  readonly high: bigint;
}

const SPAN_SECONDS = 300;
const HOUR_SECONDS = 3600;
/** Those that overlap an hour. */
const MAX_SPANS = HOUR_SECONDS / SPAN_SECONDS + 2;

/** Returns the spans of the last hour with another rate. Without a rate in the last hour, the last span stays. */
export function addRate(spans: readonly RateSpan[], at: number, price: bigint): RateSpan[] {
  const last = spans.at(-1);
  if (last === undefined || at < last.at || at >= last.at + SPAN_SECONDS)
    return [...spans, { at, low: price, high: price }].slice(-MAX_SPANS);
  const wider = { at: last.at, low: price < last.low ? price : last.low, high: price > last.high ? price : last.high };
  return [...spans.slice(0, -1), wider];
}

/** Returns the spans that have a rate of the last hour; at least the last one, whose rate is the last one of a majority. */
export function recentSpans(spans: readonly RateSpan[], nowSeconds: number): readonly RateSpan[] {
  const recent = spans.filter(({ at }) => at + SPAN_SECONDS + HOUR_SECONDS > nowSeconds);
  return recent.length > 0 ? recent : spans.slice(-1);
}

export function parseSpans(text: string): RateSpan[] {
  const rows = JSON.parse(text) as [at: number, low: string, high: string][];
  return rows.map(([at, low, high]) => ({ at, low: unitsOf(low), high: unitsOf(high) }));
}

export function spansText(spans: readonly RateSpan[]): string {
  return JSON.stringify(spans.map(({ at, low, high }) => [at, rateText(low), rateText(high)]));
}

function unitsOf(rate: string): bigint {
  return parseDecimal(rate, RATE_DECIMALS) ?? 0n;
}
