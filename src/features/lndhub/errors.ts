import { REFUSALS, Refusal, type RefusalType } from '../../core/kernel/refusal.ts';
import type { ErrorForm } from '../../http/errors.ts';

/** The numbers of LndHub.js and lndhub.go. Apps log in again after 1 alone. BTCPay cannot show a message with a number above 7. */
const CODES: Partial<Record<RefusalType, number>> = {
  invoice_undecodable: 4,
  no_route: 5,
  payment_failed: 10,
  too_many_wallets: 11,
  ...Object.fromEntries(
    (['validation_failed', 'malformed_body', 'invoice_amount_missing', 'invoice_amount_fixed'] as const).map((type) => [type, 8]),
  ),
};
const CODES_OF_STATUS: Readonly<Record<number, number>> = { 401: 1, 404: 8, 405: 8, 413: 8, 415: 8, 429: 6, 500: 6, 503: 7 };
/** Insufficient balance, limits, and everything else that the service refuses. */
const REFUSED = 2;

/** Texts in place of those that mention what this API does not have. */
const MESSAGES: Partial<Record<RefusalType, string>> = {
  unauthorized: 'bad auth',
  rate_limited: 'Too many requests. This one was not executed. Try again in a minute.',
  internal_error: 'An error inside the service. Look at the list of payments before you pay again.',
  database_unavailable: 'The service cannot use its database. Try again in a minute.',
};

/** A refusal with a number of its own. */
export class LndhubRefusal extends Refusal {
  readonly code: number;

  constructor(code: number, type: RefusalType, message: string) {
    super(type, message);
    this.code = code;
  }
}

/**
 * The outcome of a payment is unknown. The API has no response for that: any 200 means paid, and apps take a 400 for failed. After this 503, BTCPay
 * sends the same request again, which is safe for an invoice.
 */
export class PaymentPending extends Refusal {
  override get status(): number {
    return 503;
  }

  constructor(message = IN_PROGRESS) {
    super('internal_error', message);
  }
}

const IN_PROGRESS = 'The payment is still in progress. Do not pay in another way. Repeat this request to see the outcome.';

export const KEYSEND_IN_PROGRESS = 'The payment is still in progress. Do not send it again. The list of payments shows the outcome.';

/** Every error begins with `{"error":true,`: BTCPay looks for this text, and BlueWallet takes other JSON for a paid invoice. */
export function lndhubErrors({ hasStatus200 }: { readonly hasStatus200: boolean }): ErrorForm {
  return {
    hasPath: (path) => /^\/(lndhub([/?]|$)|getinfo\/?([?]|$))/.test(path),
    render(refusal, request) {
      const body = {
        error: true,
        code: codeOf(refusal),
        message: messageOf(refusal),
        type: refusal instanceof PaymentPending ? 'payment_pending' : refusal.type,
        request_id: request.id,
      };
      return { status: hasStatus200 ? 200 : refusal.status, body };
    },
  };
}

function codeOf(refusal: Refusal): number {
  if (refusal instanceof LndhubRefusal) return refusal.code;
  return CODES[refusal.type] ?? CODES_OF_STATUS[refusal.status] ?? REFUSED;
}

function messageOf({ type, message }: Refusal): string {
  const { [type]: other } = MESSAGES;
  if (other !== undefined && message === REFUSALS[type].meaning) return other;
  return type === 'unauthorized' ? `${MESSAGES.unauthorized}: ${message}` : message;
}
