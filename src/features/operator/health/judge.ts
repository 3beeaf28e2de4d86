import type { NewAlert } from '../../../core/alerts/alerts.ts';
import { behindAlert, type ChainReport } from '../../../core/connection/chain-view.ts';
import { satText } from '../../../core/kernel/money.ts';
import type { NodeInfo } from '../../../core/lightning/node.ts';
import type { NodeChannel } from '../../../core/lightning/node-channel.ts';
import { sumChannels } from '../channels-object.ts';

/** How long a cause lasts before its alert is raised, in seconds. */
export interface HealthLimits {
  readonly cannotSend: number;
  readonly notSynced: number;
  readonly inactive: number;
}

export const HEALTH_LIMITS: HealthLimits = { cannotSend: 300, notSynced: 600, inactive: 3600 };

/** What is known about a node now. */
export interface Observation {
  readonly nodeId: string;
  /** Why the node cannot send by its own report; undefined if it can. */
  readonly cannotSend: string | undefined;
  readonly blockHeight: number | undefined;
  readonly chain: ChainReport;
  /** For how many seconds it has reported that it is not synchronized. */
  readonly unsyncedSeconds: number;
  /** Undefined: unknown. */
  readonly channels: readonly NodeChannel[] | undefined;
  /** What its wallets send and receive on an average day; undefined: unknown. */
  readonly rate: { readonly outDayMsat: number; readonly inDayMsat: number } | undefined;
}

/** What is remembered between two observations. Times are Unix seconds. */
export interface HealthState {
  readonly cannotSendSince?: number | undefined;
  /** The channels that are inactive, and since when. */
  readonly inactive?: Readonly<Record<string, number>> | undefined;
  /** The block height at which the node was found to be behind. */
  readonly behindHeight?: number | undefined;
  /** What the node can do less of than on an average day. */
  readonly low?: readonly Direction[] | undefined;
}

type Direction = 'sending' | 'receiving';

export const HEALTH_ALERTS = ['node_cannot_send', 'channel_lost', 'node_not_synced', 'node_behind', 'liquidity_low'] as const;

export interface Judgement {
  readonly state: HealthState;
  /** The alerts that are open now. All others about the node are closed, except of the kinds in `unknown`. */
  readonly alerts: readonly NewAlert[];
  readonly unknown: readonly (typeof HEALTH_ALERTS)[number][];
}

/** The lost channels of a node that have an alert, the largest amounts first. */
const MAX_LOST = 20;
/** An alert about liquidity closes when there is so much more than an average day needs. */
const ENOUGH = 1.1;

/** Judges a node that answers. */
export function judge(seen: Observation, before: HealthState, limits: HealthLimits, now: number): Judgement {
  const { nodeId, cannotSend, channels, rate } = seen;
  const cannotSendSince = cannotSend === undefined ? undefined : (before.cannotSendSince ?? now);
  const inactive = channels ? inactiveSince(channels, before, now) : before.inactive;
  const low = channels && rate ? lowDirections(channels, rate, before.low ?? []) : before.low;
  const behindHeight = heightWhileBehind(seen, before);
  const alerts: NewAlert[] = [];
  if (cannotSend !== undefined && cannotSendSince !== undefined && now - cannotSendSince >= limits.cannotSend) {
    const message = `the node has been unable to send for ${Math.floor(limits.cannotSend / 60)} minutes: ${cannotSend}`;
    const details = { ln_node_id: nodeId, reason: cannotSend, since: cannotSendSince };
    alerts.push({ kind: 'node_cannot_send', subject: nodeId, message, details });
  }
  if (seen.unsyncedSeconds > 0 && seen.unsyncedSeconds >= limits.notSynced) {
    const details = { ln_node_id: nodeId, since: now - seen.unsyncedSeconds };
    const message = 'the node reports that it is not synchronized with the blockchain';
    alerts.push({ kind: 'node_not_synced', subject: nodeId, message, details });
  }
  if (seen.chain.state === 'behind') alerts.push(behindAlert(nodeId, seen.chain.reason));
  if (channels) alerts.push(...lostChannels(nodeId, channels, inactive ?? {}, limits, now));
  if (channels && low) alerts.push(...low.map((direction) => lowAlert(nodeId, direction, channels)));
  const isStillBehind = behindHeight !== undefined && seen.chain.state !== 'behind';
  return {
    state: { cannotSendSince, inactive, behindHeight, low },
    alerts,
    unknown: [
      ...(channels ? [] : (['channel_lost'] as const)),
      ...(channels && rate ? [] : (['liquidity_low'] as const)),
      ...(isStillBehind ? (['node_behind'] as const) : []),
    ],
  };
}

