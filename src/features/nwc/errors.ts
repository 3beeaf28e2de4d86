import { Refusal, type RefusalType } from '../../core/kernel/refusal.ts';
import { NodeUnavailable } from '../../core/lightning/node.ts';

/** The error codes of NIP-47 and NWC-321, and two that most clients know: BAD_REQUEST and EXPIRED. */
export type NwcErrorCode =
  | 'RATE_LIMITED'
  | 'NOT_IMPLEMENTED'
  | 'INSUFFICIENT_BALANCE'
  | 'QUOTA_EXCEEDED'
  | 'RESTRICTED'
  | 'UNAUTHORIZED'
  | 'INTERNAL'
  | 'UNSUPPORTED_ENCRYPTION'
  | 'OTHER'
  | 'PAYMENT_FAILED'
  | 'NOT_FOUND'
  | 'BAD_REQUEST'
  | 'EXPIRED'
  | 'UNSUPPORTED_PAYMENT_INSTRUCTION'
  | 'UNSUPPORTED_NETWORK'
  | 'FEE_LIMIT_EXCEEDED';

/**
 * A request is refused. Clients take most codes as a promise that nothing was paid and will be paid, and return the money to their users. So a
 * request whose outcome is unknown gets no error.
 */
export class NwcError extends Error {
  override readonly name = 'NwcError';
  readonly code: NwcErrorCode;

  constructor(code: NwcErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const CODES: Partial<Record<RefusalType, NwcErrorCode>> = {
  validation_failed: 'BAD_REQUEST',
  hold_hash_taken: 'BAD_REQUEST',
  limit_exceeded: 'BAD_REQUEST',
  insufficient_balance: 'INSUFFICIENT_BALANCE',
  budget_exceeded: 'QUOTA_EXCEEDED',
  payment_cap_exceeded: 'QUOTA_EXCEEDED',
  invoice_undecodable: 'BAD_REQUEST',
  invoice_amount_missing: 'BAD_REQUEST',
  invoice_amount_fixed: 'BAD_REQUEST',
  invoice_wrong_network: 'UNSUPPORTED_NETWORK',
  wallet_inactive: 'RESTRICTED',
  account_restricted: 'RESTRICTED',
  withdrawals_stopped: 'RESTRICTED',
  forbidden: 'RESTRICTED',
  unauthorized: 'UNAUTHORIZED',
  not_found: 'NOT_FOUND',
  not_supported: 'NOT_IMPLEMENTED',
  payment_failed: 'PAYMENT_FAILED',
  too_many_payments: 'RATE_LIMITED',
  too_many_holds: 'RATE_LIMITED',
  too_many_invoices: 'RATE_LIMITED',
  ledger_busy: 'RATE_LIMITED',
};

/** Returns the error of a refused request; undefined for any other error, whose outcome is unknown. */
export function asNwcError(error: unknown): NwcError | undefined {
  if (error instanceof NwcError) return error;
  if (error instanceof NodeUnavailable) return new NwcError('OTHER', 'The Lightning node cannot be reached. This request sent nothing.');
  if (error instanceof Refusal) return new NwcError(CODES[error.type] ?? 'OTHER', error.message);
  return undefined;
}
