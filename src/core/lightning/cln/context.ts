import type { Datastore } from './datastore.ts';
import type { NodeHistory } from './history.ts';
import type { ClnRpc } from './rpc.ts';

/** The waits of the adapter. Tests shorten them. */
export interface ClnTiming {
  /** How long a call of `pay` waits for the end of the payment. Less than the service's limit for a call, 60 s. */
  readonly waitMs: number;
  /** How long nothing may be in flight before a payment with a lost response has failed. Longer than `xpay` keeps trying. */
  readonly quietMs: number;
  /** A dead connection is not reported, so another call checks it at this interval. */
  readonly heartbeatMs: number;
}

/** `xpay` starts no new part after this time, unless a setting changes it. A part that is in flight then may take longer. */
export const ATTEMPTS_SECONDS = 40;

/** `quietMs` covers the attempts and a slow response. */
export function clnTiming(attemptsSeconds: number): ClnTiming {
  return { waitMs: 50_000, quietMs: (attemptsSeconds + 30) * 1000, heartbeatMs: 15_000 };
}

/** What the parts of the adapter share. */
export interface ClnContext {
  readonly rpc: ClnRpc;
  readonly datastore: Datastore;
  readonly history: NodeHistory;
  readonly timing: ClnTiming;
  readonly attemptsSeconds: number;
}
