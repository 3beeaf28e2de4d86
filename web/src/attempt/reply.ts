import type { Reply, Settled } from './attempt.ts';

/** The fields of a response with a payment that matter here. */
interface PaymentBody {
  readonly id?: unknown;
  readonly status?: unknown;
  readonly failure_reason?: unknown;
  readonly fee_msat?: unknown;
  readonly service_fee_msat?: unknown;
  readonly success_action?: unknown;
  readonly lnTx?: PaymentBody | null;
  readonly wtx_transfer_out?: unknown;
}

/** An error object of the service. Errors of a proxy between have no request id. */
interface ErrorBody {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly requestId: string;
  readonly walletTransactionId?: string | undefined;
}

/** Returns what a successful response to `withdraw`, `payLnurl`, `keysend` or `transfer` says. */
export function replyToRequest(httpStatus: number, body: unknown): Reply {
  if (!isObject(body) || (httpStatus !== 201 && httpStatus !== 202)) return { kind: 'lost' };
  if (isObject(body.wtx_transfer_out)) return { kind: 'settled', settled: { feeMsat: 0 } };
  return isObject(body.lnTx) ? replyOfTransaction(body) : { kind: 'lost' };
}

/** Returns what a wallet transaction of the history says. */
export function replyOfTransaction(transaction: PaymentBody): Reply {
  const payment = transaction.lnTx ?? undefined;
  const lntxId = textOf(payment?.id);
  if (transaction.status === 'settled') return { kind: 'settled', settled: { ...settledOf(payment), lntxId } };
  if (transaction.status === 'pending') return { kind: 'pending', lntxId };
  if (transaction.status !== 'failed') return { kind: 'lost' };
  return { kind: 'failed', failed: { reason: textOf(transaction.failure_reason) ?? 'ERROR', wtxId: textOf(transaction.id), lntxId } };
}

/** Returns what `GET /v1/lntx/{id}` says. */
export function replyOfPayment(payment: PaymentBody): Reply {
  const lntxId = textOf(payment.id);
  if (payment.status === 'settled') return { kind: 'settled', settled: { ...settledOf(payment), lntxId } };
  if (payment.status === 'failed') return { kind: 'failed', failed: { reason: textOf(payment.failure_reason) ?? 'ERROR', lntxId } };
  return payment.status === 'pending' ? { kind: 'pending', lntxId } : { kind: 'lost' };
}

/** Returns what a failed request says. Only an error object of the service says anything. */
export function replyOfError(error: unknown): Reply {
  if (!isErrorBody(error)) return { kind: 'lost' };
  const { status, type, message, requestId, walletTransactionId: wtxId } = error;
  if (type === 'payment_failed')
    return { kind: 'failed', failed: { reason: /FAILURE_REASON_([A-Z_]+)/.exec(message)?.[1] ?? 'ERROR', wtxId } };
  // Nothing was executed after a 4xx and a 503. After any other error the outcome is unknown.
  if ((status < 400 || status >= 500) && status !== 503) return { kind: 'lost' };
  return { kind: 'refused', refusal: { status, type, message, requestId } };
}

function settledOf(payment: PaymentBody | undefined): Settled {
  const feeMsat = typeof payment?.fee_msat === 'number' ? payment.fee_msat : null;
  const action = payment?.success_action;
  const serviceFeeMsat = payment?.service_fee_msat;
  return {
    feeMsat,
    ...(typeof serviceFeeMsat === 'number' && serviceFeeMsat > 0 && { serviceFeeMsat }),
    ...(isObject(action) && typeof action.tag === 'string' && { successAction: { ...action, tag: action.tag } }),
  };
}

function isErrorBody(error: unknown): error is ErrorBody {
  return (
    error instanceof Error &&
    error.name === 'SatchelError' &&
    'status' in error &&
    typeof error.status === 'number' &&
    'type' in error &&
    typeof error.type === 'string' &&
    'requestId' in error &&
    typeof error.requestId === 'string'
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
