import { decimalText, isCurrency, parseDecimal, RATE_DECIMALS } from '../kernel/fiat.ts';

/** A provider of rates that the operator named. */
export interface RateProvider {
  /** The host, which names the provider in responses and alerts: the URL may contain a secret. */
  readonly source: string;
  /** A URL with the placeholders `{currency}` or `{currency_lower}`. */
  readonly url: string;
  /** The names and positions that lead to the price in the JSON of the response. May contain the placeholders, too. */
  readonly path: readonly string[];
}

const MAX_PROVIDERS = 9;
const MAX_PATH = 10;
/** Requests to one provider run at the same time. The HTTP client allows 16 per host. */
const MAX_CURRENCIES = 16;
const PLACEHOLDER = /\{currency(_lower)?\}/g;

/** Parses FIAT_RATES: URLs with the path of the price behind `#`, separated by spaces. @throws Error with the rule, never with a URL */
export function parseRateProviders(text: string): readonly RateProvider[] {
  const providers = text.split(/\s+/).filter(Boolean).map(parseProvider);
  if (providers.length > MAX_PROVIDERS) throw new Error(`there must be at most ${MAX_PROVIDERS} URLs.`);
  const hosts = new Set(providers.map(({ source }) => source));
  if (hosts.size < providers.length) throw new Error('each URL must have another host, because a provider counts once.');
  return providers;
}

function parseProvider(entry: string, index: number): RateProvider {
  const [url = '', ...rest] = entry.split('#');
  const path = rest.join('#').split('.');
  const parsed = URL.parse(withCurrency(url, 'EUR'));
  const isPath = path.length <= MAX_PATH && path.every((name) => /^[\w{}-]{1,64}$/.test(name));
  const hasPlaceholder = withCurrency(entry, 'EUR') !== entry;
  if (parsed && /^https?:$/.test(parsed.protocol) && !parsed.username && isPath && hasPlaceholder)
    return { source: parsed.host, url, path };
  throw new Error(
    `entry ${index + 1} must be a URL with {currency} and, behind #, the path of the price in its JSON; for example ` +
      'FIAT_RATES=https://rates.example.com/BTC-{currency}#data.amount.',
  );
}

/** Parses FIAT_CURRENCIES. @throws Error with the rule */
export function parseCurrencies(text: string): readonly string[] {
  const currencies = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  if (currencies.length <= MAX_CURRENCIES && currencies.every(isCurrency)) return currencies;
  throw new Error(`it must be at most ${MAX_CURRENCIES} ISO 4217 codes in capital letters; for example FIAT_CURRENCIES=EUR,USD.`);
}

/** Returns a text with the currency in place of the placeholders. */
export function withCurrency(text: string, currency: string): string {
  return text.replace(PLACEHOLDER, (_, isLower) => (isLower ? currency.toLowerCase() : currency));
}

/** Returns what is at a path in JSON; undefined if there is nothing. */
export function atPath(json: unknown, path: readonly string[], currency: string): unknown {
  return path.reduce((value: unknown, name) => {
    const own = withCurrency(name, currency);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, own) ? (value as Record<string, unknown>)[own] : undefined;
  }, json);
}

/** Providers send at most this number of decimals. Those of a rate beyond {@link RATE_DECIMALS} are cut off. */
const MAX_DECIMALS = 30;

/**
 * Returns a price of a response as units of 10^-8: a positive decimal number, as a JSON number or as text. A JSON number has the shortest text
 * that is parsed to it, which is the provider's own up to 15 digits.
 * @returns undefined for everything else
 */
export function readPrice(value: unknown): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const units = typeof text === 'string' ? parseDecimal(text, MAX_DECIMALS) : undefined;
  const price = units === undefined ? 0n : units / 10n ** BigInt(MAX_DECIMALS - RATE_DECIMALS);
  return price > 0n ? price : undefined;
}

/** Returns units of 10^-8 as the text of a rate. */
export function rateText(units: bigint): string {
  return decimalText(units, RATE_DECIMALS);
}
