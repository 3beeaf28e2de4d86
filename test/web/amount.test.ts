import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMsat, formatSats, plainNumbers } from '../../web/src/parts/format-amount.ts';

/** All bitcoins that will exist, in sats. */
const ALL_SATS = 21e14;
const sats = fc.integer({ min: -ALL_SATS, max: ALL_SATS });
const msat = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });

describe('whole sats', () => {
  it('are grouped by narrow spaces that do not break', () => {
    expect([0, 7, 999, 1000, 1_284_530, ALL_SATS].map((amount) => formatSats(amount))).toEqual([
      '0',
      '7',
      '999',
      '1\u202f000',
      '1\u202f284\u202f530',
      '2\u202f100\u202f000\u202f000\u202f000\u202f000',
    ]);
  });

  it('have a minus sign, and a plus sign only when it is asked for', () => {
    expect([formatSats(-12_460), formatSats(4200), formatSats(4200, { hasPlus: true }), formatSats(0, { hasPlus: true })]).toEqual([
      '\u221212\u202f460',
      '4\u202f200',
      '+4\u202f200',
      '0',
    ]);
    expect(formatSats(-0)).toBe('0');
  });

  it('are the same number after they are copied', () => {
    fc.assert(
      fc.property(sats, fc.boolean(), (amount, hasPlus) => {
        expect(Number(plainNumbers(formatSats(amount, { hasPlus })))).toBe(amount);
      }),
    );
  });

  it('keep every digit in BTC', () => {
    expect([1, -100_000_000, 1_284_530].map((amount) => formatSats(amount, { unit: 'btc' }))).toEqual([
      '0.00\u202f000\u202f001',
      '\u22121.00\u202f000\u202f000',
      '0.01\u202f284\u202f530',
    ]);
    fc.assert(
      fc.property(sats, (amount) => {
        const copied = plainNumbers(formatSats(amount, { unit: 'btc' }));
        expect(copied).toMatch(/^-?\d+\.\d{8}$/);
        expect(BigInt(copied.replace('.', ''))).toBe(BigInt(amount));
      }),
    );
  });
});

describe('millisats', () => {
  it('are exact, without decimals for whole sats', () => {
    expect([14_246, 1, 12_000, 1_000_050, -500].map((amount) => formatMsat(amount))).toEqual([
      '14.246',
      '0.001',
      '12',
      '1\u202f000.050',
      '\u22120.500',
    ]);
  });

  it('keep every digit in BTC, with eleven decimals only if they are no whole sats', () => {
    expect([0, 14_246, -1_284_530_000].map((amount) => formatMsat(amount, { unit: 'btc' }))).toEqual([
      '0.00\u202f000\u202f000',
      '0.00\u202f000\u202f014\u202f246',
      '\u22120.01\u202f284\u202f530',
    ]);
    fc.assert(
      fc.property(msat, (amount) => {
        const [whole = '', decimals = ''] = plainNumbers(formatMsat(amount, { unit: 'btc' })).split('.');
        expect(BigInt(whole + decimals.padEnd(11, '0'))).toBe(BigInt(amount));
      }),
    );
  });

  it('keep every digit', () => {
    fc.assert(
      fc.property(msat, (amount) => {
        const [whole = '', decimals = '000'] = plainNumbers(formatMsat(amount)).split('.');
        expect(BigInt(whole + decimals)).toBe(BigInt(amount));
      }),
    );
  });
});

describe('a copied text', () => {
  it('keeps spaces and dashes that are not part of a number', () => {
    expect(plainNumbers('−85\u202f000 sats\u202f· 3 500 – 4\u202f200, a\u2212b')).toBe('-85000 sats\u202f· 3 500 – 4200, a\u2212b');
  });
});
