import type { Log } from '../../kernel/log.ts';
import type { LndTransport } from './transport.ts';

/** The waits of the adapter. Tests shorten them. */
export interface LndTiming {
  /** LND makes no new attempts of a payment after this. It does not end an attempt that the receiver holds. */
  readonly attemptsSeconds: number;
  /** How long a call waits for the end of a payment. Less than the service's limit for a call, 60 s. */
  readonly waitMs: number;
  /** For this long after a request with an unclear outcome, LND may still execute it. */
  readonly graceMs: number;
  /** For this long, the first request to send a payment does not read the record before. */
  readonly firstRequestMs: number;
  /** Between two heartbeats. LND does not report that a stream is dead. */
  readonly heartbeatMs: number;
  /** After this, a heartbeat has failed; and so has a stream that did not repeat a known settlement. */
  readonly answerMs: number;
}

/**
 * A process may freeze right before the first request to send a payment, while another instance sends the payment, sees it fail and returns the
 * money. The frozen process must not send it afterwards. The request of the other instance is unclear, so its failure is final only after
 * `graceMs`; `firstRequestMs` must be much shorter, because the clocks of the instances may differ.
 */
export const LND_TIMING: LndTiming = {
  attemptsSeconds: 60,
  waitMs: 50_000,
  graceMs: 300_000,
  firstRequestMs: 5000,
  heartbeatMs: 5000,
  answerMs: 5000,
};

/** What the parts of the adapter share. */
export interface LndContext {
  readonly transport: LndTransport;
  readonly timing: LndTiming;
  readonly log: Log;
}
