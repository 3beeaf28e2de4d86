import type { NodeCapabilities, PaymentOutcome, PaymentReference } from '../../src/core/lightning/node.ts';
import { ALL_CAPABILITIES } from '../checks.ts';

/** The program that the fake node behaves like. `ideal` does everything that the interface permits. */
export type ProfileName = 'ideal' | 'lnd' | 'cln';

/** How programs differ behind the node interface. Sources: the documentation and the observed behavior of LND and Core Lightning. */
export interface Profile {
  readonly software: string;
  readonly capabilities: NodeCapabilities;
  /** Whether the history of events contains outgoing payments. Otherwise the node only gives hints, which may be missing. */
  readonly reportsPayments: boolean;
  /** Whether a second payment of a hash replaces the record of the first. */
  readonly replacesRecords: boolean;
  /** Whether a script can make the node report a failure that is not final. Neither LND nor Core Lightning was seen to do so. */
  readonly misreports: boolean;
  /** For this long after an unclear request, neither a failure nor a missing record is final. */
  readonly graceMs: number;
}

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  ideal: { software: 'fake', capabilities: ALL_CAPABILITIES, reportsPayments: true, replacesRecords: false, misreports: true, graceMs: 0 },
  lnd: {
    software: 'fake LND',
    capabilities: { ...ALL_CAPABILITIES, guards: 'keysends' },
    reportsPayments: false,
    replacesRecords: true,
    misreports: false,
    graceMs: 60_000,
  },
  cln: {
    software: 'fake Core Lightning',
    capabilities: {
      sendsKeysend: false,
      receivesKeysend: false,
      guards: 'none',
      descriptionHashWithoutText: false,
      holdInvoices: false,
    },
    reportsPayments: false,
    replacesRecords: false,
    misreports: false,
    graceMs: 60_000,
  },
};

/** Returns the outcome as an adapter reports it: a failure soon after an unclear request is not final, because that request may still pay. */
export function reported(
  outcome: PaymentOutcome,
  { unclearSinceMs }: PaymentReference,
  nowMs: number,
  { graceMs }: Profile,
): PaymentOutcome {
  const isUnclear = unclearSinceMs !== undefined && nowMs - unclearSinceMs < graceMs;
  return outcome.state === 'failed' && isUnclear ? { state: 'pending' } : outcome;
}
