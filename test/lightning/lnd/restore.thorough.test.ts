import { WALLET_RECORD } from '../../restore/lossy-load.ts';
import { REAL_NODE, realNode } from '../../restore/real-node.ts';
import { restoreFuzz } from '../../restore/restore-fuzz.ts';
import { type RegtestLnd, RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();

/*
 *   LND_BIN=… BTCD_BIN=… RESTORE_FUZZ=10 npx vitest run --project thorough test/lightning/lnd/restore
 */
restoreFuzz({
  ...REAL_NODE,
  software: 'LND',
  cannotRun: binaries ? undefined : WITHOUT_BINARIES,
  async start(directory) {
    if (!binaries) throw new Error(WITHOUT_BINARIES);
    const network = await RegtestNetwork.start(binaries, directory, { holdsKeysends: false });
    const { hub } = network;
    return realNode({
      lightningUrl: hub.url(await hub.bakeMacaroon(false), ''),
      control: regtestControl(network),
      keysendsTo: network.carol.pubkey,
      keysendWallets: () => readKeysendWallets(network),
      async sent() {
        const { payments } = await hub.call<{ payments: { payment_hash: string; status: string; fee_msat: string }[] }>(
          'GET',
          '/v1/payments?include_incomplete=true&max_payments=100000',
        );
        return new Map(
          payments.map((one) => [one.payment_hash, { isInFlight: one.status === 'IN_FLIGHT', feeMsat: Number(one.fee_msat) }]),
        );
      },
      async balanceMsat() {
        const [channel] = (await hub.call<{ channels: LndChannel[] }>('GET', '/v1/channels')).channels;
        const { local_balance } = await hub.call<{ local_balance: { msat: string } }>('GET', '/v1/balance/channels');
        const [after] = (await hub.call<{ channels: LndChannel[] }>('GET', '/v1/channels')).channels;
        if (!channel || channel.pending_htlcs.length > 0 || channel.num_updates !== after?.num_updates) return undefined;
        // The hub has opened its only channel, so it pays for the commitment transaction.
        return Number(local_balance.msat) + Number(channel.commit_fee) * 1000;
      },
      kill: () => hub.restart('SIGKILL', 1),
      arrivedMsat: () => readArrived(hub),
      stop: () => network.stop(),
    });
  },
});

interface Htlc {
  readonly custom_records?: Readonly<Record<string, string>>;
}

interface LndPayment {
  readonly payment_hash: string;
  readonly htlcs: readonly { readonly route: { readonly hops: readonly Htlc[] } }[];
}

/** Keysends are invoices of their receiver. Their sender has their records in the last hop. */
async function readKeysendWallets({ alice, carol }: RegtestNetwork): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const add = (hash: string, records: Htlc['custom_records']) => {
    const record = records?.[WALLET_RECORD];
    if (record !== undefined) found.set(hash, Buffer.from(record, 'base64').toString());
  };
  for (const node of [alice, carol]) {
    const sent = await node.call<{ payments: LndPayment[] }>('GET', '/v1/payments?include_incomplete=true&max_payments=100000');
    for (const { payment_hash, htlcs } of sent.payments)
      for (const { route } of htlcs) add(payment_hash, route.hops.at(-1)?.custom_records);
    const received = await node.call<{ invoices: { r_hash: string; htlcs: Htlc[] }[] }>('GET', '/v1/invoices?num_max_invoices=100000');
    for (const { r_hash, htlcs } of received.invoices)
      for (const htlc of htlcs) add(Buffer.from(r_hash, 'base64').toString('hex'), htlc.custom_records);
  }
  return found;
}

interface ReceivedHtlc extends Htlc {
  readonly chan_id: string;
  readonly htlc_index: string;
  readonly amt_msat: string;
  readonly state: string;
}

/** LND has stored for each HTLC of a settled invoice whether it was settled or failed back. */
async function readArrived(hub: RegtestLnd): Promise<Map<string, number>> {
  const arrived = new Map<string, number>();
  const { invoices } = await hub.call<{ invoices: { r_hash: string; state: string; htlcs: ReceivedHtlc[] }[] }>(
    'GET',
    '/v1/invoices?num_max_invoices=100000',
  );
  for (const { r_hash, htlcs } of invoices.filter(({ state }) => state === 'SETTLED')) {
    const hash = Buffer.from(r_hash, 'base64').toString('hex');
    for (const { chan_id, htlc_index, amt_msat } of htlcs.filter(({ state }) => state === 'SETTLED')) {
      const { settled } = await hub.call<{ settled: boolean }>('GET', `/v1/htlc-resolution/${chan_id}/${htlc_index}`);
      if (settled) arrived.set(hash, (arrived.get(hash) ?? 0) + Number(amt_msat));
    }
  }
  return arrived;
}

interface LndChannel {
  readonly num_updates: string;
  readonly commit_fee: string;
  readonly pending_htlcs: readonly unknown[];
}
