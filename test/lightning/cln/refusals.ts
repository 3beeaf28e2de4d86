import { writeFileSync } from 'node:fs';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import { RpcError } from '../../../src/core/lightning/cln/errors.ts';
import type { RegtestNode } from './regtest.ts';

/** An invoice that Core Lightning did not pay, and the error of `xpay`. */
export interface Refusal {
  readonly payment_request: string;
  readonly error: { readonly code: number; readonly message: string };
}

/** Pays refused invoices again, and writes one error of each kind to a file. */
export async function writeRefusals(svc: RegtestNode, refused: readonly string[], file: string): Promise<void> {
  const kinds = new Map<string, Refusal>();
  for (const payment_request of refused) {
    const amount = decodeBolt11(payment_request).amountMsat === undefined ? { amount_msat: 2000 } : {};
    try {
      await svc.rpc('xpay', { invstring: payment_request, maxfee: 1000, retry_for: 5, ...amount });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message } = error;
      const kind = `${code} ${message.replace(/[0-9a-f]{10,}|\d+/g, 'n')}`;
      if (!kinds.has(kind)) kinds.set(kind, { payment_request, error: { code, message } });
    }
  }
  writeFileSync(file, `[\n${Array.from(kinds.values(), (one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`);
}
