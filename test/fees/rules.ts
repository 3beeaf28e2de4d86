import fc from 'fast-check';
import type { ServiceFeeRule } from '../../src/core/fees/fee-rule.ts';
import { msat } from '../../src/core/kernel/money.ts';

/** Whole satoshis, or one millisatoshi more or less, in millisatoshis. */
export function nearWholeSat(maxSat: number): fc.Arbitrary<number> {
  return fc.tuple(fc.nat({ max: maxSat }), fc.constantFrom(-1, 0, 1)).map(([sat, difference]) => Math.max(0, sat * 1000 + difference));
}

/** Any rule of a fee. */
export const anyRule: fc.Arbitrary<ServiceFeeRule> = fc
  .record({
    flatMsat: fc.nat({ max: 100_000 }).map(msat),
    proportionalMillionths: fc.oneof(fc.nat({ max: 1_000_000 }), fc.nat({ max: 50_000 })),
    minMsat: fc.nat({ max: 50_000 }).map(msat),
    room: fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined }),
    // Often whole satoshis or one millisatoshi next to them, because most amounts of tests are whole satoshis.
    freeBelowMsat: fc.oneof(fc.nat({ max: 200_000 }), nearWholeSat(200)).map(msat),
  })
  .map(({ room, ...rule }) => ({ ...rule, maxMsat: room === undefined ? undefined : msat(rule.minMsat + room) }));
