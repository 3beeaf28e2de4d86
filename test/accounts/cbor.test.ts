import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCbor } from '../../src/accounts/login/cbor.ts';
import { cbor } from './authenticator.ts';

const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.uniqueArray(fc.integer({ min: -300, max: 300 }), { maxLength: 5 }).map((keys) => new Map(keys.map((key) => [key, `${key}`]))),
  ),
}));

it('reads what was encoded, and where it ends', () => {
  fc.assert(
    fc.property(anyValue, fc.uint8Array({ maxLength: 5 }), (value, rest) => {
      const bytes = cbor(value as never);
      const read = readCbor(Buffer.concat([bytes, rest]));
      expect(read.end).toBe(bytes.length);
      expect(cbor(read.value as never)).toEqual(bytes);
    }),
  );
});

it('rejects every value that ends too early, and any bytes with an Error only', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const bytes = cbor(value as never);
      for (let length = 0; length < bytes.length; length++) expect(() => readCbor(bytes.subarray(0, length))).toThrow();
    }),
    { numRuns: 30 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        expect(readCbor(bytes).end).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['an indefinite length', '5f4101ff'],
  ['a tag', 'c001'],
  ['a fraction', 'fb3ff0000000000000'],
  ['an unknown simple value', 'f7'],
  ['a number above 2^53', '1bffffffffffffffff'],
  ['a key twice', 'a201010102'],
  ['a key that is a list', 'a18001'],
  ['a length of 4 GB', '9affffffff'],
  ['a text that is not UTF-8', '61ff'],
  ['lists in lists', `${'81'.repeat(10)}00`],
])('rejects %s', (_, hex) => {
  expect(() => readCbor(Buffer.from(hex, 'hex'))).toThrow();
});
