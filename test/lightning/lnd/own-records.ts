import type { SentRecords } from '../../restore/real-node.ts';
import type { RegtestLnd } from './regtest-lnd.ts';

interface Channel {
  readonly num_updates: string;
  readonly commit_fee: string;
  readonly pending_htlcs: readonly unknown[];
}

interface Invoice {
  readonly r_hash: string;
  readonly state: string;
  readonly htlcs: readonly { readonly chan_id: string; readonly htlc_index: string; readonly amt_msat: string; readonly state: string }[];
}

/** Returns what a node has in the only channel, which it has opened, in msat; undefined while the channel has an HTLC. */
export async function readBalanceMsat(hub: RegtestLnd): Promise<number | undefined> {
  const readChannel = async () => (await hub.call<{ channels: Channel[] }>('GET', '/v1/channels')).channels[0];
  const before = await readChannel();
  const { local_balance } = await hub.call<{ local_balance: { msat: string } }>('GET', '/v1/balance/channels');
  const after = await readChannel();
  if (!before || before.pending_htlcs.length > 0 || before.num_updates !== after?.num_updates) return undefined;
  // Who has opened a channel pays for the commitment transaction.
  return Number(local_balance.msat) + Number(before.commit_fee) * 1000;
}

/**
 * Returns what has arrived at a node, by payment hash, in msat. LND has stored for each HTLC of a settled invoice whether it was settled or failed
 * back.
 */
export async function readArrived(hub: RegtestLnd): Promise<Map<string, number>> {
  const arrived = new Map<string, number>();
  const { invoices } = await hub.call<{ invoices: Invoice[] }>('GET', '/v1/invoices?num_max_invoices=100000');
  for (const { r_hash, htlcs } of invoices.filter(({ state }) => state === 'SETTLED')) {
    const hash = Buffer.from(r_hash, 'base64').toString('hex');
    for (const { chan_id, htlc_index, amt_msat } of htlcs.filter(({ state }) => state === 'SETTLED')) {
      const { settled } = await hub.call<{ settled: boolean }>('GET', `/v1/htlc-resolution/${chan_id}/${htlc_index}`);
      if (settled) arrived.set(hash, (arrived.get(hash) ?? 0) + Number(amt_msat));
    }
  }
  return arrived;
}

export async function readSent(hub: RegtestLnd): Promise<SentRecords> {
  const { payments } = await hub.call<{ payments: { payment_hash: string; status: string; fee_msat: string }[] }>(
    'GET',
    '/v1/payments?include_incomplete=true&max_payments=100000',
  );
  return new Map(payments.map((one) => [one.payment_hash, { isInFlight: one.status === 'IN_FLIGHT', feeMsat: Number(one.fee_msat) }]));
}
