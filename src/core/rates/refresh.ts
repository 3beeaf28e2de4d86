import type { Alerts } from '../alerts/alerts.ts';
import type { Database } from '../db/database.ts';
import { parseDecimal, RATE_DECIMALS } from '../kernel/fiat.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { type Agreement, agree, hasJumped, judge, type KnownRate, MAX_DEVIATION_PERCENT, type Quote } from './agreement.ts';
import { type Answer, quoteFetcher } from './fetch-quotes.ts';
import { addRate, parseSpans, type RateSpan, recentSpans, spansText } from './majority-rates.ts';
import { createProblems, type Problems } from './problems.ts';
import { type RateProvider, rateText } from './providers.ts';
import * as sql from './rates.sql.ts';

/** What a refresh of the rates uses. */
export interface RefreshOptions {
  readonly database: Database;
  readonly alerts: Alerts;
  readonly outbound: Outbound;
  readonly providers: readonly RateProvider[];
  readonly currencies: readonly string[];
  readonly maxAgeSeconds: number;
  /** The time for the response of a provider. */
  readonly timeoutMs: number;
  nowSeconds(): number;
}

/** A provider that fails so many times in a row raises an alert, and so does a minority that keeps a rate. */
const MAX_FAILURES = 3;
/** How long a minority of the providers keeps a rate, in seconds: the price may have moved, and the minority may lie. */
const KEPT_SECONDS = 3600;

/** Returns a function that requests all rates once, stores those that are accepted, and raises and clears the alerts. */
export function createRefresh(options: RefreshOptions) {
  const { providers, currencies } = options;
  /** The failures in a row of each provider and currency, and of each currency for which only a minority answered. */
  const failures = new Map<string, number>();
  const problems = createProblems(options.alerts);

  return async (signal: AbortSignal): Promise<void> => {
    const fetchQuote = quoteFetcher({ ...options, signal });
    const startedAt = options.nowSeconds();
    const refreshOne = async (currency: string) => {
      const answers = await Promise.all(providers.map((provider) => fetchQuote(provider, currency)));
      // What failed because the service stops is no failure.
      if (signal.aborted) return;
      const quotes = answers.filter((answer): answer is Quote => 'price' in answer);
      const agreement = agree(quotes);
      noteProviders({ problems, failures, currency, answers, agreement });
      await storeRate(options, { problems, failures, currency, agreement, quotes, startedAt });
    };
    await Promise.all(currencies.map(refreshOne));
    if (!signal.aborted) await problems.report();
  };
}

interface Noted {
  readonly problems: Problems;
  readonly failures: Map<string, number>;
  readonly currency: string;
  readonly answers: readonly Answer[];
  readonly agreement: Agreement;
}

/** Notes the providers whose prices are missing or excluded. */
function noteProviders({ problems, failures, currency, answers, agreement }: Noted): void {
  for (const answer of answers) {
    const subject = `${currency} ${answer.source}`;
    const failed = 'failure' in answer ? (failures.get(subject) ?? 0) + 1 : 0;
    failures.set(subject, failed);
    if ('failure' in answer) {
      const message = `${answer.source} ${answer.failure}. It is not used for ${currency}.`;
      if (failed >= MAX_FAILURES) problems.note(subject, message);
      else problems.keep(subject);
    } else if (agreement.price !== undefined && agreement.excluded.some(({ source }) => source === answer.source)) {
      const price = `${rateText(answer.price)} ${currency}`;
      problems.note(
        subject,
        `${answer.source} has the price ${price}, which differs by more than ${MAX_DEVIATION_PERCENT} % from the others.`,
      );
    }
  }
}

interface Seen {
  readonly problems: Problems;
  readonly failures: Map<string, number>;
  readonly currency: string;
  readonly agreement: Agreement;
  readonly quotes: readonly Quote[];
  readonly startedAt: number;
}

