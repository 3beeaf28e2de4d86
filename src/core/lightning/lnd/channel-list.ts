import { capacityMsat, channelMsat, LIST_CHANNELS_MS } from '../channel-list.ts';
import type { NodeChannel } from '../node.ts';
import type { LndTransport } from './transport.ts';

/** A channel, as `GET /v1/channels` returns it. Amounts are whole satoshis as text. */
interface OpenChannel {
  readonly active: boolean;
  readonly remote_pubkey: string;
  readonly channel_point: string;
  readonly peer_alias?: string;
  readonly capacity: string;
  readonly local_balance: string;
  readonly remote_balance: string;
  readonly private: boolean;
  readonly initiator: boolean;
  readonly commit_fee: string;
  readonly commit_weight: string;
  readonly fee_per_kw: string;
  readonly local_constraints?: { readonly chan_reserve_sat: string };
  readonly remote_constraints?: { readonly chan_reserve_sat: string };
}

interface PendingChannel {
  readonly channel?: {
    readonly remote_node_pub: string;
    readonly channel_point: string;
    readonly capacity: string;
    readonly private?: boolean;
  };
}

/** The response to `GET /v1/channels/pending`. */
interface PendingChannels {
  readonly pending_open_channels?: readonly PendingChannel[];
  readonly pending_closing_channels?: readonly PendingChannel[];
  readonly pending_force_closing_channels?: readonly PendingChannel[];
  readonly waiting_close_channels?: readonly PendingChannel[];
}

/** Lists the open, opening and closing channels. */
export async function listNodeChannels(transport: LndTransport): Promise<readonly NodeChannel[]> {
  const get = <T>(path: string) => transport.call<T>({ method: 'GET', path, timeoutMs: LIST_CHANNELS_MS, mayTakeLong: true });
  const [{ channels }, pending] = await Promise.all([
    get<{ channels?: readonly OpenChannel[] }>('/v1/channels?peer_alias_lookup=true'),
    get<PendingChannels>('/v1/channels/pending'),
  ]);
  const closing = [
    ...(pending.pending_closing_channels ?? []),
    ...(pending.pending_force_closing_channels ?? []),
    ...(pending.waiting_close_channels ?? []),
  ];
  const listed = [
    ...(pending.pending_open_channels ?? []).flatMap((one) => toPending(one, 'opening')),
    ...closing.flatMap((one) => toPending(one, 'closing')),
    ...(channels ?? []).map(toOpen),
  ];
  // Between the two calls a channel may move from one list to the other.
  return [...new Map(listed.map((one) => [one.id, one])).values()];
}

function toOpen(channel: OpenChannel): NodeChannel {
  const localReserve = satOf(channel.local_constraints?.chan_reserve_sat);
  const remoteReserve = satOf(channel.remote_constraints?.chan_reserve_sat);
  const fee = openerFeeSat(channel);
  const [localFee, remoteFee] = channel.initiator ? [fee, 0] : [0, fee];
  return {
    id: channel.channel_point,
    peerPubkey: channel.remote_pubkey,
    peerAlias: aliasOf(channel.peer_alias),
    state: channel.active ? 'active' : 'inactive',
    capacityMsat: capacityMsat(1000 * satOf(channel.capacity)),
    spendableMsat: channelMsat(1000 * (satOf(channel.local_balance) - localReserve - localFee)),
    receivableMsat: channelMsat(1000 * (satOf(channel.remote_balance) - remoteReserve - remoteFee)),
    isPrivate: channel.private === true,
  };
}

const HTLC_WEIGHT = 172;

/**
 * Returns the satoshis that the opener of the channel must keep for fees when it adds an HTLC. The present fee is not included, because it is
 * already subtracted from the balance. LND keeps the fee of a transaction with two more HTLCs at twice the fee rate. Source: LND,
 * `CalcFeeBuffer` in `lnwallet/channel.go`.
 */
function openerFeeSat({ fee_per_kw: rate, commit_weight: weight, commit_fee: paid }: OpenChannel): number {
  return Math.ceil((2 * satOf(rate) * (satOf(weight) + 2 * HTLC_WEIGHT)) / 1000) - satOf(paid);
}

function toPending({ channel }: PendingChannel, state: 'opening' | 'closing'): NodeChannel[] {
  if (!channel) return [];
  return [
    {
      id: channel.channel_point,
      peerPubkey: channel.remote_node_pub,
      peerAlias: undefined,
      state,
      capacityMsat: capacityMsat(1000 * satOf(channel.capacity)),
      spendableMsat: channelMsat(0),
      receivableMsat: channelMsat(0),
      isPrivate: channel.private === true,
    },
  ];
}

/** Reads whole satoshis; 0 for anything else. */
function satOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** LND returns the text of an error in place of the alias of a peer that it does not know. */
function aliasOf(alias: string | undefined): string | undefined {
  return alias === undefined || alias === '' || alias.startsWith('unable to lookup peer alias') ? undefined : alias;
}
