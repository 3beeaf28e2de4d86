import { describe, expect, it } from 'vitest';
import { readMsat, readWhole } from '../../../src/core/lightning/lnd/values.ts';

describe('the 64-bit integers of LND, which are text,', () => {
  it('are read exactly up to 2^53 - 1', () => {
    expect(readMsat('9007199254740991')).toBe(9_007_199_254_740_991);
    expect(readWhole('9007199254740991')).toBe(9_007_199_254_740_991);
    expect(readMsat('0')).toBe(0);
  });

  it.each(['9007199254740993', '9223372036854775807', '1.5', 'NaN'])('are rejected instead of rounded: %s', (text) => {
    expect(() => readMsat(text)).toThrow();
    expect(() => readWhole(text)).toThrow();
  });

  it.each([undefined, ''])('are rejected, not read as 0, if they are absent: %j', (text) => {
    expect(() => readMsat(text)).toThrow();
    expect(() => readWhole(text)).toThrow();
  });
});
