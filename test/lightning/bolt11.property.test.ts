import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bolt11Draft, type Bolt11Field, encodeBolt11, numberWords, ordinaryFields } from '../../devnet/fake/bolt11-encoder.ts';
import { type Bolt11, canonicalText, decodeBolt11, InvalidInvoice, unverifiedPaymentHash } from '../../src/core/lightning/bolt11/bolt11.ts';
import { forgeWords, SPEC_PAYEE, SPEC_PRIVATE_KEY } from '../support/bolt11-forgery.ts';

const ORDINARY = ordinaryFields({ paymentHash: 'ab'.repeat(32), paymentSecret: '11'.repeat(32), description: 'coffee' });

function invoice(fields: readonly Bolt11Field[] = ORDINARY, rest: Partial<Bolt11Draft> = {}): string {
  return encodeBolt11({ network: 'regtest', timestamp: 1_700_000_000, privateKey: SPEC_PRIVATE_KEY, fields, ...rest });
}

/** Returns the decoded invoice, or the reason of its rejection. Any other error fails the test. */
function attempt(text: string): Bolt11 | string {
  try {
    return decodeBolt11(text);
  } catch (error) {
    if (error instanceof InvalidInvoice) return error.message;
    throw error;
  }
}

describe('BOLT11, whatever comes', () => {
  const hex32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
  const word = fc.integer({ min: 0, max: 31 });
  const words = fc.array(word, { maxLength: 120 });

  it('ends the search for the payment hash of any text, and finds that of every text that decodes', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 200 }),
      words.map((all) => `lnbcrt1${bech32.encode('x', all, false).slice(2)}`),
    );
    fc.assert(fc.property(text, (any) => [undefined, 64].includes(unverifiedPaymentHash(canonicalText(any) ?? any)?.length)));
    fc.assert(
      fc.property(hex32, fc.array(fc.constantFrom<Bolt11Field>(...ORDINARY.slice(1)), { maxLength: 4 }), (paymentHash, before) => {
        const fields = [...before, ...ordinaryFields({ paymentHash, paymentSecret: '11'.repeat(32), description: 'tea' })];
        expect(unverifiedPaymentHash(invoice(fields))).toBe(paymentHash);
      }),
    );
  });

  it('gives back what was encoded', () => {
    const draft = fc.record({
      network: fc.constantFrom('bitcoin', 'testnet', 'signet', 'regtest'),
      amountMsat: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
      timestamp: fc.integer({ min: 0, max: 2 ** 35 - 1 }),
      paymentHash: hex32,
      paymentSecret: hex32,
      description: fc.string({ unit: 'grapheme', maxLength: 60 }),
      expirySeconds: fc.integer({ min: 0, max: 2 ** 40 }),
      minFinalCltvExpiry: fc.integer({ min: 0, max: 10_000 }),
      highS: fc.boolean(),
    });
    fc.assert(
      fc.property(draft, ({ amountMsat, highS, ...rest }) => {
        const { network, timestamp, expirySeconds, minFinalCltvExpiry } = rest;
        const fields: Bolt11Field[] = [...ordinaryFields(rest), ['x', numberWords(expirySeconds)], ['c', numberWords(minFinalCltvExpiry)]];
        const text = encodeBolt11({
          network,
          timestamp,
          fields,
          highS,
          privateKey: SPEC_PRIVATE_KEY,
          ...(amountMsat === undefined ? {} : { amountMsat }),
        });
        expect(decodeBolt11(text)).toMatchObject({ ...rest, amountMsat, payee: SPEC_PAYEE, expiresAt: timestamp + expirySeconds });
      }),
    );
  });

  it('refuses every change of a single character', () => {
    const text = invoice(ORDINARY, { amountMsat: 21_000 });
    const anyCharacter = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
    const other = fc.oneof(fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l1 BO'), anyCharacter);
    fc.assert(
      fc.property(fc.nat(text.length - 1), other, (at, character) => {
        fc.pre(character !== text.charAt(at));
        expect(attempt(text.slice(0, at) + character + text.slice(at + 1))).toBeTypeOf('string');
      }),
      { numRuns: 2_000 },
    );
  });

  it('never takes a change of the signed words for the payee’s, however the checksum is mended', () => {
    const text = invoice(ORDINARY, { amountMsat: 21_000 });
    const length = bech32.decode(text, false).words.length - 104;
    fc.assert(
      fc.property(fc.nat(length - 1), fc.integer({ min: 1, max: 31 }), (at, mask) => {
        const forged = attempt(forgeWords(text, (signed) => signed.with(at, (signed[at] ?? 0) ^ mask)));
        if (typeof forged !== 'string') expect(forged.payee).not.toBe(SPEC_PAYEE);
      }),
    );
  });

  it('throws nothing but InvalidInvoice, whose message never repeats the input', () => {
    const prefix = fc.constantFrom('lnbc', 'lnbcrt1', 'lntb20m', 'lntbs9p', 'lnurl', 'ln');
    const fields = fc.array(fc.tuple(fc.constantFrom(...'pshdnxc9mrf2'), words), { maxLength: 6 });
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((text) => `lnbc1${text}`),
      fc.tuple(prefix, fc.array(word, { maxLength: 400 })).map(([hrp, data]) => bech32.encode(hrp, data, false)),
      fields.map((drawn) => invoice([...ORDINARY, ...drawn])),
      fields.map((drawn) => invoice(drawn, { signature: new Uint8Array(65).fill(1) })),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const reason = attempt(text);
        if (typeof reason !== 'string') return;
        expect(reason.length).toBeLessThan(80);
        if (text.length > 20) expect(reason).not.toContain(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
