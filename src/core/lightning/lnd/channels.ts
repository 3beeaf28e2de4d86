import { msat, satToMsat, ZERO_MSAT } from '../../kernel/money.ts';
import { capacityMsat, channelMsat, LIST_CHANNELS_MS } from '../channel-list.ts';
import type { ClosedChannel, Closing, ClosingChannel, NodeBalance, NodeChannel } from '../node-channel.ts';
import type { LndTransport } from './transport.ts';
import { readMsat, readWhole } from './values.ts';

/** An open channel, as LND returns it. Amounts are whole satoshis as text. */
interface LndChannel {
  readonly active: boolean;
  readonly remote_pubkey: string;
  readonly channel_point: string;
  readonly peer_alias?: string;
  readonly capacity: string;
  readonly local_balance: string;
  readonly remote_balance: string;
  readonly private: boolean;
  /** Whether we opened it, and so pay the fees of its commitment transaction. */
  readonly initiator: boolean;
  readonly commitment_type: string;
  readonly fee_per_kw: string;
  readonly commit_fee: string;
  readonly commit_weight: string;
  readonly local_constraints: { readonly dust_limit_sat: string; readonly chan_reserve_sat: string };
  readonly remote_constraints?: { readonly chan_reserve_sat: string };
  readonly pending_htlcs: readonly {
    readonly incoming: boolean;
    readonly amount: string;
    readonly hash_lock: string;
    readonly htlc_index?: string;
  }[];
}

/** For the list, only the id and the peer of a channel are required. */
type ListedChannel = Partial<LndChannel> & Pick<LndChannel, 'channel_point' | 'remote_pubkey'>;

interface PendingChannel {
  readonly channel?: {
    readonly remote_node_pub: string;
    readonly channel_point: string;
    readonly capacity: string;
    readonly private?: boolean;
    readonly initiator?: string;
    /** Such as `ChanStatusCommitBroadcasted|ChanStatusLocalCloseInitiator`. */
    readonly chan_status_flags?: string;
  };
  /** Of a channel that is being closed. */
  readonly limbo_balance?: string;
  /** Of a channel whose closing transaction is not confirmed. */
  readonly commitments?: { readonly local_commit_fee_sat?: string };
}

type PendingChannels = Partial<Record<PendingList, readonly PendingChannel[]>>;

type PendingList = 'pending_open_channels' | 'pending_closing_channels' | 'pending_force_closing_channels' | 'waiting_close_channels';

interface ChannelBalance {
  readonly local_balance: { readonly msat: string };
  /** Outgoing HTLCs with their fees. */
  readonly unsettled_remote_balance: { readonly msat: string };
}

/** The balance and the channels are two calls. When an HTLC changes between them, they do not belong together. */
const MAX_READS = 5;
/** The operator waits for the list. */
const LISTING = { timeoutMs: LIST_CHANNELS_MS, mayTakeLong: true };

export async function listChannels(transport: LndTransport): Promise<readonly LndChannel[]> {
  return (await transport.get<{ channels: LndChannel[] }>('/v1/channels')).channels;
}

/**
 * Returns the node's balance in its channels: what is ours, outgoing HTLCs, and the commitment fees of the channels that we opened. Without
 * these fees, the balance would change with every HTLC, because each one makes the commitment transaction larger.
 */
export async function channelBalance(transport: LndTransport): Promise<NodeBalance> {
  let before = await sumOfBalances(transport);
  for (let reads = 1; ; reads++) {
    const [channels, pending] = await Promise.all([listChannels(transport), transport.get<PendingChannels>('/v1/channels/pending')]);
    const opened = channels.filter((channel) => channel.initiator);
    const after = await sumOfBalances(transport);
    // A channel moves from one list to the other between two calls, and its balance changes then.
    if (before === after || reads === MAX_READS)
      return {
        localMsat: msat(after + satToMsat(opened.reduce((sum, one) => sum + commitmentFeeSat(one), 0))),
        openChannels: channels.map(({ channel_point: id }) => id),
        closing: closingChannels(pending),
      };
    before = after;
  }
}

