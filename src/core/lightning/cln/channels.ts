import { type Msat, msat } from '../../kernel/money.ts';
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
  const channels = (await listChannels(rpc)).filter(({ state }) => OPEN_STATES.has(state));
  const storedMsat = channels.reduce((sum, { to_us_msat: ours = 0 }) => sum + ours, 0);
  // `to_us_msat` changes some milliseconds after a payment has ended, when both sides have removed its HTLC.
  const removing = channels.flatMap(({ htlcs = [] }) => htlcs).filter(({ state }) => state.includes('_REMOVE_'));
  const changes = await Promise.all(removing.map((htlc) => changeOf(rpc, htlc)));
  return msat(changes.reduce((sum, change) => sum + change, storedMsat));
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
