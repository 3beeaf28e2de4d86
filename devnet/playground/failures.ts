import type { Option_PaymentFailureReasonZ } from 'lightningdevkit';
import { Option_PaymentFailureReasonZ_Some, PaymentFailureReason, RetryableSendFailure } from 'lightningdevkit';
import type { FailureReason } from '../../src/lightning/node.ts';

/**
 * Why LDK sent nothing at all. `DuplicatePayment` has no reason: the payment is known to LDK, so it is under way.
 * Self-payments, unknown destinations, fee limits that no route meets, and more than 483 payments in flight are all `RouteNotFound`.
 */
export function sendFailure(error: RetryableSendFailure): FailureReason | undefined {
  switch (error) {
    case RetryableSendFailure.LDKRetryableSendFailure_RouteNotFound:
      return 'NO_ROUTE';
    case RetryableSendFailure.LDKRetryableSendFailure_PaymentExpired:
      return 'TIMEOUT';
    case RetryableSendFailure.LDKRetryableSendFailure_DuplicatePayment:
      return undefined;
    default:
      return 'ERROR';
  }
}

/** Why a payment that was sent failed. */
export function paymentFailure(reason: Option_PaymentFailureReasonZ): FailureReason {
  switch (reason instanceof Option_PaymentFailureReasonZ_Some ? reason.some : undefined) {
    case PaymentFailureReason.LDKPaymentFailureReason_RecipientRejected:
      return 'INCORRECT_PAYMENT_DETAILS';
    case PaymentFailureReason.LDKPaymentFailureReason_RouteNotFound:
    case PaymentFailureReason.LDKPaymentFailureReason_RetriesExhausted:
      return 'NO_ROUTE';
    case PaymentFailureReason.LDKPaymentFailureReason_UserAbandoned:
    case PaymentFailureReason.LDKPaymentFailureReason_PaymentExpired:
      return 'TIMEOUT';
    default:
      return 'ERROR';
  }
}
