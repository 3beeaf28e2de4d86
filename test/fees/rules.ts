import fc from 'fast-check';
import type { ServiceFeeRule } from '../../src/core/fees/fee-rule.ts';
import { msat } from '../../src/core/kernel/money.ts';

/** Any rule of a fee. */
export const anyRule: fc.Arbitrary<ServiceFeeRule> = fc
  .record({
    flatMsat: fc.nat({ max: 100_000 }).map(msat),
    proportionalMillionths: fc.oneof(fc.nat({ max: 1_000_000 }), fc.nat({ max: 50_000 })),
    minMsat: fc.nat({ max: 50_000 }).map(msat),
    room: fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined }),
    freeBelowMsat: fc.nat({ max: 200_000 }).map(msat),
  })
  .map(({ room, ...rule }) => ({ ...rule, maxMsat: room === undefined ? undefined : msat(rule.minMsat + room) }));
