/**
 * A payment request that is not a well-formed, signed BOLT11 invoice. The message says what is wrong in words of our own: it never
 * repeats the input, and carries no `cause` that would, so it can be shown and logged as it is.
 */
export class InvalidInvoice extends Error {
  override readonly name = 'InvalidInvoice';
}
