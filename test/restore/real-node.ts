import { vi } from 'vitest';
import type { PlaygroundControl } from '../../devnet/test-network.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { WALLET_RECORD } from './lossy-load.ts';
import type { FuzzedNode, RestoreFuzz } from './restore-fuzz.ts';

/** The outgoing payments that the service's node has recorded, by payment hash. */
export type SentRecords = ReadonlyMap<string, { readonly isInFlight: boolean; readonly feeMsat: number }>;

export interface RealNode {
  readonly lightningUrl: string;
  readonly control: PlaygroundControl;
  /** The public key of the node that receives keysends. Absent: the node handles none. */
  readonly keysendsTo?: string;
  /** Returns the wallets that keysends name, by payment hash, as the other nodes have them. */
  keysendWallets?(): Promise<ReadonlyMap<string, string>>;
  sent(): Promise<SentRecords>;
  /** Returns the node's balance in its channels, in msat; undefined while any of them has an HTLC. */
  balanceMsat(): Promise<number | undefined>;
  kill(): Promise<void>;
  arrivedMsat(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

/** `RESTORE_FUZZ=10` makes 10 runs on both databases together, with backups that are at least a minute old. */
export const REAL_NODE: Pick<RestoreFuzz, 'runs' | 'backupAgeMs' | 'pauseMs' | 'waitMs'> = {
  runs: Number(process.env.RESTORE_FUZZ ?? 2),
  backupAgeMs: process.env.RESTORE_FUZZ ? 60_000 : 5_000,
  pauseMs: 200,
  // LND may execute requests of the lost service for five minutes.
  waitMs: 600_000,
};

/** Payments go to both outside nodes, so that some of them cost a fee. */
export function realNode(node: RealNode): FuzzedNode {
  const { control, keysendsTo, keysendWallets, sent, balanceMsat } = node;
  let turn = 0;
  const outsideName = () => (turn++ % 2 ? 'alice' : 'carol');
  const sendKeysend = (walletId: string, sats: number) =>
    control.keysend({
      from: outsideName(),
      amountMsat: msat(sats * 1000),
      customRecords: { [WALLET_RECORD]: Buffer.from(walletId).toString('hex') },
    });
  return {
    ...node,
    behaviors: ['succeeds', 'succeeds', 'succeeds', 'fails', 'hangs'],
    async createInvoice(_client, { sats, behavior }) {
      const at = outsideName();
      const hold = behavior !== 'succeeds';
      const made = await control.createInvoice({ at, amountMsat: msat(sats * 1000), memo: '', expirySeconds: 3600, hold });
      if (behavior === 'fails') await control.resolveHold(made.paymentHash, 'cancel');
      return made;
    },
    payInvoice: (_client, paymentRequest) => control.payInvoice({ paymentRequest, from: outsideName() }),
    async decide(_client, paymentHash, action) {
      if ((await sent()).get(paymentHash)?.isInFlight) await control.resolveHold(paymentHash, action);
    },
    keysends: keysendsTo === undefined ? undefined : { destination: keysendsTo, send: sendKeysend },
    async records() {
      const wallets = await keysendWallets?.();
      const payments = await control.payments(0, 100_000);
      return payments.map((one) => ({ ...one, walletId: wallets?.get(one.paymentHash) }));
    },
    ended: async () => new Set([...(await sent())].flatMap(([hash, { isInFlight }]) => (isInFlight ? [] : [hash]))),
    feesMsat: async () => new Map(Array.from(await sent(), ([hash, { feeMsat }]) => [hash, feeMsat])),
    balanceMsat: () => vi.waitUntil(balanceMsat, { timeout: 150_000, interval: 100 }),
  };
}
