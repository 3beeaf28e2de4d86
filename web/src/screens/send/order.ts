import type { Order, Summary } from '../../attempt/attempt.ts';
import type { Price } from '../../parts/fiat-entry.tsx';
import { shortKey } from '../../parts/short-key.ts';
import type { Offer, WithdrawOffer } from './offer.ts';

/** What a person chose for an offer. Amounts are sats. */
export interface Choice {
  readonly walletId: string;
  /** Of an amount in a currency, what it is worth now. */
  readonly sats: number;
  /** The amount in a currency, which the service converts. */
  readonly price: Price | undefined;
  readonly feeLimit: number;
  /** The fee of this service. */
  readonly serviceFeeMsat: number;
  readonly comment: string;
  readonly payerData: Readonly<Record<string, string>>;
  readonly typed: string;
}

/** Returns the amount that the offer fixes, in sats; undefined if the person enters it. */
export function fixedSats(offer: Offer): number | undefined {
  if (offer.kind === 'link')
    return offer.link.minSendable === offer.link.maxSendable ? Math.ceil(offer.link.minSendable / 1000) : undefined;
  // The amounts here are whole sats; the service pays the exact amount.
  const msat = offer.kind === 'invoice' ? Number(offer.invoice.num_msat) : 0;
  return msat > 0 ? Math.ceil(msat / 1000) : undefined;
}

/** Returns the amount that a withdraw link pays, in sats; undefined if the person chooses it. */
export function fixedPull({ link: { minWithdrawable, maxWithdrawable } }: WithdrawOffer): number | undefined {
  return minWithdrawable === maxWithdrawable ? Math.floor(maxWithdrawable / 1000) : undefined;
}

/** Returns the exact amount of a payment of `sats`, in millisats. */
export function amountMsatOf(offer: Offer, sats: number): number {
  if (offer.kind === 'link' && offer.link.minSendable === offer.link.maxSendable) return offer.link.minSendable;
  const msat = offer.kind === 'invoice' ? Number(offer.invoice.num_msat) : 0;
  return msat > 0 ? msat : sats * 1000;
}

/** Returns the names that the payee requires to know about the payer (LUD-18). */
export function requiredPayerData(offer: Offer): string[] {
  if (offer.kind !== 'link') return [];
  const asked = Object.entries(offer.link.payerData ?? {});
  return asked.filter(([, details]) => (details as { mandatory?: boolean } | null)?.mandatory === true).map(([name]) => name);
}

/** Returns the request that pays an offer, and what the review shows of it. */
export function orderOf(offer: Exclude<Offer, { kind: 'withdraw' | 'unusable' }>, choice: Choice): { order: Order; summary: Summary } {
  const { walletId: key, sats, price, typed } = choice;
  const amount = price ?? { num_satoshis: sats };
  const fee_limit_msat = choice.feeLimit * 1000;
  const shown = { sats, price, feeLimitMsat: fee_limit_msat, serviceFeeMsat: choice.serviceFeeMsat, typed };
  if (offer.kind === 'invoice') {
    const { description, destination, payment_hash: paymentHash } = offer.invoice;
    const hasAmount = Number(offer.invoice.num_msat) > 0;
    const fields = { key, payment_request: offer.text, ...(!hasAmount && amount), fee_limit_msat };
    const to = description || shortKey(destination);
    return {
      order: { operation: 'withdraw', fields },
      summary: { ...shown, to, isPurpose: description !== '', payee: destination, paymentHash },
    };
  }
  if (offer.kind === 'node') {
    const fields = { key, dest_pubkey: offer.text, ...amount, fee_limit_msat };
    return { order: { operation: 'keysend', fields }, summary: { ...shown, to: shortKey(offer.text), payee: offer.text } };
  }
  const { comment, payerData } = choice;
  const fields = {
    key,
    ...(offer.isAddress ? { ln_address: offer.text } : { lnurlpay_encoded: offer.text }),
    ...(price ?? { amt_msat: amountMsatOf(offer, sats) }),
    ...(comment.trim() !== '' && { comment: comment.trim() }),
    ...(Object.keys(payerData).length > 0 && { payer_data: payerData }),
    fee_limit_msat,
  };
  return { order: { operation: 'payLnurl', fields }, summary: { ...shown, to: offer.link.ln_address ?? offer.link.domain } };
}
