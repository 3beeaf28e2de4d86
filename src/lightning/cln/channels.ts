import { type Msat, msat } from '../../kernel/money.ts';
import type { ChannelRecord, ClnRpc } from './rpc.ts';

/** The states of a channel that can still settle payments. The funds of all others are on the chain, or on their way to it. */
const OPEN_STATES: ReadonlySet<string> = new Set(['CHANNELD_NORMAL', 'CHANNELD_SHUTTING_DOWN', 'CHANNELD_AWAITING_SPLICE']);

export async function listChannels(rpc: ClnRpc): Promise<readonly ChannelRecord[]> {
  const { channels } = await rpc.call('listpeerchannels');
  return channels;
}

/**
 * Returns our balance in the open channels. `to_us_msat` includes outgoing HTLCs in flight, and incoming ones only when they are settled. A
 * channel that a restored backup has broken is not counted: `listfunds` still reports its old balance.
 */
export async function ownBalanceMsat(rpc: ClnRpc): Promise<Msat> {
  const channels = (await listChannels(rpc)).filter(({ state }) => OPEN_STATES.has(state));
  return msat(channels.reduce((sum, { to_us_msat: ours = 0 }) => sum + ours, 0));
}
