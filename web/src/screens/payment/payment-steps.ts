import type { LightningTransactionDetails, WalletTransaction } from '../../../../client/satchel.js';

/** What the timeline says. The texts are those of `t.payment.steps`. */
export type StepName =
  | 'held'
  | 'sent'
  | 'inside'
  | 'settled'
  | 'failed'
  | 'pending'
  | 'created'
  | 'waiting'
  | 'onHold'
  | 'arriving'
  | 'received'
  | 'notReceived'
  | 'expired'
  | 'cancelled';

export interface Step {
  readonly name: StepName;
  /** Unix seconds; undefined if the service does not record it, or it has not happened. */
  readonly at?: number | undefined;
  readonly tone: 'done' | 'waiting' | 'failed' | 'plain';
  readonly icon: 'lock' | 'out' | 'done' | 'failed' | 'clock' | 'plus' | 'close';
}

/** A step or another entry of the timeline, with what its place depends on. */
type Placed = Pick<Step, 'at' | 'tone'>;

/**
 * Adds entries to steps by time, after the steps of the same second. Steps keep their order: the clock of the node may differ. What has not
 * happened yet is last.
 */
export function addByTime<T extends Placed>(steps: readonly T[], entries: readonly T[]): T[] {
  let last = 0;
  const places = new Map<T, number>();
  for (const step of steps) {
    last = Math.max(last, step.at ?? 0);
    places.set(step, step.at === undefined && step.tone === 'waiting' ? Number.POSITIVE_INFINITY : last);
  }
  const placeOf = (one: T) => places.get(one) ?? one.at ?? last;
  return [...steps, ...entries].sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
}

type Lntx = Pick<LightningTransactionDetails, 'status' | 'created_at' | 'settled_at' | 'expires_at' | 'counterpart_id' | 'held_msat'> & {
  readonly held_at?: number | null;
};

/**
 * Returns what happened to a payment that leaves a wallet, oldest first. `pending` is not a failure. Only a payment to a wallet of this service may have
 * held no money.
 */
export function paymentSteps({ status, created_at, settled_at, counterpart_id, held_msat }: Lntx): Step[] {
  const started: Step[] =
    held_msat === null
      ? [{ name: 'inside', at: created_at, tone: 'done', icon: 'out' }]
      : [
          { name: 'held', at: created_at, tone: 'done', icon: 'lock' },
          { name: counterpart_id === null ? 'sent' : 'inside', tone: 'done', icon: 'out' },
        ];
  if (status === 'settled') return [...started, { name: 'settled', at: settled_at ?? undefined, tone: 'done', icon: 'done' }];
  if (status === 'failed') return [...started, { name: 'failed', tone: 'failed', icon: 'failed' }];
  return [...started, { name: 'pending', tone: 'waiting', icon: 'clock' }];
}

/** Returns what happened to an invoice or a keysend that a wallet receives, oldest first. */
export function invoiceSteps({ status, created_at, settled_at, expires_at, held_at }: Lntx, isKeysend: boolean): Step[] {
  const isHeld = status === 'held';
  const made: Step[] = isKeysend ? [] : [{ name: 'created', at: created_at, tone: 'done', icon: 'plus' }];
  const held: Step[] = held_at ? [{ name: 'onHold', at: held_at, tone: isHeld ? 'waiting' : 'done', icon: 'lock' }] : [];
  const created = [...made, ...held];
  if (isHeld) return created;
  if (status === 'settled') return [...created, { name: 'received', at: settled_at ?? undefined, tone: 'done', icon: 'done' }];
  if (status === 'expired') return [...created, { name: 'expired', at: expires_at ?? undefined, tone: 'plain', icon: 'clock' }];
  if (status === 'arriving') return [...created, { name: 'arriving', tone: 'waiting', icon: 'clock' }];
  if (status === 'failed') return [...created, { name: 'notReceived', tone: 'failed', icon: 'failed' }];
  if (status === 'cancelled') return [...created, { name: 'cancelled', tone: 'plain', icon: 'close' }];
  return [...created, { name: 'waiting', tone: 'waiting', icon: 'clock' }];
}

/** Returns the wallet's side of a lightning transaction. A payment between two wallets of the account has two with the same hash. */
export function sideOf(found: readonly WalletTransaction[], lntxId: string): WalletTransaction | undefined {
  return found.find(({ lnTx }) => lnTx?.id === lntxId);
}
