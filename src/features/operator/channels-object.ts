import { type Static, Type } from 'typebox';
import type { NodeConnection } from '../../core/connection/connection.ts';
import { type Clock, unixSeconds, withTimeout } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { NotPermitted } from '../../core/lightning/node.ts';
import type { NodeChannel } from '../../core/lightning/node-channel.ts';
import { listChannels } from '../../core/lightning/responses.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { amount } from './operator-route.ts';

const CHANNEL_STATES = ['active', 'inactive', 'opening', 'closing'] as const satisfies readonly NodeChannel['state'][];

const ChannelObject = namedObject('Channel', {
  id: Type.String({ description: 'Identifies the channel on its node. The form depends on the software of the node' }),
  peer_pubkey: Type.String({ description: 'The public key of the node at the other end, in hex' }),
  peer_alias: nullable(
    Type.String({
      description: 'The alias that the peer announces. Its operator chooses it, and it is not unique. Null if it is unknown',
    }),
  ),
  status: oneOf(CHANNEL_STATES, { description: '`inactive`: open, but the peer is offline' }),
  capacity_msat: nullable(amount('The capacity of the channel (null if it is unknown)')),
  spendable_msat: amount(
    'An estimate of what the channel can send while it is active, after channel reserve and fees (0 while opening or closing)',
  ),
  receivable_msat: amount('An estimate of what the channel can receive while it is active (0 while opening or closing)'),
  is_private: Type.Boolean({ description: 'Whether the channel is not announced to the network' }),
});

export const ChannelsObject = namedObject('NodeChannels', {
  ln_node_id: Type.String({ description: 'The node, `lnd_…`' }),
  at: Type.Integer({ description: 'When the node was read, in Unix seconds' }),
  status: oneOf(['known', 'not_permitted', 'unsupported'], {
    description:
      '`not_permitted`: the credential in `LIGHTNING_URL` does not permit listing the channels. `unsupported`: the service cannot list ' +
      'the channels of this software. In both cases the amounts are null and `channels` is empty',
  }),
  status_reason: nullable(
    Type.String({ description: 'Why the node refused to list the channels, with the remedy; null for every status but `not_permitted`' }),
  ),
  spendable_msat: nullable(
    amount('What all active channels together can send (a single payment may find a route only for a smaller amount)'),
  ),
  receivable_msat: nullable(amount('What all active channels together can receive')),
  num_channels: nullable(
    Type.Object({
      active: Type.Integer({ description: 'Channels that can be used' }),
      inactive: Type.Integer({ description: 'Open channels whose peer is offline' }),
      opening: Type.Integer({ description: 'Channels that wait for confirmations' }),
      closing: Type.Integer({ description: 'Channels that are being closed' }),
    }),
    { description: 'The number of channels by status, of all pages' },
  ),
  channels: Type.Array(ChannelObject, { description: 'Active ones first; of each status the largest first' }),
});

export type NodeChannels = Static<typeof ChannelsObject>;

/** A little longer than the time limit of the adapters. */
const LIST_MS = 12_000;
/** BOLT 7 permits 32 bytes. */
const MAX_ALIAS_LENGTH = 64;

/** Reads all channels of a node. @throws Refusal when the node does not answer. */
export async function readChannels(connection: NodeConnection, clock: Clock): Promise<NodeChannels> {
  const unknown = {
    ln_node_id: connection.nodeId,
    at: unixSeconds(clock),
    status: 'unsupported' as const,
    status_reason: null,
    spendable_msat: null,
    receivable_msat: null,
    num_channels: null,
    channels: [],
  };
  try {
    const channels = await withTimeout(LIST_MS, connection.call(listChannels));
    if (!channels) return unknown;
    return { ...unknown, status: 'known', ...sumChannels(channels), channels: channels.toSorted(compareChannels).map(renderChannel) };
  } catch (error) {
    if (error instanceof NotPermitted) return { ...unknown, status: 'not_permitted', status_reason: error.message };
    throw new Refusal('node_unavailable', `The node does not list its channels: ${errorMessage(error)}.`);
  }
}

function compareChannels(a: NodeChannel, b: NodeChannel): number {
  const byState = CHANNEL_STATES.indexOf(a.state) - CHANNEL_STATES.indexOf(b.state);
  return byState || (b.capacityMsat ?? 0) - (a.capacityMsat ?? 0) || (a.id < b.id ? -1 : 1);
}

/** Returns the sums of a list of channels. Only active channels can send and receive. */
export function sumChannels(channels: readonly NodeChannel[]) {
  const active = channels.filter(({ state }) => state === 'active');
  const count = (wanted: NodeChannel['state']) => channels.filter(({ state }) => state === wanted).length;
  return {
    spendable_msat: active.reduce((sum, { spendableMsat }) => sum + spendableMsat, 0),
    receivable_msat: active.reduce((sum, { receivableMsat }) => sum + receivableMsat, 0),
    num_channels: { active: active.length, inactive: count('inactive'), opening: count('opening'), closing: count('closing') },
  };
}

function renderChannel(channel: NodeChannel): Static<typeof ChannelObject> {
  return {
    id: channel.id,
    peer_pubkey: channel.peerPubkey,
    peer_alias: channel.peerAlias?.slice(0, MAX_ALIAS_LENGTH).toWellFormed() ?? null,
    status: channel.state,
    capacity_msat: channel.capacityMsat ?? null,
    spendable_msat: channel.spendableMsat,
    receivable_msat: channel.receivableMsat,
    is_private: channel.isPrivate,
  };
}
