import { NodeUnavailable, NotPermitted } from '../node.ts';

/** An error that LND returned, as text. */
export class LndError extends Error {
  override readonly name = 'LndError';
  /** The text without the prefix of the message. */
  readonly text: string;
  /** Whether LND's handler of the call returned it, in place of a response. Otherwise LND's gateway or a proxy may have made it. */
  readonly isOfHandler: boolean;

  constructor(text: string, isOfHandler = false) {
    super(`LND answered: ${text.slice(0, 300)}`);
    this.text = text;
    this.isOfHandler = isOfHandler;
  }
}

/** The HTTP status of the gRPC codes with which LND's handlers return their errors: `Unknown` and `InvalidArgument`. */
const HANDLER_STATUS: Readonly<Record<number, number>> = { 2: 500, 3: 400 };

/**
 * Reads the response to a failed call. Plain calls and streams have different bodies of errors. Only the exact form of LND counts as an error
 * of its handler: other codes are those of broken connections and timeouts, and a proxy may answer with JSON and any status.
 */
export function readError(status: number, text: string): LndError {
  try {
    const body = JSON.parse(text) as ErrorBody & { readonly error?: ErrorBody };
    const { code, message, details } = body.error ?? body;
    const isOfHandler = typeof code === 'number' && HANDLER_STATUS[code] === status && Array.isArray(details);
    if (typeof message === 'string') return new LndError(message, isOfHandler);
  } catch {
    // The response is not from LND.
  }
  return new LndError(`HTTP status ${status} without an error of LND`);
}

interface ErrorBody {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

/**
 * The beginnings of error texts, and what they mean. LND uses the same status and code for nearly all errors. Every other text is an unknown
 * outcome.
 * - `not_ready`, `forbidden`: the call did nothing.
 * - `expired`: the invoice has expired.
 * - `payment_exists`: a request to send a payment did nothing, because the node has a record of the payment hash. The record has the outcome.
 * - `no_payment`, `no_invoice`: the node has no such record.
 * - `invoice_exists`: the node has an invoice with this preimage.
 * - `htlc_unresolved`: the node has stored no final resolution of the HTLC.
 * - `resolutions_not_stored`: the node stores none.
 * - `no_route`: no route has been found.
 */
export const LND_ERRORS = [
  ['waiting to start, RPC services not available', 'not_ready'],
  ['wallet not created, create one to enable full RPC access', 'not_ready'],
  ['wallet locked, unlock it to enable full RPC access', 'not_ready'],
  ['the RPC server is in the process of starting up, but not yet ready to accept calls', 'not_ready'],

  ['permission denied', 'forbidden'],
  ['expected 1 macaroon, got 0', 'forbidden'],
  ['cannot determine data format of binary-encoded macaroon', 'forbidden'],
  ['verification failed: signature mismatch after caveat verification', 'forbidden'],
  ['cannot retrieve macaroon: cannot get macaroon: root key with id', 'forbidden'],

  ['payment already exists', 'payment_exists'],
  ['payment is in transition', 'payment_exists'],
  ['invoice is already paid', 'payment_exists'],

  ['invoice expired. Valid until', 'expired'],

  ["payment isn't initiated", 'no_payment'],
  ['unable to locate invoice', 'no_invoice'],
  ['invoice with payment hash already exists', 'invoice_exists'],
  ['htlc unknown', 'htlc_unresolved'],
  ['cannot lookup with flag --store-final-htlc-resolutions=false', 'resolutions_not_stored'],
  ['unable to find a path to destination', 'no_route'],
  ['insufficient local balance', 'no_route'],
] as const;

/** Returns the meaning of an error; undefined: unknown. */
export function meaningOf(error: unknown): (typeof LND_ERRORS)[number][1] | undefined {
  if (!(error instanceof LndError)) return undefined;
  return LND_ERRORS.find(([text]) => error.text.startsWith(text))?.[1];
}

/** Turns an error into a NodeUnavailable if the call certainly did nothing. */
export function toNodeError(error: LndError): Error {
  const meaning = meaningOf(error);
  if (meaning === 'not_ready') return new NodeUnavailable(`LND is not ready: ${error.text}`);
  if (meaning !== 'forbidden') return error;
  return new NotPermitted(
    `LND does not accept the macaroon of LIGHTNING_URL (${error.text}): create one at this node, with the command in docs/lightning/lnd.md`,
  );
}