function closingChannels(pending: PendingChannels): ClosingChannel[] {
  return CLOSING_LISTS.flatMap((list) =>
    (pending[list] ?? []).flatMap((one) =>
      one.channel ? [{ id: one.channel.channel_point, peerPubkey: one.channel.remote_node_pub, ...closingOf(list, one) }] : [],
    ),
  );
}

const CLOSING_LISTS = ['waiting_close_channels', 'pending_closing_channels', 'pending_force_closing_channels'] as const;

/**
 * Until the closing transaction is confirmed, our balance still has the fee of the commitment that it had while the channel was open. A channel
 * whose newest state the node has lost counts as nothing: its peer decides what comes back.
 */
function closingOf(list: (typeof CLOSING_LISTS)[number], { channel, limbo_balance, commitments }: PendingChannel): Closing {
  const flags = channel?.chan_status_flags ?? '';
  const isForced = list === 'pending_force_closing_channels' || FORCED_FLAGS.some((flag) => flags.includes(flag));
  if (flags.includes('LocalDataLoss')) return { isForced, limboMsat: ZERO_MSAT };
  const feeSat = channel?.initiator === 'INITIATOR_LOCAL' ? satOf(commitments?.local_commit_fee_sat) : 0;
  return { isForced, limboMsat: channelMsat(1000 * (satOf(limbo_balance) + feeSat)) };
}

const FORCED_FLAGS = ['CommitBroadcasted', 'Borked', 'LocalDataLoss'];

/** Returns which of the channels were closed, and what of them went to the wallet. @throws NotPermitted with an older credential */
export async function closedChannels(transport: LndTransport, ids: readonly string[]): Promise<ClosedChannel[]> {
  const { channels = [] } = await transport.get<{ channels?: readonly LndClosedChannel[] }>('/v1/channels/closed', LISTING);
  return channels
    .filter(({ channel_point: id }) => ids.includes(id))
    .map(({ channel_point: id, settled_balance: settled, time_locked_balance: locked }) => ({
      id,
      settledMsat: channelMsat(1000 * (satOf(settled) + satOf(locked))),
    }));
}

interface LndClosedChannel {
  readonly channel_point: string;
  readonly settled_balance?: string;
  readonly time_locked_balance?: string;
}

async function sumOfBalances(transport: LndTransport): Promise<number> {
  const balance = await transport.get<ChannelBalance>('/v1/balance/channels');
  return readMsat(balance.local_balance.msat) + readMsat(balance.unsettled_remote_balance.msat);
}

/** Weights of a commitment transaction without HTLCs. Source: BOLT 3, and LND's `input/size.go` for taproot. */
const WEIGHTS: Readonly<Record<string, number>> = {
  LEGACY: 724,
  STATIC_REMOTE_KEY: 724,
  ANCHORS: 1124,
  SCRIPT_ENFORCED_LEASE: 1124,
  SIMPLE_TAPROOT: 968,
  SIMPLE_TAPROOT_FINAL: 968,
  SIMPLE_TAPROOT_OVERLAY: 968,
};
const HTLC_WEIGHT = 172;
/** Of the transactions that spend an HTLC. Only in channels without anchors do their fees make an HTLC dust. */
const HTLC_TIMEOUT_WEIGHT = 663;
const HTLC_SUCCESS_WEIGHT = 703;

/**
 * Returns the fee by which LND has reduced our balance in a channel. Its `commit_fee` cannot be used: that contains dust HTLCs, and the
 * fractions of a satoshi of both balances.
 */
function commitmentFeeSat(channel: LndChannel): number {
  const { commitment_type: type, fee_per_kw: rate, local_constraints: constraints } = channel;
  const weight = WEIGHTS[type];
  if (weight === undefined) return readWhole(channel.commit_fee);
  const feeOf = (units: number) => Math.floor((readWhole(rate) * units) / 1000);
  const spendingFee = (incoming: boolean) => (weight === WEIGHTS.LEGACY ? feeOf(incoming ? HTLC_SUCCESS_WEIGHT : HTLC_TIMEOUT_WEIGHT) : 0);
  const htlcs = channel.pending_htlcs.filter(
    ({ amount, incoming }) => readWhole(amount) - spendingFee(incoming) >= readWhole(constraints.dust_limit_sat),
  );
  return feeOf(weight + HTLC_WEIGHT * htlcs.length);
}

