/**
 * A payment request that is not a well-formed, signed BOLT11 invoice. The message states the reason without repeating the input, and there is
 * no `cause`, so it is safe to show and to log.
 */
export class InvalidInvoice extends Error {
  override readonly name = 'InvalidInvoice';
}
