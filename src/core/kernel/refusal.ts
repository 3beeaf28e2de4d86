/**
 * All errors of the API: the stable `type` of the error object, its HTTP status, and its meaning, which responses and documentation share.
 * A 4xx guarantees that the request paid nothing and will pay nothing.
 */
export const REFUSALS = {
  validation_failed: { status: 400, meaning: 'A field is missing, unknown or invalid. The message names the field and the rule.' },
  malformed_body: { status: 400, meaning: 'The body is not valid JSON or form data.' },
  insufficient_balance: {
    status: 400,
    meaning: 'The spendable balance does not cover the amount. The message gives the figures to keys of the wallet.',
  },
  limit_exceeded: { status: 400, meaning: 'The amount, or the balance after it, would exceed 2^53 - 1 millisatoshis.' },
  invoice_undecodable: { status: 400, meaning: 'The payment request is not a well-formed, signed BOLT11 invoice.' },
  invoice_wrong_network: { status: 400, meaning: 'The invoice belongs to another Bitcoin network.' },
  invoice_expired: { status: 400, meaning: 'The invoice has expired. Request a new one from the payee.' },
  invoice_paid: { status: 400, meaning: 'The invoice has been paid, or another payment of it is pending.' },
  invoice_cancelled: { status: 400, meaning: 'The invoice was cancelled by its wallet.' },
  invoice_not_held: {
    status: 400,
    meaning: 'No payment of the hold invoice waits for a decision. Settle it after the event invoice_held, or cancel it.',
  },
  hold_hash_taken: {
    status: 409,
    meaning: 'The service or its Lightning node has had an invoice or a payment with this hold_hash. Choose another preimage.',
  },
  invoice_amount_missing: { status: 400, meaning: 'The invoice has no amount. Send num_satoshis or num_msat.' },
  invoice_amount_fixed: { status: 400, meaning: 'The invoice has an amount. num_satoshis or num_msat must equal it or be absent.' },
  invoice_mismatch: {
    status: 400,
    meaning:
      'The payment hash of this invoice belongs to another invoice or payment of this service, with another payment request text or ' +
      'another amount. This request paid nothing.',
  },
  own_invoice: { status: 400, meaning: 'A wallet cannot pay its own invoice.' },
  wallet_inactive: { status: 400, meaning: 'The wallet is inactive, or the state of its account does not allow sending money.' },
  withdrawals_stopped: {
    status: 403,
    meaning:
      'The operator has stopped all payments that leave the service. The message has the reason. This request sent nothing. Transfers and receiving work.',
  },
  payee_restricted: { status: 400, meaning: 'The receiving account accepts no money now. This request paid nothing.' },
  too_many_wallets: { status: 409, meaning: 'The account has the maximum number of wallets. Ask the operator for a higher limit.' },
  too_many_keys: { status: 409, meaning: 'The account or the wallet has the maximum number of active keys. Revoke one first.' },
  budget_exceeded: {
    status: 400,
    meaning: 'The amount exceeds the rest of the budget of the key. Pending payments count against the budget.',
  },
  payment_cap_exceeded: { status: 400, meaning: 'The amount exceeds the maximum per payment of the key.' },
  spending_limit_exceeded: {
    status: 400,
    meaning: 'The wallet or its account has reached a limit, which the message names. Pending payments count. This request paid nothing.',
  },
  receiving_limit_exceeded: { status: 400, meaning: 'The wallet or its account may not receive that much. The message names the limit.' },
  key_unusable: { status: 409, meaning: 'The key is revoked, expired, replaced or public, so it cannot be rotated or revoked.' },
  same_wallet: { status: 400, meaning: 'A wallet cannot transfer to itself.' },
  no_route: { status: 400, meaning: 'unable to find a path to destination' },
  not_supported: { status: 400, meaning: 'The Lightning node behind this service cannot do that.' },
  payment_failed: { status: 400, meaning: 'The payment failed for good: nothing was or will be paid. The message names the reason.' },
  link_unusable: { status: 400, meaning: 'The withdraw link is unknown, used up, revoked or expired, or its token was altered.' },
  lnurl_invalid: {
    status: 400,
    meaning: 'The text is no LNURL or Lightning address, or one of another kind. The message has the remedy. This request paid nothing.',
  },
  lnurl_unavailable: {
    status: 400,
    meaning: 'The service of the LNURL or Lightning address could not be reached or gave no valid response. This request paid nothing.',
  },
  lnurl_refused: {
    status: 400,
    meaning:
      'The service of the LNURL or Lightning address refused, or its response or its invoice breaks the protocol. The message has the ' +
      'reason. This request paid nothing.',
  },
  address_taken: { status: 409, meaning: 'The name of the Lightning address is taken or reserved. Choose another one.' },
  too_many_webhooks: { status: 409, meaning: 'The account has 20 webhooks, the maximum. Delete one first.' },
  webhook_inactive: {
    status: 409,
    meaning: 'The webhook is paused or disabled, so nothing is delivered. Send PATCH with `status` active first.',
  },
  too_many_logins: { status: 409, meaning: 'The account has the maximum number of passkeys or linked keys. Remove one first.' },
  passkeys_unavailable: {
    status: 400,
    meaning:
      'Browsers allow passkeys only at a domain with https, or at localhost. The operator sets PUBLIC_URL to https://wallets.example.com, or ' +
      'for a test to http://localhost:4021. An address such as 127.0.0.1 is no domain.',
  },
  playground_refused: { status: 400, meaning: 'The playground cannot do that. The message has the reason.' },
  unauthorized: { status: 401, meaning: 'No API key, or one that is unknown or revoked.' },
  code_required: {
    status: 401,
    meaning:
      'The password is right, or the Lightning wallet has signed. Send the request again with `code`, a code of the authenticator app or a recovery code.',
  },
  forbidden: { status: 403, meaning: 'The key lacks the permission that the message names.' },
  account_restricted: { status: 403, meaning: 'The state of the account does not allow this request. Ask the operator of the service.' },
  password_required: { status: 403, meaning: 'Send `current_password`, or log in again with e-mail and password or a passkey.' },
  proof_unavailable: {
    status: 404,
    meaning: 'The wallet is not in that epoch of the proof of liabilities, or the epoch is unknown or too old for proofs.',
  },
  not_found: { status: 404, meaning: 'The object does not exist, or it belongs to another account.' },
  method_not_allowed: { status: 405, meaning: 'The address exists, but not with this method.' },
  cursor_expired: {
    status: 410,
    meaning: 'The log no longer has, or never had, the event of the cursor. The message names the oldest event.',
  },
  last_key: {
    status: 409,
    meaning: 'The account must keep a secret API key without limits that expires no earlier. Create one first.',
  },
  last_operator: { status: 409, meaning: 'An active account with the role operator must remain. Make another account an operator first.' },
  email_taken: { status: 409, meaning: 'The e-mail belongs to another account.' },
  login_taken: { status: 409, meaning: 'The passkey or the Lightning wallet logs in to an account already.' },
  action_refused: {
    status: 409,
    meaning:
      'The action was refused. The message has the reason. Nothing has changed, unless it names the outcome with which the node ended the payment.',
  },
  payload_too_large: { status: 413, meaning: 'The request is larger than this service accepts.' },
  unsupported_media_type: { status: 415, meaning: 'Send application/json or application/x-www-form-urlencoded.' },
  rate_limited: {
    status: 429,
    // The request may repeat one that was paid. An address that sends too many requests gets no lookup of that.
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
    meaning: 'The wallet has the maximum number of payments in flight. This request sent nothing. Wait until one of them has ended.',
  },
  too_many_holds: {
    status: 429,
    meaning:
      'The wallet, its account or the Lightning node holds the maximum number of payments of hold invoices. No invoice was created. Settle or ' +
      'cancel some.',
  },
  too_many_invoices: {
    status: 429,
    meaning: 'The wallet has the maximum number of open invoices. No invoice was created. Cancel some, or wait until they expire.',
  },
  internal_error: {
    status: 500,
    // A request that has held money gets a 202. But an earlier request may have started the payment; so may this one, if the database failed.
    meaning:
      'An error inside Satchel. It is unknown whether money moved. Before you pay again, repeat the request with the same Idempotency-Key, ' +
      'or read the history.',
  },
  node_unavailable: { status: 503, meaning: 'The Lightning node cannot be reached. This request sent nothing. Try again later.' },
  rate_unavailable: {
    status: 503,
    meaning:
      'There is no valid rate of the currency: its providers are silent, disagree, or the rate has jumped. This request created and paid ' +
      'nothing. Try again later, or send the amount in num_satoshis.',
  },
  database_unavailable: {
    status: 503,
    meaning: 'The database cannot be used right now. This request booked nothing. Send it again after Retry-After seconds.',
  },
  restored: {
    status: 503,
    meaning: 'The service was restored from a backup and sends no money until its operator accepts the restore. This request sent nothing.',
  },
  ledger_busy: { status: 503, meaning: 'Too many requests are waiting for the ledger. This request booked nothing. Try again shortly.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type RefusalType = keyof typeof REFUSALS;

/** The error of a request that is rejected. Throwing it inside a database transaction rolls the transaction back. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly type: RefusalType;
  /** The wallet transaction (`wtx_…`), if one had begun. */
  readonly walletTransactionId: string | undefined;
  /** The whole seconds after which the limit that rejects the request admits it. Undefined when that is not known. */
  retryAfterSeconds: number | undefined;

  constructor(type: RefusalType, message: string = REFUSALS[type].meaning, walletTransactionId?: string) {
    super(message);
    this.type = type;
    this.walletTransactionId = walletTransactionId;
  }

  get status(): number {
    return REFUSALS[this.type].status;
  }

  /** States how long the request must wait, and returns the error. */
  afterMs(waitMs: number): this {
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return this;
  }
}

/** Returns what a read has found. @throws Refusal `not_found` */
export function requireFound<T>(found: T | undefined): T {
  if (found === undefined) throw new Refusal('not_found');
  return found;
}