/** Lists the open, opening and closing channels for people: an amount that is missing or not understood counts as 0. */
export async function listNodeChannels(transport: LndTransport): Promise<readonly NodeChannel[]> {
  const [{ channels = [] }, pending] = await Promise.all([
    transport.get<{ channels?: readonly ListedChannel[] }>('/v1/channels?peer_alias_lookup=true', LISTING),
    transport.get<PendingChannels>('/v1/channels/pending', LISTING),
  ]);
  const opening = (pending.pending_open_channels ?? []).flatMap(({ channel }) => (channel ? toPendingChannel(channel, undefined) : []));
  const closing = CLOSING_LISTS.flatMap((list) =>
    (pending[list] ?? []).flatMap((one) => (one.channel ? toPendingChannel(one.channel, closingOf(list, one)) : [])),
  );
  const listed = [...opening, ...closing, ...channels.map(toOpenChannel)];
  // Between the two calls a channel may move from one list to the other.
  return [...new Map(listed.map((one) => [one.id, one])).values()];
}

function toOpenChannel(channel: ListedChannel): NodeChannel {
  const [localSat, remoteSat] = [spendableSat(channel, 'local'), spendableSat(channel, 'remote')];
  return {
    id: channel.channel_point,
    peerPubkey: channel.remote_pubkey,
    peerAlias: aliasOf(channel.peer_alias),
    state: channel.active ? 'active' : 'inactive',
    capacityMsat: capacityMsat(1000 * satOf(channel.capacity)),
    spendableMsat: channelMsat(1000 * localSat),
    receivableMsat: channelMsat(1000 * remoteSat),
    isPrivate: channel.private === true,
  };
}

/**
 * Returns the satoshis that one side can send in one HTLC. The opener of a channel pays its fee, and LND keeps the fee of a transaction with two more
 * HTLCs at twice the fee rate. If the opener cannot pay for one more HTLC, the other side can only send dust. Source: LND,
 * `availableCommitmentBalance` and `CalcFeeBuffer` in `lnwallet/channel.go`.
 */
function spendableSat(channel: ListedChannel, side: 'local' | 'remote'): number {
  const opener = channel.initiator ? 'local' : 'remote';
  const rate = satOf(channel.fee_per_kw);
  const weight = commitmentWeight(channel);
  const paid = feeSat(rate, weight);
  const ownSat = (of: 'local' | 'remote') => satOf(channel[`${of}_balance`]) - satOf(channel[`${of}_constraints`]?.chan_reserve_sat);
  if (side === opener) return ownSat(side) + paid - feeSat(2 * rate, weight + 2 * HTLC_WEIGHT);
  const canPayHtlc = ownSat(opener) >= feeSat(rate, HTLC_WEIGHT);
  return canPayHtlc ? ownSat(side) : Math.min(ownSat(side), satOf(channel.local_constraints?.dust_limit_sat) - 1);
}

/** Returns the weight of the commitment transaction as LND computes it for its fee. */
function commitmentWeight(channel: ListedChannel): number {
  const base = WEIGHTS[channel.commitment_type ?? ''];
  return base === undefined ? satOf(channel.commit_weight) : base + HTLC_WEIGHT * (channel.pending_htlcs?.length ?? 0);
}

function feeSat(rate: number, weight: number): number {
  return Math.floor((rate * weight) / 1000);
}

function toPendingChannel(channel: NonNullable<PendingChannel['channel']>, closing: Closing | undefined): NodeChannel {
  return {
    id: channel.channel_point,
    peerPubkey: channel.remote_node_pub,
    peerAlias: undefined,
    state: closing ? 'closing' : 'opening',
    capacityMsat: capacityMsat(1000 * satOf(channel.capacity)),
    spendableMsat: ZERO_MSAT,
    receivableMsat: ZERO_MSAT,
    isPrivate: channel.private === true,
    ...(closing && { closing }),
  };
}

/** Reads whole satoshis; 0 for anything else. */
function satOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** LND returns the text of an error in place of the alias of a peer that it does not know. */
function aliasOf(alias = ''): string | undefined {
  return alias === '' || alias.startsWith('unable to lookup peer alias') ? undefined : alias;
}