/** A payee may have been ahead in a payment of another instance. Only a newer block shows that the node follows the chain again. */
function heightWhileBehind({ chain, blockHeight }: Observation, { behindHeight }: HealthState): number | undefined {
  if (chain.state === 'behind') return blockHeight;
  return behindHeight !== undefined && blockHeight !== undefined && blockHeight <= behindHeight ? behindHeight : undefined;
}

function inactiveSince(channels: readonly NodeChannel[], before: HealthState, now: number): Record<string, number> {
  const inactive = channels.filter(({ state }) => state === 'inactive');
  return Object.fromEntries(inactive.map(({ id }) => [id, before.inactive?.[id] ?? now]));
}

function lostChannels(
  nodeId: string,
  channels: readonly NodeChannel[],
  inactive: Readonly<Record<string, number>>,
  limits: HealthLimits,
  now: number,
): NewAlert[] {
  const amountOf = ({ closing, spendableMsat }: NodeChannel) => closing?.limboMsat ?? spendableMsat;
  // Core Lightning lists a channel for a hundred blocks after its money is in the on-chain wallet.
  const isForced = ({ closing }: NodeChannel) => closing?.isForced === true && closing.limboMsat > 0;
  const isLost = (channel: NodeChannel) => isForced(channel) || now - (inactive[channel.id] ?? now) >= limits.inactive;
  const lost = channels.filter(isLost).filter(({ id, closing }) => closing !== undefined || id in inactive);
  return lost
    .toSorted((a, b) => amountOf(b) - amountOf(a))
    .slice(0, MAX_LOST)
    .map((channel) => {
      const { id, closing, peerAlias, peerPubkey } = channel;
      const amountMsat = amountOf(channel);
      const message = closing
        ? `the channel ${id} with ${peerPubkey} is being closed by force; ${satText(amountMsat)} are not in the on-chain wallet yet`
        : `the channel ${id} with ${peerPubkey} has been inactive for an hour; ${satText(amountMsat)} cannot be sent`;
      const details = { ln_node_id: nodeId, name: peerAlias ?? peerPubkey.slice(0, 16), amount_msat: amountMsat };
      const status = closing ? 'closing' : 'inactive';
      return { kind: 'channel_lost', subject: `${nodeId} ${id}`, message, details: { ...details, status, since: inactive[id] } };
    });
}

function lowDirections(
  channels: readonly NodeChannel[],
  rate: NonNullable<Observation['rate']>,
  before: readonly Direction[],
): Direction[] {
  const { spendable_msat: spendable, receivable_msat: receivable } = sumChannels(channels);
  const isLow = (direction: Direction, has: number, perDay: number) => has < (before.includes(direction) ? perDay * ENOUGH : perDay);
  return [
    ...(isLow('sending', spendable, rate.outDayMsat) ? (['sending'] as const) : []),
    ...(isLow('receiving', receivable, rate.inDayMsat) ? (['receiving'] as const) : []),
  ];
}

function lowAlert(nodeId: string, direction: Direction, channels: readonly NodeChannel[]): NewAlert {
  const { spendable_msat: spendable, receivable_msat: receivable } = sumChannels(channels);
  const [amountMsat, verb] = direction === 'sending' ? [spendable, 'send'] : [receivable, 'receive'];
  const message = `the node can ${verb} less than its wallets ${verb} on an average day`;
  const details = { ln_node_id: nodeId, status: direction, amount_msat: amountMsat };
  return { kind: 'liquidity_low', subject: `${nodeId} ${direction}`, message, details };
}

/** Returns why a node cannot send by its own report, and not because the service finds it behind. */
export function ownReason({ cannotSend }: NodeInfo, chain: ChainReport): string | undefined {
  return chain.state === 'behind' ? undefined : cannotSend;
}
