import type { FailureReason } from '../../src/lightning/node.ts';
import type { CallFault } from './faults.ts';

/** What becomes of one payment of our node to the outside. Without anything: it succeeds at once. */
export interface PaymentScript {
  /** It ends failed, for this reason, and no money leaves. */
  readonly fail?: FailureReason;
  /** It ends only after this long; until then it is pending. */
  readonly delayMs?: number;
  /** Pending until `resolveHold`, as with a hold invoice. */
  readonly hold?: boolean;
  /** What routing costs, in msat, or all that is allowed, or `double`: as much as the amount. Above the limit there is no route. */
  readonly fee?: number | 'limit' | 'double';
  /** The node takes a route above the fee limit all the same: a lie that the service must cope with. */
  readonly ignoresFeeLimit?: boolean;
  /** A lie: first reported failed, this long before it succeeds and the money is gone. */
  readonly lateSuccessMs?: number;
  /** What happens to the first call that pays it. */
  readonly call?: CallFault;
}

/** How an outside payment of our invoice arrives. */
export interface ArrivalScript {
  /** What arrives, if it is not what the invoice states: a payer that over- or underpays. */
  readonly arrivesMsat?: number;
  /** Only a part of it ever arrives (MPP): our node keeps it for a minute, then sends it back. */
  readonly partial?: boolean;
  /** Our node takes this long to claim it once the guard has said so. */
  readonly claimDelayMs?: number;
}

const REASONS: readonly string[] = [
  'NO_ROUTE',
  'TIMEOUT',
  'INCORRECT_PAYMENT_DETAILS',
  'INSUFFICIENT_BALANCE',
  'ERROR',
  'CANCELED',
] satisfies FailureReason[];

const DEFAULT_LATE_MS = 5_000;

/** Reads the words of a memo that say what becomes of the invoice's payment; other words mean nothing. */
export function readScript(memo: string): PaymentScript {
  return Object.assign({}, ...memo.split(/\s+/).map(readWord));
}

/** The same for the memo of an invoice of ours. */
export function readArrival(memo: string): ArrivalScript {
  return Object.assign({}, ...memo.split(/\s+/).map(readArrivalWord));
}

function readArrivalWord(word: string): ArrivalScript {
  const [name, value = ''] = word.split('=', 2) as [string, string?];
  const delayMs = milliseconds(value);
  if (name === 'partial') return { partial: true };
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
