/** The fee limit of the service: 5 % of the amount, at least 10 sats, and no more than the balance without the amount. */
export function defaultFeeLimit(sats: number, balanceSats: number): number {
  return Math.max(0, Math.min(Math.max(10, Math.floor(sats / 20)), balanceSats - sats));
}

/** Returns the sats in the text of a fee limit, 0 or more; undefined if it is none. */
export function parseFeeLimit(text: string): number | undefined {
  const digits = text.replaceAll(/[\s\u202f\u00a0]/g, '');
  return /^\d{1,16}$/.test(digits) && Number(digits) <= 21e14 ? Number(digits) : undefined;
}

/** Returns the fee limit, in sats, to try after a payment without a route: twice the last one, in millisats. */
export function raisedFeeLimit(lastMsat: number): number {
  return Math.max(20, Math.ceil(lastMsat / 500));
}
