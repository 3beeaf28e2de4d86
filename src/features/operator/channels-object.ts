import { type Static, Type } from 'typebox';
import type { NodeChannel } from '../../core/lightning/node.ts';
import { nullable, oneOf } from '../../http/responses/response-types.ts';
import { CHANNEL_STATES, type ChannelList, sumChannels } from './channels.ts';

function amount(description: string) {
  return Type.Integer({ description: `${description}, in millisatoshis` });
}

function count(description: string) {
  return Type.Integer({ description });
}

const ChannelObject = Type.Object(
  {
    id: Type.String({
      description: 'Identifies the channel on its node. The form depends on the software of the node',
    }),
    peer_pubkey: Type.String({ description: 'The public key of the node at the other end, in hex' }),
    peer_alias: nullable(
      Type.String({
        description: 'The alias that the peer announces. Its operator chooses it, and it is not unique. Null if it is unknown',
      }),
    ),
    status: oneOf(CHANNEL_STATES, {
      description: '`inactive`: open, but the peer is offline',
    }),
    capacity_msat: nullable(amount('The capacity of the channel (null if it is unknown)')),
    spendable_msat: amount(
      'An estimate of what the channel can send while it is active, after channel reserve and fees (0 while opening or closing)',
    ),
    receivable_msat: amount('An estimate of what the channel can receive while it is active (0 while opening or closing)'),
    is_private: Type.Boolean({ description: 'Whether the channel is not announced to the network' }),
  },
  { title: 'Channel' },
);

export const ChannelsObject = Type.Object(
  {
    ln_node_id: Type.String({ description: 'The node, `lnd_…`' }),
    at: Type.Integer({ description: 'When the node was read, in Unix seconds' }),
    status: oneOf(['known', 'not_permitted', 'unsupported'], {
      description:
        '`not_permitted`: the credential in `LIGHTNING_URL` does not permit listing the channels. `unsupported`: the service cannot list ' +
        'the channels of this software. In both cases the amounts are null and `channels` is empty',
    }),
    status_reason: nullable(
      Type.String({
        description: 'Why the node refused to list the channels, with the remedy; null for every status but `not_permitted`',
      }),
    ),
    spendable_msat: nullable(
      amount('What all active channels together can send (a single payment may find a route only for a smaller amount)'),
    ),
    receivable_msat: nullable(amount('What all active channels together can receive')),
    num_channels: nullable(
      Type.Object({
        active: count('Channels that can be used'),
        inactive: count('Open channels whose peer is offline'),
        opening: count('Channels that wait for confirmations'),
        closing: count('Channels that are being closed'),
      }),
      { description: 'The number of channels by status, of all pages' },
    ),
    channels: Type.Array(ChannelObject, { description: 'Active ones first; of each status the largest first' }),
  },
  { title: 'NodeChannels' },
);

/** `shown` are the channels of the page. */
export function renderChannels(
  nodeId: string,
  { at, status, reason, channels }: ChannelList,
  shown: readonly NodeChannel[],
): Static<typeof ChannelsObject> {
  const sums = status === 'known' ? sumChannels(channels) : undefined;
  return {
    ln_node_id: nodeId,
    at,
    status,
    status_reason: reason ?? null,
    spendable_msat: sums?.spendableMsat ?? null,
    receivable_msat: sums?.receivableMsat ?? null,
    num_channels: sums?.counts ?? null,
    channels: shown.map(renderChannel),
  };
}

function renderChannel(channel: NodeChannel): Static<typeof ChannelObject> {
  return {
    id: channel.id,
    peer_pubkey: channel.peerPubkey,
    peer_alias: channel.peerAlias ?? null,
    status: channel.state,
    capacity_msat: channel.capacityMsat ?? null,
    spendable_msat: channel.spendableMsat,
    receivable_msat: channel.receivableMsat,
    is_private: channel.isPrivate,
  };
}
