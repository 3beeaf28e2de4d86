import { isJsonObject } from '../kernel/json.ts';
import { type Outbound, OutboundError } from '../outbound/outbound.ts';
import type { Quote } from './agreement.ts';
import { atPath, type RateProvider, readPrice, withCurrency } from './providers.ts';

/** The price of a provider, or the reason why it has none: the end of a sentence that begins with its host. */
export type Answer = Quote | { readonly source: string; readonly failure: string };

interface FetchOptions {
  readonly outbound: Outbound;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Returns a function that reads the price of a currency from a provider. A response that has several currencies is requested once. */
export function quoteFetcher({ outbound, timeoutMs, signal }: FetchOptions) {
  const responses = new Map<string, Promise<{ readonly body: unknown } | { readonly failure: string }>>();

  async function request(url: string): Promise<{ readonly body: unknown } | { readonly failure: string }> {
    try {
      // A redirect may lead to a service that the operator did not name.
      const { status, body } = await outbound.getJson(url, { timeoutMs, signal, maxRedirects: 0 });
      return status === 200 ? { body } : { failure: `responded with the status ${status}` };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { failure: failureOf(error) };
    }
  }

  return async ({ source, url, path }: RateProvider, currency: string): Promise<Answer> => {
    const full = withCurrency(url, currency);
    const response = responses.get(full) ?? request(full);
    responses.set(full, response);
    const result = await response;
    if ('failure' in result) return { source, failure: result.failure };
    const value = atPath(result.body, path, currency);
    const price = readPrice(value);
    if (price !== undefined) return { source, price };
    const isThere = value !== undefined && value !== null && !isJsonObject(value);
    return { source, failure: isThere ? 'returned a price that is no positive decimal number' : 'returned no price at its path' };
  };
}

function failureOf({ reason, message }: OutboundError): string {
  if (reason === 'timed_out') return 'did not respond in time';
  if (reason === 'not_json') return 'returned a response that is not JSON';
  if (reason === 'invalid_url') return `is not requested. ${message}`;
  if (reason === 'busy') return 'was not requested, because too many requests to other services are running';
  return 'gave no valid response, or redirected the request';
}
