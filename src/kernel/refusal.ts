/**
 * All errors of the API: the stable `type` of the error object, its HTTP status, and its meaning, which responses and documentation share.
 * A 4xx guarantees that the request paid nothing and will pay nothing.
 */
export const REFUSALS = {
  validation_failed: { status: 400, meaning: 'A field is missing, unknown, or not of its form; the message names it.' },
  malformed_body: { status: 400, meaning: 'The body is not valid JSON or form data.' },
  insufficient_balance: {
    status: 400,
    meaning: 'The spendable balance does not cover the amount. The message gives the figures to keys of the wallet.',
  },
  limit_exceeded: { status: 400, meaning: 'The amount, or the balance it would lead to, is beyond what this service handles.' },
  invoice_undecodable: { status: 400, meaning: 'The payment request is not a well-formed, signed BOLT11 invoice.' },
  invoice_wrong_network: { status: 400, meaning: 'The invoice belongs to another Bitcoin network.' },
  invoice_expired: { status: 400, meaning: 'The invoice has expired; ask for a new one.' },
  invoice_paid: { status: 400, meaning: 'The invoice has been paid, or another payment of it is pending.' },
  invoice_canceled: { status: 400, meaning: 'The invoice was cancelled by its wallet.' },
  invoice_amount_missing: { status: 400, meaning: 'The invoice leaves the amount open; give num_satoshis.' },
  invoice_amount_fixed: { status: 400, meaning: 'The invoice states its amount; num_satoshis must equal it or be left out.' },
  invoice_mismatch: {
    status: 400,
    meaning:
      'The payment hash of this invoice belongs to another invoice or payment of this service, with another payment request text or ' +
      'another amount. This request paid nothing.',
  },
  own_invoice: { status: 400, meaning: 'A wallet cannot pay its own invoice.' },
  wallet_inactive: { status: 400, meaning: 'The wallet is inactive: it receives, but sends no money.' },
  budget_exceeded: { status: 400, meaning: 'The amount is more than is left of the budget of the key; what is pending counts.' },
  payment_cap_exceeded: { status: 400, meaning: 'The amount is more than the key may spend in one payment.' },
  key_unusable: { status: 400, meaning: 'The key is revoked, expired, replaced or public, so it cannot be rotated or revoked.' },
  same_wallet: { status: 400, meaning: 'A wallet cannot transfer to itself.' },
  no_route: { status: 400, meaning: 'unable to find a path to destination' },
  not_supported: { status: 400, meaning: 'The Lightning node behind this service cannot do that.' },
  payment_failed: { status: 400, meaning: 'The payment failed for good: nothing was or will be paid. The message names the reason.' },
  link_unusable: { status: 400, meaning: 'The withdraw link is unknown, used up, revoked or expired, or its token was altered.' },
  playground_refused: { status: 400, meaning: 'The playground cannot do that; the message says why.' },
  unauthorized: { status: 401, meaning: 'No API key, or one that is unknown or revoked.' },
  forbidden: { status: 403, meaning: 'The key lacks the permission that the message names.' },
  proof_unavailable: {
    status: 404,
    meaning: 'The wallet is not in that epoch of the proof of liabilities, or the epoch is unknown or too old for proofs.',
  },
  not_found: { status: 404, meaning: 'There is nothing here, or it is not yours.' },
  method_not_allowed: { status: 405, meaning: 'The address exists, but not with this method.' },
  last_key: {
    status: 409,
    meaning: 'No other secret API key of the account would remain that is valid for as long; make one first.',
  },
  payload_too_large: { status: 413, meaning: 'The request is larger than this service reads.' },
  unsupported_media_type: { status: 415, meaning: 'Send application/json or application/x-www-form-urlencoded.' },
  rate_limited: {
    status: 429,
    // The request may repeat one that was paid. That is not looked up for an address that sends too many requests.
    meaning:
      'Too many requests. This request was not executed; an earlier request with the same Idempotency-Key may have been. ' +
      'Send it again after Retry-After seconds.',
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'This Idempotency-Key was used for another request, which may have been executed. This one was not: send it with a new key.',
  },
  too_many_payments: {
    status: 429,
    meaning: 'The wallet has as many payments in flight as it may; this request sent nothing. Wait until one has ended.',
  },
  too_many_invoices: {
    status: 429,
    meaning: 'The wallet has as many open invoices as it may; none was made. Cancel some, or wait until they expire.',
  },
  internal_error: {
    status: 500,
    // After holding money a request is answered with 202. But an earlier request may have begun the payment, and when the database fails in
    // the middle, so may this one.
    meaning:
      'An error inside Satchel, which does not say whether money moved. Before you pay again, send the same with the same Idempotency-Key, ' +
      'or look at the history.',
  },
  node_unavailable: { status: 503, meaning: 'The Lightning node cannot be reached; this request sent nothing. Try again later.' },
  database_unavailable: {
    status: 503,
    meaning: 'The database cannot be used right now. This request booked nothing. Send it again after Retry-After seconds.',
  },
  ledger_busy: { status: 503, meaning: 'Too many requests wait for the ledger; this request booked nothing. Try again shortly.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type RefusalType = keyof typeof REFUSALS;

/** The error of a request that is rejected. Throwing it inside a database transaction rolls the transaction back. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly type: RefusalType;
  /** The wallet transaction (`wtx_…`), if one had begun. */
  readonly walletTransactionId: string | undefined;

  constructor(type: RefusalType, message: string = REFUSALS[type].meaning, walletTransactionId?: string) {
    super(message);
    this.type = type;
    this.walletTransactionId = walletTransactionId;
  }

  get status(): number {
    return REFUSALS[this.type].status;
  }
}