/** Stores the rate if it is accepted, and notes why it is not. */
async function storeRate(options: RefreshOptions, { problems, failures, currency, agreement, quotes, startedAt }: Seen): Promise<void> {
  const { database, alerts, providers } = options;
  const row = await database.first(sql.find, currency);
  const { price, agreeing } = agreement;
  if (price === undefined) {
    await database.transaction((tx) => tx.run(sql.withdraw, currency));
    if (quotes.length > 0)
      problems.note(currency, `The providers disagree about ${currency}: ${quotes.map(quoteText).join(', ')}. No price is used.`);
    else if (isStale(options, row)) problems.note(currency, staleText(currency));
    else problems.keep(currency);
    return;
  }
  const since = row?.candidate_since ?? undefined;
  const acceptedAt = since === undefined ? undefined : await alerts.lastAccepted('fiat_rate', currency);
  const isAcceptedByOperator = since !== undefined && acceptedAt !== undefined && acceptedAt >= since;
  const isMajority = 2 * agreeing.length > providers.length;
  const majorityRates = recentSpans(majorityRatesOf(row), startedAt);
  const verdict = judge(knownRate(row, majorityRates, startedAt), { price, isMajority, isAcceptedByOperator });
  const minorities = isMajority ? 0 : (failures.get(currency) ?? 0) + 1;
  failures.set(currency, minorities);
  if (verdict === 'kept') {
    await database.transaction((tx) => tx.run(sql.keep, currency, startedAt));
    if (minorities >= MAX_FAILURES) problems.note(currency, keptText(currency, row?.rate));
    else problems.keep(currency);
  } else if (verdict === 'accepted') {
    const source = agreeing.map((quote) => quote.source).sort();
    // A confirmed jump begins a new hour.
    const earlier = hasJumped(price, majorityRates) ? [] : majorityRates;
    const spans = isMajority ? addRate(earlier, startedAt, price) : majorityRates;
    await database.transaction((tx) => tx.run(sql.accept, currency, rateText(price), startedAt, source.join(' '), spansText(spans)));
  } else {
    const candidateSince = verdict > 1 ? (since ?? startedAt) : startedAt;
    await database.transaction((tx) => tx.run(sql.propose, currency, rateText(price), candidateSince, verdict));
    problems.note(currency, jumpText({ currency, before: row?.rate ?? undefined, price, isMajority }));
  }
}

function majorityRatesOf(row: sql.MarketRateRow | undefined): RateSpan[] {
  if (typeof row?.majority_rates === 'string') return parseSpans(row.majority_rates);
  const price = unitsOf(row?.rate);
  return price === undefined ? [] : [{ at: row?.rate_at ?? 0, low: price, high: price }];
}

function knownRate(row: sql.MarketRateRow | undefined, majorityRates: readonly RateSpan[], startedAt: number): KnownRate {
  const agreedAt = row?.agreed_at ?? row?.rate_at ?? 0;
  return {
    accepted: unitsOf(row?.rate),
    candidate: unitsOf(row?.candidate_rate),
    confirmations: row?.confirmations ?? 0,
    majorityRates,
    isRecent: Math.abs(startedAt - agreedAt) <= KEPT_SECONDS,
  };
}

function isStale({ maxAgeSeconds, nowSeconds }: RefreshOptions, row: sql.MarketRateRow | undefined): boolean {
  return typeof row?.rate_at !== 'number' || nowSeconds() - row.rate_at > maxAgeSeconds;
}

function staleText(currency: string): string {
  return `No provider returns a price for ${currency}, and the last one is too old (FIAT_RATE_MAX_AGE_SECONDS). Amounts in ${currency} are refused.`;
}

function keptText(currency: string, rate: string | null | undefined): string {
  return (
    `Only a minority of the providers returns a price for ${currency}. It does not change the rate of ${rate}, and keeps it for an hour after the ` +
    'last majority.'
  );
}

interface Jump {
  readonly currency: string;
  readonly before: string | undefined;
  readonly price: bigint;
  readonly isMajority: boolean;
}

function jumpText({ currency, before, price, isMajority }: Jump): string {
  const change = before === undefined ? 'is the first one' : `was ${before} before`;
  const rule = isMajority
    ? 'It is not used until it is confirmed.'
    : 'Only a minority of the providers responds. It is not used until a majority returns it, or the operator accepts it.';
  return `The price of one bitcoin is ${rateText(price)} ${currency}, and ${change}. ${rule}`;
}

function quoteText({ source, price }: Quote): string {
  return `${source} ${rateText(price)}`;
}

function unitsOf(rate: string | null | undefined): bigint | undefined {
  return typeof rate === 'string' ? parseDecimal(rate, RATE_DECIMALS) : undefined;
}
