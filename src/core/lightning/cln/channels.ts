import { type Msat, msat } from '../../kernel/money.ts';
import { capacityMsat, channelMsat, LIST_CHANNELS_MS } from '../channel-list.ts';
import type { Closing, ClosingChannel, NodeBalance, NodeChannel } from '../node-channel.ts';
import type { ChannelHtlc, ChannelRecord, ClnRpc } from './rpc.ts';

/** The states of a channel that can still settle payments. The funds of all others are on the chain, or on their way to it. */
const OPEN_STATES: ReadonlySet<string> = new Set(['CHANNELD_NORMAL', 'CHANNELD_SHUTTING_DOWN', 'CHANNELD_AWAITING_SPLICE']);

export async function listChannels(rpc: ClnRpc): Promise<readonly ChannelRecord[]> {
  const { channels } = await rpc.call('listpeerchannels');
  return channels;
}

/**
 * Returns our balance in the open channels, including outgoing HTLCs in flight. A channel that a restored backup has broken is not counted,
 * although `listfunds` still reports its old balance.
 */
export async function ownBalanceMsat(rpc: ClnRpc): Promise<Msat> {
  return (await readBalance(rpc)).localMsat;
}

/** Returns the same with the channels that are being closed. */
export async function readBalance(rpc: ClnRpc): Promise<NodeBalance> {
  const all = await listChannels(rpc);
  const channels = all.filter(({ state }) => OPEN_STATES.has(state));
  const isClosing = ({ state, channel_id: id }: ChannelRecord) => id !== undefined && CLOSING_STATES.has(state);
  const closing = await Promise.all(all.filter(isClosing).map((one) => closingChannel(rpc, one)));
  const storedMsat = channels.reduce((sum, { to_us_msat: ours = 0 }) => sum + ours, 0);
  // `to_us_msat` changes some milliseconds after a payment has ended, when both sides have removed its HTLC.
  const removing = channels.flatMap(({ htlcs = [] }) => htlcs).filter(({ state }) => state.includes('_REMOVE_'));
  const changes = await Promise.all(removing.map((htlc) => changeOf(rpc, htlc)));
  const openChannels = channels.flatMap(({ channel_id }) => channel_id ?? []);
  return {
    localMsat: msat(changes.reduce((sum, change) => sum + change, storedMsat)),
    ...(openChannels.length > 0 && { openChannels }),
    ...(closing.length > 0 && { closing }),
  };
}

/** The states in which the money of a channel is on its way to the chain. */
const CLOSING_STATES: ReadonlySet<string> = new Set([
  'CLOSINGD_SIGEXCHANGE',
  'CLOSINGD_COMPLETE',
  'AWAITING_UNILATERAL',
  'FUNDING_SPEND_SEEN',
  'ONCHAIN',
]);

/** `to_us_msat` stays as it was when the channel was closed, so HTLCs that were resolved since are added or subtracted. */
async function closingChannel(rpc: ClnRpc, channel: ChannelRecord): Promise<ClosingChannel> {
  const { isForced, limboMsat } = closingOf(channel);
  const changes = limboMsat === 0 ? [] : await Promise.all((channel.htlcs ?? []).map((htlc) => changeOf(rpc, htlc)));
  const nowMsat = channelMsat(changes.reduce((sum, change) => sum + change, limboMsat));
  return { id: channel.channel_id ?? '', peerPubkey: channel.peer_id, isForced, limboMsat: nowMsat };
}

/**
 * lightningd lists a channel for a hundred blocks after its last output was resolved. The money of a mutual close is in the wallet when the closing
 * transaction is confirmed. A channel whose newest state the node has lost counts as nothing: its peer decides what comes back.
 */
function closingOf({ state, status = [], state_changes: changes = [], to_us_msat: ours }: ChannelRecord): Closing {
  const isMutual = state.startsWith('CLOSINGD_') || changes.some(({ new_state }) => new_state === 'CLOSINGD_COMPLETE');
  const newest = status.at(-1) ?? '';
  const isSwept = state === 'ONCHAIN' && (isMutual || newest.includes('All outputs resolved'));
  const isLost = status.some((text) => text.includes('future one'));
  return { isForced: !isMutual, limboMsat: channelMsat(isSwept || isLost ? 0 : ours) };
}

/** Returns by how much the removal of an HTLC changes our balance. HTLCs that the node forwards for others are not counted. */
async function changeOf(rpc: ClnRpc, { direction, payment_hash, amount_msat }: ChannelHtlc): Promise<number> {
  if (direction === 'in') {
    const { invoices } = await rpc.call('listinvoices', { payment_hash });
    return invoices.some(({ status }) => status === 'paid') ? amount_msat : 0;
  }
  const { payments } = await rpc.call('listsendpays', { payment_hash });
  return payments.some(({ status }) => status === 'complete') ? -amount_msat : 0;
}

/** The states of a channel. Source: lightningd, `channel_state_name`. Any other one counts as inactive. */
const LISTED_STATES: Readonly<Record<string, 'open' | 'opening' | 'closing'>> = {
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
    ...(CLOSING_STATES.has(channel.state) && { closing: closingOf(channel) }),
  };
}

function stateOf({ state, peer_connected: isConnected, reestablished }: ChannelRecord): NodeChannel['state'] {
  const known = LISTED_STATES[state];
  if (known === 'opening' || known === 'closing') return known;
  return known === 'open' && isConnected && reestablished !== false ? 'active' : 'inactive';
}
