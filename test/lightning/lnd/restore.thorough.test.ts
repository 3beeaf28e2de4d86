import { WALLET_RECORD } from '../../restore/lossy-load.ts';
import { REAL_NODE, realNode } from '../../restore/real-node.ts';
import { restoreFuzz } from '../../restore/restore-fuzz.ts';
import { readArrived, readBalanceMsat, readSent } from './own-records.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
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
      sent: () => readSent(hub),
      balanceMsat: () => readBalanceMsat(hub),
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
