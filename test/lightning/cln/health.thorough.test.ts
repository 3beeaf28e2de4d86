import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import type { NodeChannel } from '../../../src/core/lightning/node-channel.ts';
import type { NodeComparison } from '../../../src/features/reconcile/reconciliation-object.ts';
import { onStartedNode } from '../../support/app.ts';
import { silentLog } from '../../support/ledger.ts';
import { healthOf, QUICK_HEALTH } from '../health.ts';
import { canRunNodes, type Regtest, type RegtestNode, startRegtest, until, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

const WAIT = { timeout: 120_000, interval: 250 };

if (!canRunNodes) {
  describe('the health of a real Core Lightning', () => {
    it('is not tested', ({ skip }) => skip(WITHOUT_NODES));
  });
} else {
  let network: Regtest;

  /*
   *   LIGHTNINGD_BIN=… BTCD_BIN=… npx vitest run --project thorough test/lightning/cln/health
   */
  onStartedNode(
    {
      name: 'the health of a real Core Lightning',
      jobTiming: { pollNodesMs: 500, health: QUICK_HEALTH },
      async start() {
        network = await startRegtest();
        return { LIGHTNING_URL: network.nodes.svc.socketUrl(), RATE_LIMIT_PER_SECOND: '0', ATTEMPTS_SECONDS: '10' };
      },
    },
    (app) => {
      const { client } = app;
      afterAll(() => network?.stop());

      const { kinds, untilAlerts, untilNone, readiness } = healthOf(app);

      it('raises alerts when its only channel is inactive, and closes them when the peer is back', { timeout: 300_000 }, async () => {
        const { svc, ext } = network.nodes;
        await ext.stop();
        await untilAlerts('node_cannot_send', 'channel_lost');
        expect(await readiness()).toBe('partial');
        await ext.start();
        await connect(svc, ext);
        await untilNone('node_cannot_send', 'channel_lost');
        await expect.poll(readiness, { timeout: 30_000 }).toBe('ok');
      });

      it.each([
        ['by both sides', false],
        ['by force', true],
      ] as const)(
        'counts and names a channel that is closed %s, without an alert about missing money',
        { timeout: 600_000 },
        async (_, isForced) => {
          const { svc, far } = network.nodes;
          const channel = await openChannel(network, svc, far);
          expect(await app.reconcile('new_baseline')).toMatchObject({ balance_status: 'measured', closing_msat: 0 });
          await close(svc, far, channel.id, isForced);
          const seen: NodeComparison[] = [];
          const check = async () => {
            const report = await app.reconcile();
            seen.push(report);
            const bad = (await kinds()).filter((kind) => kind === 'node_holds_less' || kind === 'node_balance_fell');
            expect(bad, JSON.stringify(seen)).toEqual([]);
            return report;
          };
          expect((await check()).closing_channels).toContainEqual(
            expect.objectContaining({ id: channel.id, peer_pubkey: channel.peerPubkey }),
          );
          if (isForced) {
            await untilAlerts('channel_lost');
            const alert = (await app.openAlerts()).find(({ kind }) => kind === 'channel_lost');
            expect(JSON.parse(alert?.details ?? '{}')).toMatchObject({ status: 'closing' });
            expect(alert?.message).toContain(channel.id);
          } else expect(await kinds()).not.toContain('channel_lost');
          // lightningd lists a closed channel for a hundred blocks.
          for (let block = 1; Number((await check()).closing_msat) > 0; block++) {
            expect(block).toBeLessThan(60);
            await network.mine(1);
            await delay(500);
          }
          await untilNone('channel_lost');
          expect(await app.problems()).toEqual([]);
        },
      );

      it('reports a payable amount that a wallet can pay when it has more money than the node can send', { timeout: 300_000 }, async () => {
        const { svc, ext } = network.nodes;
        const wallet = await client.wallet();
        const { payment_request } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 6_000_000 });
        await regtestControl(network).payInvoice({ paymentRequest: payment_request, from: 'alice' });
        await vi.waitUntil(async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance === 6_000_000, WAIT);
        // The node sends money of its own to the peer, so that it has less than the wallet.
        const { bolt11 } = await ext.rpc<{ bolt11: string }>('invoice', { amount_msat: 9_000_000_000, label: 'own', description: '' });
        await svc.rpc('xpay', { invstring: bolt11 });
        const [channel] = (await channelsOf(svc)).filter(({ state }) => state === 'active');
        const spendableMsat = channel?.spendableMsat ?? 0;
        const most = await vi.waitUntil(async () => {
          const amountMsat: number = (await client.get(`/v1/wallet/${wallet.id}`)).max_payable_msat;
          return amountMsat > 0 && amountMsat <= spendableMsat ? amountMsat : undefined;
        }, WAIT);
        expect(most).toBeGreaterThan(0.9 * spendableMsat);
        const pay = async (amount_msat: number) => {
          const made = await ext.rpc<{ bolt11: string }>('invoice', { amount_msat, label: String(amount_msat), description: '' });
          const json = { payment_request: made.bolt11 };
          return client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json });
        };
        const paid = await pay(most);
        expect(paid, JSON.stringify(paid.body)).toMatchObject({ status: 201 });
        expect((await pay(spendableMsat)).status).toBe(400);
      });
    },
  );
}

/** Returns the channels of a node, as the adapter lists them. */
async function channelsOf(node: RegtestNode): Promise<readonly NodeChannel[]> {
  const adapter = openCln({ url: node.socketUrl(), log: silentLog });
  try {
    return (await adapter.listChannels?.()) ?? [];
  } finally {
    await adapter.close();
  }
}

async function connect(from: RegtestNode, to: RegtestNode): Promise<string> {
  const { id } = await to.rpc<{ id: string }>('getinfo');
  await until(`a connection to ${to.name}`, () => from.rpc('connect', { id, host: '127.0.0.1', port: to.port }).then(() => true));
  return id;
}

async function openChannel({ mine }: Regtest, from: RegtestNode, to: RegtestNode): Promise<NodeChannel> {
  const id = await connect(from, to);
  await from.rpc('fundchannel', { id, amount: 8_000_000, minconf: 0 });
  await mine(6);
  return vi.waitUntil(async () => (await channelsOf(from)).find(({ peerPubkey, state }) => peerPubkey === id && state === 'active'), WAIT);
}

/** A node closes a channel alone after a second in which its peer does not respond. */
async function close(from: RegtestNode, to: RegtestNode, id: string, isForced: boolean): Promise<void> {
  if (!isForced) return void (await from.rpc('close', { id }));
  await to.stop();
  await from.rpc('close', { id, unilateraltimeout: 1 });
  await to.start();
  await until('the close of the channel', async () => (await channelsOf(from)).some((one) => one.id === id && one.state === 'closing'));
}
