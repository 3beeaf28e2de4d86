import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { openLnd } from '../../../src/core/lightning/lnd/lnd-node.ts';
import type { PaymentRecord } from '../../../src/core/lightning/lnd/payment-record.ts';
import { HistoryChanged, type LightningNode, type PaymentOrder } from '../../../src/core/lightning/node.ts';
import { silentLog } from '../../support/ledger.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { orderFor, settlementOf } from '../contract/subject.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';
import { until } from './regtest-lnd.ts';

const binaries = regtestBinaries();

describe('a real LND that is stopped at a bad moment, or restored', () => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-faults-'));
  let network: RegtestNetwork;
  let control: PlaygroundControl;
  let node: LightningNode;

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, directory);
    control = regtestControl(network);
    node = openLnd({ url: network.hub.url(await network.hub.bakeMacaroon()), log: silentLog, timing: { waitMs: 5000 } });
  }, 240_000);

  afterAll(async () => {
    await node?.close();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function countInFlight(): Promise<number> {
    const path = '/v1/payments?include_incomplete=true&max_payments=200&reversed=true&omit_hops=true';
    const { payments } = await network.hub.call<{ payments: PaymentRecord[] }>('GET', path);
    return payments.filter(({ status }) => status === 'IN_FLIGHT').length;
  }

  /** Sends payments, kills LND meanwhile, and returns those that it reports as in flight after its restart. */
  async function stuckPayments(): Promise<PaymentOrder[]> {
    const orders: PaymentOrder[] = [];
    for (let i = 0; i < 64; i++) orders.push(await orderFor({ control }, { amountMsat: 10_000, expirySeconds: 60 }));
    let isSending = true;
    const sending = Promise.allSettled(orders.map((order) => node.pay(order))).finally(() => {
      isSending = false;
    });
    // On a busy machine, all may have ended before so many are counted.
    while (isSending && (await countInFlight()) < 8);
    await network.hub.restart('SIGKILL', 1);
    await sending;
    await delay(5000);
    const outcomes = await Promise.all(orders.map((order) => node.lookupPayment(order)));
    return orders.filter((_, i) => outcomes[i]?.state === 'pending');
  }

  it('keeps payments in flight that it never sent; the evidence proves their failure only after their time locks', async () => {
    let stuck: PaymentOrder[] = [];
    for (let tries = 0; stuck.length === 0 && tries < 4; tries++) stuck = await stuckPayments();
    expect(stuck.length).toBeGreaterThan(0);
    const collect = () => Promise.all(stuck.map(async (order) => (await node.collectEvidence?.(order))?.provesFailure));
    expect(new Set(await collect())).toEqual(new Set([false]));
    await network.mine(120);
    await until('LND has read the blocks', async () => !(await collect()).includes(false), 120_000);
    const received = new Set(
      (await control.payments(0, 100_000)).filter((one) => one.direction === 'received').map((one) => one.paymentHash),
    );
    expect(stuck.filter((order) => received.has(order.paymentHash))).toEqual([]);
    // LND itself never ends them, and does not send them again.
    await network.hub.restart('SIGINT', 1);
    for (const order of stuck.slice(0, 3)) {
      expect(await node.lookupPayment(order)).toEqual({ state: 'pending' });
      expect(await node.pay(order)).toEqual({ state: 'pending' });
    }
  }, 400_000);

  it('rejects the positions of settlements that a restored copy has lost, and knows the older ones', async () => {
    const receive = async () => {
      const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 600 });
      expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
      return (await settlementOf(node, paymentHash)).position;
    };
    const before = [await receive(), await receive()];
    const { directory: folder } = network.hub;
    await network.hub.stop('SIGINT');
    cpSync(folder, `${folder}.copy`, { recursive: true });
    network.hub.start();
    await network.hub.waitUntilActive(1);
    const lost = [await receive(), await receive()];
    const { pubkey } = await node.info();
    await network.hub.stop('SIGINT');
    renameSync(folder, `${folder}.lost`);
    renameSync(`${folder}.copy`, folder);
    network.hub.start();
    await until('LND answers', async () => (await node.info()).pubkey === pubkey);
    for (const position of before) expect(await node.knowsPosition(position)).toBe(true);
    for (const position of lost) {
      expect(await node.knowsPosition(position)).toBe(false);
      const watching = node.watch(position, AbortSignal.timeout(60_000))[Symbol.asyncIterator]();
      await expect(watching.next()).rejects.toThrow(HistoryChanged);
    }
  }, 400_000);
});
