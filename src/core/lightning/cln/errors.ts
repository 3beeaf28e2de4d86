/** An error that lightningd returned. Its message may quote parameters of the request. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The connection broke, or the time limit passed, before the response arrived. lightningd may have executed the request. */
export class ResponseLost extends Error {
  override readonly name = 'ResponseLost';
}

interface ErrorRow {
  readonly code: number;
  /** The beginning of the message, if the code alone does not decide. */
  readonly text?: string;
  readonly meaning: string;
}

/**
 * All that the adapter concludes from errors of lightningd, as observed with version 26.06. The first row that fits decides.
 * - `not_permitted`: the method does not exist, or the rune does not permit it. Nothing was done.
 * - `invalid_request`, `expired`, `no_route`, `fee_limit`: this call sent nothing. An earlier one may have.
 * - `rejected`, `gave_up`, `timed_out`: this call has stopped trying. The rows decide whether it paid.
 * - `already_paid`: another call has paid the invoice.
 * - `in_flight`: another call is paying the invoice.
 * - `unknown`: nothing follows from the error.
 */
export const ERRORS = [
  { code: 1501, meaning: 'not_permitted' },
  { code: 1502, meaning: 'not_permitted' },
  { code: -32601, meaning: 'not_permitted' },
  { code: -32602, meaning: 'invalid_request' },
  { code: 207, text: 'Invoice expired', meaning: 'expired' },
  { code: 205, meaning: 'no_route' },
  { code: 206, meaning: 'fee_limit' },
  { code: 203, meaning: 'rejected' },
  { code: 209, text: 'Failed after', meaning: 'gave_up' },
  { code: 209, text: 'Timed out after', meaning: 'timed_out' },
  { code: 219, meaning: 'already_paid' },
  { code: -3, text: 'Unexpected injectpaymentonion error', meaning: 'in_flight' },
  { code: -4, meaning: 'unknown' },
  { code: 900, meaning: 'invoice_exists' },
  { code: 901, meaning: 'invoice_exists' },
  { code: 905, meaning: 'invoice_missing' },
  { code: 906, meaning: 'invoice_not_unpaid' },
  { code: 1200, meaning: 'key_missing' },
  { code: 1202, meaning: 'key_exists' },
  { code: 1203, meaning: 'key_missing' },
  { code: 1204, meaning: 'key_changed' },
] as const satisfies readonly ErrorRow[];

export type ErrorMeaning = (typeof ERRORS)[number]['meaning'];

/** Returns what follows from a thrown value. An error that is not in the table is `unknown`. */
export function meaningOf(error: unknown): ErrorMeaning {
  if (!(error instanceof RpcError)) return 'unknown';
  const fits = ({ code, text = '' }: ErrorRow) => code === error.code && error.message.startsWith(text);
  return ERRORS.find(fits)?.meaning ?? 'unknown';
}
