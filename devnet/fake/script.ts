import type { FailureReason } from '../../src/core/lightning/node.ts';
import type { CallFault } from './faults.ts';
import type { AfterReport } from './tables.ts';

/** The behavior of one outgoing payment of our node. An empty script succeeds at once. */
export interface PaymentScript {
  /** The payment fails with this reason. No money leaves the node. */
  readonly fail?: FailureReason;
  /** The payment stays pending for this long. */
  readonly delayMs?: number;
  /** The payment stays pending until `resolveHold`, as with a hold invoice. */
  readonly hold?: boolean;
  /** The node registers the payment and never sends it: it stays pending, and no channel carries it. */
  readonly stuck?: boolean;
  /** The routing fee: msat, `limit` (the fee limit) or `double` (equal to the amount). A fee above the limit fails with NO_ROUTE. */
  readonly fee?: number | 'limit' | 'double';
  /** The node ignores the fee limit, against its contract. The service must handle the excess fee. */
  readonly ignoresFeeLimit?: boolean;
  /** The node wrongly reports the payment as failed. It succeeds after this delay, and the money leaves the node. */
  readonly lateSuccessMs?: number;
  /** The fault of the first `pay` call. */
  readonly call?: CallFault;
}

/** The behavior of an outside payment of our invoice. */
export interface ArrivalScript {
  /** The amount that arrives, for a payer that overpays or underpays. */
  readonly arrivesMsat?: number;
  /** Only one part of a multi-part payment arrives. Our node fails it after a minute. */
  readonly partial?: boolean;
  /** The time from the guard's decision to the claim. */
  readonly claimDelayMs?: number;
  /** What happens after our node has reported the settlement. Absent: it is final at once. */
  readonly after?: AfterReport;
}

const REASONS: readonly string[] = [
  'NO_ROUTE',
  'TIMEOUT',
  'RETURNED',
  'INCORRECT_PAYMENT_DETAILS',
  'INSUFFICIENT_BALANCE',
  'ERROR',
  'CANCELED',
] satisfies FailureReason[];

const DEFAULT_LATE_MS = 5_000;

/** Parses the script words of an outside invoice's memo. Ignores other words. */
export function readScript(memo: string): PaymentScript {
  return Object.assign({}, ...memo.split(/\s+/).map(readWord));
}

/** Parses the script words of our invoice's memo. Ignores other words. */
export function readArrival(memo: string): ArrivalScript {
  return Object.assign({}, ...memo.split(/\s+/).map(readArrivalWord));
}

function readArrivalWord(word: string): ArrivalScript {
  const [name, value = ''] = word.split('=', 2) as [string, string?];
  const delayMs = milliseconds(value);
  if (name === 'partial') return { partial: true };
  if (name === 'lost') return { after: { end: 'lost', afterMs: delayMs ?? 0 } };
  if (name === 'unproven') return { after: { end: 'unproven', afterMs: delayMs ?? 0 } };
  if (name === 'final-delay' && delayMs !== undefined) return { after: { end: 'final', afterMs: delayMs } };
  if (name === 'claim-delay' && delayMs !== undefined) return { claimDelayMs: delayMs };
  if (name === 'arrives' && /^[1-9]\d{0,14}$/.test(value)) return { arrivesMsat: Number(value) };
  return {};
}

function readWord(word: string): PaymentScript {
  const [name, value = ''] = word.split('=', 2) as [string, string?];
  switch (name) {
    case 'fail':
      return { fail: REASONS.includes(value) ? (value as FailureReason) : 'NO_ROUTE' };
    case 'delay':
      return { delayMs: milliseconds(value) ?? 0 };
    case 'hold':
      return { hold: true };
    case 'stuck':
      return { stuck: true };
    case 'hang':
      return { hold: true, call: { hang: true } };
    case 'fee':
      return feeOf(value);
    case 'late-success':
      return { lateSuccessMs: milliseconds(value) ?? DEFAULT_LATE_MS };
    case 'lose-answer':
      return { call: { lose: 'answer' } };
    case 'lose-call':
      return { call: { lose: 'call' } };
    case 'unavailable':
      return { call: { unavailable: true } };
    default:
      return {};
  }
}

function feeOf(value: string): PaymentScript {
  if (value === 'limit' || value === 'double') return { fee: value };
  if (value === 'above') return { fee: 'double', ignoresFeeLimit: true };
  return /^\d{1,15}$/.test(value) ? { fee: Number(value) } : {};
}

function milliseconds(seconds: string): number | undefined {
  return /^\d{1,6}(\.\d{1,3})?$/.test(seconds) ? Math.round(Number(seconds) * 1000) : undefined;
}
