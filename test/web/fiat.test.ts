import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceToMsat } from '../../src/core/kernel/fiat.ts';
import { PER_BTC_PATTERN } from '../../src/features/operator/fiat-rate-routes.ts';
import { groupDecimal } from '../../web/src/parts/decimal.ts';
import { plainNumbers } from '../../web/src/parts/format-amount.ts';
import { describeRate, formatFiat, isPrice, oldAge, satsOf } from '../../web/src/parts/format-fiat.ts';

const BTC = 100_000_000_000n;
const EUR = { currency: 'EUR', perBtc: '61234.50' };
const DECIMALS = { EUR: 2, JPY: 0, KWD: 3 } as const;

/** 21 million bitcoins. */
const msat = fc.bigInt({ min: -21_000_000n * BTC, max: 21_000_000n * BTC });
const currency = fc.constantFrom(...(Object.keys(DECIMALS) as (keyof typeof DECIMALS)[]));
const perBtc = fc
  .tuple(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), fc.option(fc.stringMatching(/^[0-9]{1,8}$/), { nil: undefined }))
  .map(([whole, decimals]) => (decimals === undefined ? `${whole}` : `${whole}.${decimals}`))
  .filter((text) => new RegExp(PER_BTC_PATTERN).test(text));
const rate = fc.record({ currency, perBtc });

/** The slow reference implementation: multiplies and rounds decimal texts digit by digit, as on paper. Returns whole smallest units. */
function worthOnPaper(amount: string, price: string, decimals: number): string {
  const [whole = '', fraction = ''] = price.split('.');
  const product = timesOnPaper(amount, whole + fraction);
  // The product counts 10^-(11 + decimals of the price); 11 digits are the msat of a bitcoin.
  const dropped = 11 + fraction.length - decimals;
  const padded = product.padStart(dropped + 1, '0');
  const [kept, first] = [padded.slice(0, padded.length - dropped), padded.charAt(padded.length - dropped)];
  return withoutZeros(first >= '5' ? plusOne(kept) : kept);
}

function timesOnPaper(a: string, b: string): string {
  const digits = new Array<number>(a.length + b.length).fill(0);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const sum = Number(a[i]) * Number(b[j]) + (digits[i + j + 1] ?? 0);
      digits[i + j + 1] = sum % 10;
      digits[i + j] = (digits[i + j] ?? 0) + Math.floor(sum / 10);
    }
  }
  return digits.join('');
}

function plusOne(digits: string): string {
  const nines = /9*$/.exec(digits)?.[0].length ?? 0;
  const head = digits.slice(0, digits.length - nines) || '0';
  return `${head.slice(0, -1)}${Number(head.at(-1)) + 1}${'0'.repeat(nines)}`;
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=.)/, '');
}

/** The digits of a formatted value, without its point. */
function unitsOf(text: string): string {
  return withoutZeros(plainNumbers(text).replace(/^[-+]/, '').replace('.', ''));
}

