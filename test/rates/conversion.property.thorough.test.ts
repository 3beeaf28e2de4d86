import fc from 'fast-check';
import { expect, it } from 'vitest';
import { minorDigits, msatToPrice, parseDecimal, priceToMsat } from '../../src/core/kernel/fiat.ts';
import { MAX_MSAT, msat } from '../../src/core/kernel/money.ts';

const CURRENCIES = ['EUR', 'JPY', 'KWD', 'CLF'] as const;

/** A decimal text with so many decimals at most, above 0. */
function decimal(wholeDigits: number, decimals: number): fc.Arbitrary<string> {
  const whole = fc.bigInt({ min: 0n, max: 10n ** BigInt(wholeDigits) - 1n }).map(String);
  const fraction = decimals === 0 ? fc.constant('') : fc.stringMatching(new RegExp(`^[0-9]{0,${decimals}}$`));
  return fc
    .tuple(whole, fraction)
    .map(([first, second]) => (second === '' ? first : `${first}.${second}`))
    .filter((text) => /[1-9]/.test(text));
}

/** A fraction of two integers, for a computation that is slow and obvious. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

function fraction(text: string): Fraction {
  let [top, bottom, isAfterPoint] = [0n, 1n, false];
  for (const character of text) {
    if (character === '.') isAfterPoint = true;
    else {
      top = 10n * top + BigInt(character);
      if (isAfterPoint) bottom *= 10n;
    }
  }
  return { top, bottom };
}

/** Returns a multiple of a fraction by another's inverse. */
function quotient(a: Fraction, b: Fraction): Fraction {
  return { top: a.top * b.bottom, bottom: a.bottom * b.top };
}

const isAtLeast = (a: Fraction, b: Fraction) => a.top * b.bottom >= b.top * a.bottom;

const price = fc.constantFrom(...CURRENCIES).chain((currency) => decimal(9, minorDigits(currency)).map((amount) => ({ amount, currency })));
const rate = decimal(10, 8);

it('converts a price to the smallest number of satoshis that is worth at least as much', () => {
  fc.assert(
    fc.property(price, rate, (of, at) => {
      const converted = priceToMsat(of, at);
      const bitcoins = quotient(fraction(of.amount), fraction(at));
      const worth = (sat: bigint) => ({ top: sat, bottom: 100_000_000n });
      if (converted === undefined) {
        expect(isAtLeast(worth(BigInt(MAX_MSAT) / 1000n), bitcoins)).toBe(false);
        return;
      }
      expect(converted % 1000).toBe(0);
      const sat = BigInt(converted) / 1000n;
      expect(sat > 0n && isAtLeast(worth(sat), bitcoins)).toBe(true);
      expect(isAtLeast(worth(sat - 1n), bitcoins)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

it('never converts a higher price to fewer satoshis, nor a price to more at a higher rate', () => {
  const amount = decimal(6, 2);
  fc.assert(
    fc.property(amount, amount, rate, rate, (a, b, x, y) => {
      const convert = (text: string, at: string) => priceToMsat({ amount: text, currency: 'EUR' }, at) ?? MAX_MSAT;
      const [low, high] = (parseDecimal(a, 2) ?? 0n) < (parseDecimal(b, 2) ?? 0n) ? [a, b] : [b, a];
      expect(convert(low, x)).toBeLessThanOrEqual(convert(high, x));
      const [cheap, dear] = (parseDecimal(x, 8) ?? 0n) < (parseDecimal(y, 8) ?? 0n) ? [x, y] : [y, x];
      expect(convert(a, dear)).toBeLessThanOrEqual(convert(a, cheap));
    }),
  );
});

it('shows an amount as the largest price that it is worth, with the minor digits of its currency', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.constantFrom(...CURRENCIES), rate, (amountMsat, currency, at) => {
      const shown = msatToPrice(msat(amountMsat), currency, at);
      const digits = minorDigits(currency);
      expect(shown).toMatch(digits === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${digits}}$`));
      // 0 ≤ worth − shown < a minor unit, in units of both denominators.
      const { top, bottom } = fraction(at);
      const worth = { top: BigInt(amountMsat) * top, bottom: 100_000_000_000n * bottom };
      const own = fraction(shown);
      const rest = worth.top * own.bottom - own.top * worth.bottom;
      expect(rest >= 0n && rest * 10n ** BigInt(digits) < own.bottom * worth.bottom).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it('shows a price that was converted as itself, unless a satoshi is worth a minor unit or more', () => {
  fc.assert(
    fc.property(decimal(6, 2), fc.integer({ min: 1_000, max: 900_000 }).map(String), (amount, at) => {
      const converted = priceToMsat({ amount, currency: 'EUR' }, at);
      if (converted === undefined) return;
      expect(parseDecimal(msatToPrice(converted, 'EUR', at), 2)).toBe(parseDecimal(amount, 2));
    }),
  );
});

it.each([
  ['0.01', 'EUR', '50000', 20_000],
  ['10', 'EUR', '61234.56789', 16_331_000],
  ['100', 'JPY', '7000000', 1_429_000],
  ['0.001', 'KWD', '18000.123', 6_000],
  ['0.01', 'EUR', '999999999999999.99999999', 1_000],
  ['900000000000', 'EUR', '1', undefined],
])('converts %s %s at %s', (amount, currency, at, expected) => {
  expect(priceToMsat({ amount, currency }, at)).toBe(expected);
});
