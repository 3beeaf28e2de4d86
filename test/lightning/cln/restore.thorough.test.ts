import { type ChannelRecord, METHODS, type MoveRecord, type SendpayRow } from '../../../src/core/lightning/cln/rpc.ts';
import { REAL_NODE, realNode } from '../../restore/real-node.ts';
import { restoreFuzz } from '../../restore/restore-fuzz.ts';
import { canRunNodes, hasClnrest, restartNode, startRegtest, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

/*
 *   LIGHTNINGD_BIN=… BTCD_BIN=… RESTORE_FUZZ=10 npx vitest run --project thorough test/lightning/cln/restore
 */
restoreFuzz({
  ...REAL_NODE,
  software: 'Core Lightning',
  cannotRun: canRunNodes ? undefined : WITHOUT_NODES,
  async start() {
    const network = await startRegtest();
    const { svc } = network.nodes;
    return realNode({
      lightningUrl: hasClnrest ? await svc.restUrl(METHODS) : svc.socketUrl(),
      control: regtestControl(network),
      async sent() {
        const { payments } = await svc.rpc<{ payments: SendpayRow[] }>('listsendpays');
        const byHash = Map.groupBy(payments, ({ payment_hash }) => payment_hash);
        return new Map(Array.from(byHash, ([hash, rows]) => [hash, { isInFlight: rows.some(isPending), feeMsat: feeOf(rows) }]));
      },
      async balanceMsat() {
        const { channels } = await svc.rpc<{ channels: ChannelRecord[] }>('listpeerchannels');
        if (channels.some(({ htlcs = [] }) => htlcs.length > 0)) return undefined;
        return channels.reduce((sum, { to_us_msat: ours = 0 }) => sum + ours, 0);
      },
      kill: () => restartNode(svc, 'SIGKILL'),
      async arrivedMsat() {
        const { channelmoves } = await svc.rpc<{ channelmoves: MoveRecord[] }>('listchannelmoves');
        const arrived = channelmoves.filter(({ primary_tag: tag }) => tag === 'invoice');
        const byHash = Map.groupBy(
          arrived.filter(({ credit_msat: credit }) => credit > 0),
          ({ payment_hash: hash = '' }) => hash,
        );
        return new Map(Array.from(byHash, ([hash, moves]) => [hash, moves.reduce((sum, move) => sum + move.credit_msat, 0)]));
      },
      stop: () => network.stop(),
    });
  },
});

function isPending({ status }: SendpayRow): boolean {
  return status === 'pending';
}

function feeOf(rows: readonly SendpayRow[]): number {
  const complete = rows.filter(({ status }) => status === 'complete');
  return complete.reduce((sum, { amount_sent_msat: sent, amount_msat: amount = sent }) => sum + sent - amount, 0);
}