describe('fiat values', () => {
  it.each([
    [BTC, EUR, '61\u202f234.50'],
    [1_284_530_000n, EUR, '786.58'],
    [0n, EUR, '0.00'],
    [1n, EUR, '< 0.01'],
    [-1n, EUR, '< 0.01'],
    [-BTC / 2n, EUR, '\u221230\u202f617.25'],
    [BTC, { currency: 'JPY', perBtc: '14500000.5' }, '14\u202f500\u202f001'],
    [100_000n, { currency: 'JPY', perBtc: '14500000' }, '15'],
    [1_000n, { currency: 'JPY', perBtc: '14500000' }, '< 1'],
    [BTC, { currency: 'KWD', perBtc: '18000.1235' }, '18\u202f000.124'],
    [BTC, { currency: 'EUR', perBtc: '0.005' }, '0.01'],
    [BTC, { currency: 'EUR', perBtc: '0.00499999' }, '< 0.01'],
    [
      21_000_000n * BTC,
      { currency: 'USD', perBtc: '999999999999999.99' },
      '20\u202f999\u202f999\u202f999\u202f999\u202f999\u202f790\u202f000.00',
    ],
  ])('of %s msat at %j are %s', (amount, at, text) => {
    expect(formatFiat(amount, at)).toBe(text);
  });

  it('are rounded as on paper, for every amount, rate and number of decimals', () => {
    fc.assert(
      fc.property(msat, rate, (amount, at) => {
        const magnitude = String(amount < 0n ? -amount : amount);
        const expected = worthOnPaper(magnitude, at.perBtc, DECIMALS[at.currency]);
        const shown = formatFiat(amount, at);
        if (expected === '0' && amount !== 0n) expect(shown).toMatch(/^< (0\.0*)?1$/);
        else expect(unitsOf(shown)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('are the same for an amount in and out, but for the sign', () => {
    fc.assert(
      fc.property(msat, rate, (amount, at) => {
        const [shown, opposite] = [formatFiat(amount, at), formatFiat(-amount, at)];
        expect(shown.replace('\u2212', '')).toBe(opposite.replace('\u2212', ''));
        expect(shown.startsWith('\u2212') && opposite.startsWith('\u2212')).toBe(false);
      }),
    );
  });

  it('never decrease when the amount grows', () => {
    fc.assert(
      fc.property(msat, fc.bigInt({ min: 0n, max: BTC }), rate, (amount, more, at) => {
        const value = (of: bigint) => (formatFiat(of, at).startsWith('<') ? 0n : BigInt(plainNumbers(formatFiat(of, at)).replace('.', '')));
        expect(value(amount + more) >= value(amount)).toBe(true);
      }),
    );
  });

  it('have the decimals of the currency', () => {
    fc.assert(
      fc.property(msat, rate, (amount, at) => {
        expect(plainNumbers(formatFiat(amount, at)).split('.')[1]?.length ?? 0).toBe(DECIMALS[at.currency]);
      }),
    );
  });

  it('have a plus only if it is asked for, and not for nothing', () => {
    expect([formatFiat(BTC, EUR, true), formatFiat(BTC, EUR), formatFiat(0n, EUR, true), formatFiat(-0n, EUR, true)]).toEqual([
      '+61\u202f234.50',
      '61\u202f234.50',
      '0.00',
      '0.00',
    ]);
  });
});

describe('a rate', () => {
  const now = 1_767_225_600_000;
  const setAgo = (seconds: number) => ({ ...EUR, setAt: now / 1000 - seconds });

  it.each([
    [0, 'less than a minute'],
    [119, '1 min'],
    [3_599, '59 min'],
    [3_600, '1 h'],
    [86_400, '24 h'],
    [172_799, '47 h'],
    [172_800, '2 days'],
    [31_536_000, '365 days'],
    [-60, 'less than a minute'],
  ])('is described with its price and its age: set %d s ago', (seconds, age) => {
    expect(describeRate(setAgo(seconds), now)).toBe(`1 BTC = 61\u202f234.50 EUR, set by the operator ${age} ago`);
  });

  it('is old after 24 hours', () => {
    expect([86_399, 86_400, 86_401, 172_800].map((seconds) => oldAge(setAgo(seconds), now))).toEqual([
      undefined,
      undefined,
      '24 h',
      '2 days',
    ]);
  });

  it('is grouped and keeps every digit', () => {
    expect(['0.00000001', '999', '1000', '14500000.50'].map(groupDecimal)).toEqual([
      '0.00000001',
      '999',
      '1\u202f000',
      '14\u202f500\u202f000.50',
    ]);
    fc.assert(
      fc.property(perBtc, (text) => {
        expect(plainNumbers(groupDecimal(text))).toBe(text);
      }),
    );
  });
});

describe('entered prices', () => {
  it('show the sats that the service computes, rounded up', () => {
    const price = fc
      .tuple(fc.bigInt({ min: 0n, max: 999_999n }), fc.stringMatching(/^[0-9]{2}$/))
      .map(([whole, cents]) => `${whole}.${cents}`);
    fc.assert(
      fc.property(
        price.filter((text) => /[1-9]/.test(text)),
        perBtc,
        (amount, at) => {
          const computed = priceToMsat({ amount, currency: 'EUR' }, at);
          if (computed !== undefined) expect(satsOf(amount, { perBtc: at })).toBe(computed / 1000 > 21e14 ? undefined : computed / 1000);
        },
      ),
    );
  });

  it.each([
    ['12.50', 'EUR', true],
    ['0.01', 'EUR', true],
    ['12', 'EUR', true],
    ['12.505', 'EUR', false],
    ['0.00', 'EUR', false],
    ['0', 'EUR', false],
    ['12,50', 'EUR', false],
    ['-1', 'EUR', false],
    ['012', 'EUR', false],
    ['1e3', 'EUR', false],
    ['12.5', 'JPY', false],
    ['12', 'JPY', true],
    ['1.125', 'KWD', true],
    ['', 'EUR', false],
  ])('accept %s %s: %s', (text, code, isAccepted) => {
    expect(isPrice(text, code)).toBe(isAccepted);
  });

  it('have the source of their rate, and its age once it is stale', () => {
    const shown = { ...EUR, setAt: 1000, source: 'rates.example.com', isStale: true };
    expect(describeRate(shown, 1_660_000)).toBe('1 BTC = 61\u202f234.50 EUR, from rates.example.com, 11 min ago');
    expect([oldAge(shown, 1_660_000), oldAge({ ...shown, isStale: false }, 1_660_000)]).toEqual(['11 min', undefined]);
  });
});
