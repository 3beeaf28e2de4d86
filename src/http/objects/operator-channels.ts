import { type Static, Type } from 'typebox';
import type { NodeChannel } from '../../lightning/node.ts';
import { CHANNEL_STATES, type ChannelList, sumChannels } from '../../operator/channels.ts';
import { EXAMPLE } from '../openapi/example-values.ts';
import { nullable, oneOf } from './response-types.ts';

function amount(description: string, example: number) {
  return Type.Integer({ description: `${description}, in millisatoshis`, examples: [example] });
}

function count(description: string, example: number) {
  return Type.Integer({ description, examples: [example] });
}

const ChannelObject = Type.Object(
  {
    id: Type.String({
      description: 'Identifies the channel on its node; its form depends on the program of the node',
      examples: ['68e582ae17fd8ceb20cd9c69fc5ea2843ae89e17d848e43091d9b97e3f06b7a7:0'],
    }),
    peer_pubkey: Type.String({ description: 'The public key of the node at the other end, in hex', examples: [EXAMPLE.pubkey] }),
    peer_alias: nullable(
      Type.String({
        description: 'The name that this node announces: a text of its operator, not unique. Null if it is unknown',
        examples: ['alice'],
      }),
    ),
    status: oneOf(CHANNEL_STATES, {
      description: '`inactive`: open, and cannot be used now, because the peer is away',
      examples: ['active'],
    }),
    capacity_msat: nullable(amount('Its capacity; null if it is unknown', 16_000_000_000)),
    spendable_msat: amount(
      'What can be sent over it while it is active, without reserve and fees. An estimate; 0 while it is opening or closing',
      7_837_880_000,
    ),
    receivable_msat: amount(
      'What can be received over it while it is active. An estimate; 0 while it is opening or closing',
      7_840_000_000,
    ),
    is_private: Type.Boolean({ description: 'Whether it is not announced to the network', examples: [false] }),
  },
  { title: 'Channel' },
);

export const ChannelsObject = Type.Object(
  {
    ln_node_id: Type.String({ description: 'The node, `lnd_…`', examples: [EXAMPLE.node] }),
    at: Type.Integer({ description: 'When the node was read, in Unix seconds', examples: [EXAMPLE.now] }),
    status: oneOf(['known', 'not_permitted', 'unsupported'], {
      description:
        '`not_permitted`: the credential in `LIGHTNING_URL` does not permit listing them. `unsupported`: the service cannot list them on ' +
        'this program. In both cases there are no amounts and no channels here',
      examples: ['known'],
    }),
    status_reason: nullable(Type.String({ description: 'What the node requires; null if the channels are known', examples: [null] })),
    spendable_msat: nullable(
      amount('What all active channels together can send. A single payment may find a route for less', 7_837_880_000),
    ),
    receivable_msat: nullable(amount('What all active channels together can receive', 7_840_000_000)),
    num_channels: nullable(
      Type.Object({
        active: count('Channels that can be used', 1),
        inactive: count('Open channels whose peer is away', 0),
        opening: count('Channels that wait for confirmations', 0),
        closing: count('Channels that are being closed', 0),
      }),
      { description: 'The number of all channels by status, not only of those on this page' },
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
