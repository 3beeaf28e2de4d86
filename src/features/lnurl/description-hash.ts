import { createHash } from 'node:crypto';

/**
 * Returns the hash to which the invoice of a pay link commits, in hex: the SHA-256 of the metadata and the payer's data in UTF-8.
 * Source: LUD-06, LUD-18.
 */
export function descriptionHash(metadata: string, payerData = ''): string {
  return createHash('sha256').update(metadata).update(payerData).digest('hex');
}
