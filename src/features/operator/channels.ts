import type { NodeConnection } from '../../core/connection/connection.ts';
import { type Clock, unixSeconds, withTimeout } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { type NodeChannel, NotPermitted } from '../../core/lightning/node.ts';
import { listChannels } from '../../core/lightning/responses.ts';

export const CHANNEL_STATES = ['active', 'inactive', 'opening', 'closing'] as const satisfies readonly NodeChannel['state'][];

/** The channels of a node, or why they are not known. */
export interface ChannelList {
  /** Unix seconds. */
  readonly at: number;
  /** `not_permitted`: the credential in LIGHTNING_URL does not permit it. `unsupported`: the adapter cannot list them. */
  readonly status: 'known' | 'not_permitted' | 'unsupported';
  readonly reason: string | undefined;
  /** Active ones first; of each state the largest first. */
  readonly channels: readonly NodeChannel[];
}

/** A little longer than the time limit of the adapters. */
const LIST_MS = 12_000;
/** BOLT 7 permits 32 bytes. */
const MAX_ALIAS_LENGTH = 64;

/** Reads the channels of a node. @throws Refusal when the node does not answer. */
export async function readChannels(connection: NodeConnection, clock: Clock): Promise<ChannelList> {
  const at = unixSeconds(clock);
  try {
    return await withTimeout(LIST_MS, list(), () => new Error(`no response within ${LIST_MS / 1000} seconds`));
  } catch (error) {
    if (error instanceof NotPermitted) return { at, status: 'not_permitted', reason: error.message, channels: [] };
    throw new Refusal('node_unavailable', `The node does not list its channels: ${errorMessage(error)}.`);
  }

  async function list(): Promise<ChannelList> {
    const channels = await connection.call(listChannels);
    if (!channels) return { at, status: 'unsupported', reason: undefined, channels: [] };
    return { at, status: 'known', reason: undefined, channels: channels.map(withShortAlias).sort(compareChannels) };
  }
}

function withShortAlias(channel: NodeChannel): NodeChannel {
  return { ...channel, peerAlias: channel.peerAlias?.slice(0, MAX_ALIAS_LENGTH).toWellFormed() };
}

function compareChannels(a: NodeChannel, b: NodeChannel): number {
  const byState = CHANNEL_STATES.indexOf(a.state) - CHANNEL_STATES.indexOf(b.state);
  return byState || (b.capacityMsat ?? 0) - (a.capacityMsat ?? 0) || (a.id < b.id ? -1 : 1);
}

/** The sums of a list of channels. Only active channels can send and receive. */
export interface ChannelSums {
  readonly spendableMsat: number;
  readonly receivableMsat: number;
  readonly counts: Readonly<Record<NodeChannel['state'], number>>;
}

export function sumChannels(channels: readonly NodeChannel[]): ChannelSums {
  const active = channels.filter(({ state }) => state === 'active');
  const count = (wanted: NodeChannel['state']) => channels.filter(({ state }) => state === wanted).length;
  return {
    spendableMsat: active.reduce((sum, { spendableMsat }) => sum + spendableMsat, 0),
    receivableMsat: active.reduce((sum, { receivableMsat }) => sum + receivableMsat, 0),
    counts: { active: active.length, inactive: count('inactive'), opening: count('opening'), closing: count('closing') },
  };
}
