import { NwcError } from './errors.ts';

const MAX_LENGTH = 16_384;

/**
 * Returns the BOLT11 invoice of a payment URI (BIP-321), or of the invoice itself.
 * @throws NwcError UNSUPPORTED_PAYMENT_INSTRUCTION if there is none, or the URI requires something else
 */
export function readInvoiceOfUri(payment: string): string {
  const text = payment.trim();
  if (text.length > MAX_LENGTH) throw new NwcError('BAD_REQUEST', `payment must have at most ${MAX_LENGTH} characters.`);
  const [, query] = /^bitcoin:[^?]*(?:\?(.*))?$/is.exec(text) ?? [undefined, undefined];
  if (!/^bitcoin:/i.test(text)) return requireInvoice(text.replace(/^lightning:/i, ''));
  let invoice: string | undefined;
  for (const [name, value] of new URLSearchParams(query ?? '')) {
    const key = name.toLowerCase();
    // A parameter that a payer must understand. req-pop requires a proof of payment, which this service does not send.
    if (key.startsWith('req-'))
      throw new NwcError('UNSUPPORTED_PAYMENT_INSTRUCTION', `The URI requires ${key}, which this service does not support.`);
    if (key === 'lightning' && value !== '') invoice ??= value;
  }
  if (invoice === undefined)
    throw new NwcError('UNSUPPORTED_PAYMENT_INSTRUCTION', 'The URI has no Lightning invoice. This service pays BOLT11 invoices only.');
  return requireInvoice(invoice);
}

function requireInvoice(text: string): string {
  if (/^ln(bc|tb|tbs|bcrt|sb)/i.test(text)) return text;
  throw new NwcError('UNSUPPORTED_PAYMENT_INSTRUCTION', 'This service pays BOLT11 invoices only.');
}
