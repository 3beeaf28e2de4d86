import { useEffect, useState } from 'preact/hooks';
import { errorText } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { Offer } from './offer.ts';
import { amountMsatOf } from './order.ts';

/** Each amount that is typed would otherwise be a request. */
const TYPING_MS = 300;

export interface ServiceFee {
  /** The fee of this service; 0 until it is known. */
  readonly feeMsat: number;
  /** The service has not answered yet. */
  readonly isReading: boolean;
  /** Why the fee could not be read. */
  readonly error: string | undefined;
}

/** What a fee is read for. */
export interface QuoteRequest {
  readonly payment_request?: string;
  readonly num_msat?: number;
  readonly direction?: 'ln_out' | 'internal';
}

/** Reads what this service charges for a payment, once its amount is known. */
export function useServiceFee(walletId: string, request: QuoteRequest | undefined): ServiceFee {
  const wanted = request === undefined ? '' : JSON.stringify(request);
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), asked === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const quote = useResource(asked === '' ? undefined : `quote ${walletId} ${asked}`, (signal) =>
    api.wallets.getQuote(walletId, JSON.parse(asked) as QuoteRequest, { signal }),
  );
  if (wanted === '') return { feeMsat: 0, isReading: false, error: undefined };
  const isRead = wanted === asked && !quote.isLoading && (quote.data !== undefined || quote.error !== undefined);
  if (!isRead) return { feeMsat: 0, isReading: true, error: undefined };
  if (quote.error !== undefined) return { feeMsat: 0, isReading: false, error: errorText(quote.error) };
  return { feeMsat: quote.data?.service_fee_msat ?? 0, isReading: false, error: undefined };
}

/**
 * Returns a function that runs `run`, as soon as the fee has been read: the review shows it. If `key`, which identifies what was entered, changes
 * before, nothing runs.
 */
export function useWhenRead({ isReading }: ServiceFee, key: string, run: () => void) {
  const [submitted, setSubmitted] = useState<string>();
  const isWaiting = submitted === key && isReading;
  useEffect(() => {
    if (submitted === undefined || isWaiting) return;
    setSubmitted(undefined);
    if (submitted === key) run();
  }, [submitted, key, isWaiting]);
  return { submit: () => setSubmitted(key), isWaiting };
}

/** Returns the request for the fee of a payment of `sats`. */
export function quoteOf(offer: Exclude<Offer, { kind: 'withdraw' | 'unusable' }>, sats: number): QuoteRequest {
  if (offer.kind === 'invoice')
    return { payment_request: offer.text, ...(Number(offer.invoice.num_msat) === 0 && { num_msat: sats * 1000 }) };
  // The invoice of an address of this service is paid inside it.
  const isInside = offer.kind === 'link' && offer.link.domain === location.host;
  return { num_msat: amountMsatOf(offer, sats), direction: isInside ? 'internal' : 'ln_out' };
}
