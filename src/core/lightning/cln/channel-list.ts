import { capacityMsat, channelMsat, LIST_CHANNELS_MS } from '../channel-list.ts';
import type { NodeChannel } from '../node.ts';
import type { ChannelRecord, ClnRpc } from './rpc.ts';

/** The states of a channel. Source: lightningd, `channel_state_name`. Any other one counts as inactive. */
const STATES: Readonly<Record<string, 'open' | 'opening' | 'closing'>> = {
  OPENINGD: 'opening',
  DUALOPEND_OPEN_INIT: 'opening',
  DUALOPEND_OPEN_COMMIT_READY: 'opening',
  DUALOPEND_OPEN_COMMITTED: 'opening',
  DUALOPEND_AWAITING_LOCKIN: 'opening',
  CHANNELD_AWAITING_LOCKIN: 'opening',
  CHANNELD_NORMAL: 'open',
  CHANNELD_AWAITING_SPLICE: 'open',
  CHANNELD_SHUTTING_DOWN: 'closing',
  CLOSINGD_SIGEXCHANGE: 'closing',
  CLOSINGD_COMPLETE: 'closing',
  AWAITING_UNILATERAL: 'closing',
  FUNDING_SPEND_SEEN: 'closing',
  ONCHAIN: 'closing',
};

/** Lists the open, opening and closing channels. lightningd returns aliases of peers only with `listnodes`, which the rune does not permit. */
export async function listNodeChannels(rpc: ClnRpc): Promise<readonly NodeChannel[]> {
  const { channels } = await rpc.call('listpeerchannels', {}, { timeoutMs: LIST_CHANNELS_MS });
  return channels.map(toNodeChannel);
}

function toNodeChannel(channel: ChannelRecord, index: number): NodeChannel {
  const state = stateOf(channel);
  const isOpen = state === 'active' || state === 'inactive';
  return {
    // A channel that is being negotiated has no id yet.
    id: channel.channel_id ?? `${channel.peer_id}-${index}`,
    peerPubkey: channel.peer_id,
    peerAlias: undefined,
    state,
    capacityMsat: capacityMsat(channel.total_msat),
    spendableMsat: channelMsat(isOpen ? channel.spendable_msat : 0),
    receivableMsat: channelMsat(isOpen ? channel.receivable_msat : 0),
    isPrivate: channel.private === true,
  };
}

function stateOf({ state, peer_connected: isConnected, reestablished }: ChannelRecord): NodeChannel['state'] {
  const known = STATES[state];
  if (known === 'opening' || known === 'closing') return known;
  return known === 'open' && isConnected && reestablished !== false ? 'active' : 'inactive';
}
