import fc from 'fast-check';
import type { CallFault, CallName } from '../../devnet/fake/faults.ts';
import type { PaymentScript } from '../../devnet/fake/script.ts';
import type { Fault } from '../support/faulty-database.ts';

/** An action of a customer, an outside payer, the node, the database or the operating system. Numbers are indexes, taken modulo the number of items. */
export type Operation =
  | { readonly do: 'deposit'; readonly wallet: number; readonly msat: number; readonly how: 'exact' | 'more' | 'less' | 'part' | 'open' }
  | { readonly do: 'keysend in'; readonly wallet: number; readonly msat: number; readonly isForNobody: boolean }
  | { readonly do: 'pay'; readonly wallet: number; readonly msat: number; readonly feeLimitMsat?: number; readonly script: PaymentScript }
  | { readonly do: 'pay again'; readonly wallet: number; readonly which: number }
  | { readonly do: 'keysend'; readonly wallet: number; readonly msat: number }
  | { readonly do: 'inside'; readonly from: number; readonly to: number; readonly msat: number; readonly isRaced: boolean }
  | { readonly do: 'transfer'; readonly from: number; readonly to: number; readonly msat: number }
  | { readonly do: 'link'; readonly wallet: number; readonly msat: number; readonly uses?: number; readonly dailyMsat?: number }
  | { readonly do: 'claim'; readonly which: number; readonly msat: number }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'resolve'; readonly which: number; readonly action: 'settle' | 'cancel' }
  | { readonly do: 'time'; readonly ms: number }
  | { readonly do: 'move'; readonly wallet: number; readonly node: number }
  | { readonly do: 'node'; readonly node: number; readonly what: 'restart' | 'down' | 'up' }
  | { readonly do: 'call'; readonly node: number; readonly name: CallName; readonly fault: CallFault }
  | { readonly do: 'database'; readonly fault: Fault }
  | { readonly do: 'resume' }
  | { readonly do: 'pause'; readonly forOperations: number }
  | { readonly do: 'crash'; readonly inSteps: number };

const index = fc.nat(99);
const msat = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 400_000 }));
const delayMs = fc.integer({ min: 1, max: 20_000 });

const script: fc.Arbitrary<PaymentScript> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.record({ fee: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.constantFrom('limit' as const, 'double' as const)) }),
  fc.record({ fail: fc.constantFrom('NO_ROUTE' as const, 'TIMEOUT' as const, 'INCORRECT_PAYMENT_DETAILS' as const) }),
  fc.record({ hold: fc.constant(true) }),
  fc.record({ delayMs }),
  fc.record({ lateSuccessMs: delayMs }),
);

const callFault: fc.Arbitrary<CallFault> = fc.constantFrom<CallFault>(
  { lose: 'call' },
  { lose: 'answer' },
  { unavailable: true },
  { delayMs: 3_000 },
  { hang: true },
);

const databaseFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ statement: fc.integer({ min: 1, max: 12 }), fails: fc.constantFrom('before' as const, 'after' as const) }),
  fc.record({
    commit: fc.integer({ min: 1, max: 3 }),
    fails: fc.constantFrom('refused' as const, 'written, unknown' as const, 'not written, unknown' as const),
  }),
);

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('deposit' as const), wallet: index, msat, how: how() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('keysend in' as const), wallet: index, msat, isForNobody: fc.boolean() }) },
  {
    weight: 16,
    arbitrary: fc.record(
      { do: fc.constant('pay' as const), wallet: index, msat, script, feeLimitMsat: fc.integer({ min: 0, max: 20_000 }) },
      { requiredKeys: ['do', 'wallet', 'msat', 'script'] },
    ),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pay again' as const), wallet: index, which: index }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('keysend' as const), wallet: index, msat }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('inside' as const), from: index, to: index, msat, isRaced: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('transfer' as const), from: index, to: index, msat }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { do: fc.constant('link' as const), wallet: index, msat, uses: fc.integer({ min: 1, max: 3 }), dailyMsat: msat },
      { requiredKeys: ['do', 'wallet', 'msat'] },
    ),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('move' as const), wallet: index, node: index }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), which: index, msat }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: index }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      which: index,
      action: fc.constantFrom('settle' as const, 'cancel' as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 30_000 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('node' as const),
      node: index,
      what: fc.constantFrom('restart' as const, 'down' as const, 'up' as const, 'up' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      node: index,
      name: fc.constantFrom<CallName>('pay', 'pay', 'keysend', 'createInvoice', 'cancelInvoice'),
      fault: callFault,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('database' as const), fault: databaseFault }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('resume' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pause' as const), forOperations: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('crash' as const), inSteps: fc.integer({ min: 0, max: 25 }) }) },
);

function how() {
  return fc.constantFrom(
    'exact' as const,
    'exact' as const,
    'exact' as const,
    'more' as const,
    'less' as const,
    'part' as const,
    'open' as const,
  );
}
