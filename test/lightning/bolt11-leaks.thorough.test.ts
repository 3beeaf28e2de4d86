import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Bolt11Field, encodeBolt11 } from '../../devnet/fake/bolt11-encoder.ts';
import { isPublicKey } from '../../src/core/kernel/secp256k1.ts';
import { decodeBolt11, InvalidInvoice } from '../../src/core/lightning/bolt11/bolt11.ts';
import { SPEC_PAYEE, SPEC_PRIVATE_KEY } from '../support/bolt11-forgery.ts';

const P: Bolt11Field = ['p', Buffer.from('ab'.repeat(32), 'hex')];
const S: Bolt11Field = ['s', Buffer.from('11'.repeat(32), 'hex')];
const D: Bolt11Field = ['d', new TextEncoder().encode('coffee')];
const N: Bolt11Field = ['n', Buffer.from(SPEC_PAYEE, 'hex')];

function invoice(fields: readonly Bolt11Field[], { signature }: { readonly signature?: Uint8Array } = {}): string {
  const draft = { network: 'regtest', timestamp: 1_700_000_000, privateKey: SPEC_PRIVATE_KEY, fields } as const;
  return encodeBolt11({ ...draft, ...(signature && { signature }) });
}

function attempt(text: string): void {
  try {
    decodeBolt11(text);
  } catch (error) {
    if (!(error instanceof InvalidInvoice)) throw error;
  }
}

it('thousands of invoices with impossible keys and signatures leave every other one readable', () => {
  const good = [invoice([P, S, D]), invoice([P, S, D, N])];
  // Each kind may take another path through the library, which may leak something.
  const random = (length: number, seed: number) => createHash('shake256', { outputLength: length }).update(`${seed}`).digest();
  for (let i = 0; i < 4_000; i++) {
    const offCurve = Uint8Array.of(2 + (i % 2), ...new Uint8Array(31), 5);
    const signature = Uint8Array.of(...random(64, i), i % 4);
    attempt(invoice([P, S, D, ['n', i % 3 === 0 ? random(33, i) : offCurve]], { signature }));
    attempt(invoice([P, S, D, N], { signature }));
    attempt(invoice([P, S, D], { signature }));
  }
  for (const text of good) expect(decodeBolt11(text).payee).toBe(SPEC_PAYEE);
  expect(isPublicKey(SPEC_PAYEE)).toBe(true);
});
