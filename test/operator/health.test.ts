import { describe, expect, it } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import type { NodeChannel } from '../../src/core/lightning/node-channel.ts';
import { HEALTH_LIMITS, type HealthState, judge, type Observation } from '../../src/features/operator/health/judge.ts';
import { onFakeNode } from '../support/app.ts';

const NOW = 1_800_000_000;

function observed(changes: Partial<Observation> = {}): Observation {
  const healthy = { cannotSend: undefined, blockHeight: 800, chain: { state: 'current' as const }, unsyncedSeconds: 0 };
  return { nodeId: 'lnd_1', ...healthy, channels: [channel()], rate: undefined, ...changes };
}

function channel(changes: Partial<NodeChannel> = {}): NodeChannel {
  const amounts = { capacityMsat: msat(10_000_000), spendableMsat: msat(4_000_000), receivableMsat: msat(3_000_000) };
  return { id: 'a:0', peerPubkey: '02'.repeat(33), peerAlias: 'alice', state: 'active', isPrivate: false, ...amounts, ...changes };
}

/** Judges the same observation at the start and after some seconds. @returns the alerts then, as `kind subject` */
function alertsAfter(seconds: number, seen: Observation): string[] {
  const { state } = judge(seen, {}, HEALTH_LIMITS, NOW);
  return judge(seen, state, HEALTH_LIMITS, NOW + seconds).alerts.map(({ kind, subject }) => `${kind} ${subject}`);
}

describe('the health of a node', () => {
  it('has an alert five minutes after the node could send for the last time', () => {
    const seen = observed({ cannotSend: 'LND has no active channel' });
    expect([alertsAfter(299, seen), alertsAfter(300, seen)]).toEqual([[], ['node_cannot_send lnd_1']]);
  });

  it('has an alert an hour after a channel became inactive, which starts anew when it was active in between', () => {
    const seen = observed({ channels: [channel({ state: 'inactive' })] });
    expect([alertsAfter(3599, seen), alertsAfter(3600, seen)]).toEqual([[], ['channel_lost lnd_1 a:0']]);
    const { state } = judge(seen, {}, HEALTH_LIMITS, NOW);
    const active = judge(observed(), state, HEALTH_LIMITS, NOW + 1800);
    expect(judge(seen, active.state, HEALTH_LIMITS, NOW + 3600).alerts).toEqual([]);
  });

  it('has an alert with the amount in limbo when a channel is being closed by force, and none when both sides close it', () => {
    const closing = (isForced: boolean, limboMsat = 2_500_000) =>
      observed({ channels: [channel({ state: 'closing', closing: { isForced, limboMsat: msat(limboMsat) } })] });
    expect(alertsAfter(0, closing(false))).toEqual([]);
    // Its money has arrived, but the node still lists it.
    expect([alertsAfter(0, closing(true, 1)), alertsAfter(0, closing(true, 0))]).toEqual([['channel_lost lnd_1 a:0'], []]);
    const { alerts } = judge(closing(true), {}, HEALTH_LIMITS, NOW);
    expect(alerts).toMatchObject([{ kind: 'channel_lost', details: { amount_msat: 2_500_000, status: 'closing', name: 'alice' } }]);
  });

  it('has an alert when the node has not been synchronized for ten minutes', () => {
    expect(alertsAfter(0, observed({ unsyncedSeconds: 599 }))).toEqual([]);
    expect(alertsAfter(0, observed({ unsyncedSeconds: 600 }))).toEqual(['node_not_synced lnd_1']);
  });

  it('has an alert at once when the node is behind, which closes only when it has read a newer block', () => {
    const behind = judge(observed({ chain: { state: 'behind', reason: 'it stands still' } }), {}, HEALTH_LIMITS, NOW);
    expect(behind.alerts).toMatchObject([{ kind: 'node_behind', subject: 'lnd_1' }]);
    const same = judge(observed(), behind.state, HEALTH_LIMITS, NOW + 1);
    expect(same.alerts).toEqual([]);
    expect(same.unknown).toContain('node_behind');
    expect(judge(observed({ blockHeight: 801 }), same.state, HEALTH_LIMITS, NOW + 2).unknown).not.toContain('node_behind');
  });

  it('has alerts when a day needs more than the channels can send or receive, and closes them at 110 % of a day', () => {
    const rate = { outDayMsat: 4_000_001, inDayMsat: 3_000_000 };
    const low = judge(observed({ rate }), {}, HEALTH_LIMITS, NOW);
    expect(low.alerts).toMatchObject([{ kind: 'liquidity_low', subject: 'lnd_1 sending', details: { amount_msat: 4_000_000 } }]);
    const more = (spendable: number, state: HealthState) =>
      judge(observed({ rate, channels: [channel({ spendableMsat: msat(spendable) })] }), state, HEALTH_LIMITS, NOW);
    expect(more(4_200_000, low.state).alerts).toHaveLength(1);
    expect(more(4_500_000, low.state).alerts).toEqual([]);
  });

  it('changes no alert about channels while the node does not list them', () => {
    const { alerts, unknown, state } = judge(observed({ channels: undefined }), { inactive: { 'a:0': 5 } }, HEALTH_LIMITS, NOW);
    expect([alerts, unknown, state.inactive]).toEqual([[], ['channel_lost', 'liquidity_low'], { 'a:0': 5 }]);
  });
});

const AT_ONCE = { pollNodesMs: 20, health: { cannotSend: 0, notSynced: 0, inactive: 0 } };

onFakeNode(
  'the health of the fake node',
  ({ client, net, openAlerts, problems }) => {
    const kinds = async () => (await openAlerts()).map(({ kind }) => kind);
    const readiness = async () => (await client.request('GET', '/readyz')).body;

    it('raises and closes an alert when it cannot send, and is partial meanwhile', async () => {
      net.health.cannotSend = 'it has no active channel';
      await expect.poll(kinds).toEqual(['node_cannot_send']);
      await expect.poll(readiness).toMatchObject({ status: 'ready', node: 'partial' });
      net.health.cannotSend = undefined;
      await expect.poll(kinds).toEqual([]);
      await expect.poll(readiness).toMatchObject({ node: 'ok' });
    });

    it('raises and closes an alert when its channel is inactive, or is being closed by force', async () => {
      net.health.channel = 'inactive';
      await expect.poll(kinds).toEqual(['channel_lost']);
      await expect.poll(readiness).toMatchObject({ node: 'partial' });
      net.health.channel = 'active';
      await expect.poll(kinds).toEqual([]);
      net.health.closing = [{ id: 'b:1', peerPubkey: '03'.repeat(33), isForced: true, limboMsat: msat(7000) }];
      await expect.poll(kinds).toEqual(['channel_lost']);
      expect((await openAlerts())[0]?.message).toContain('b:1');
      net.health.closing = [];
      await expect.poll(kinds).toEqual([]);
    });

    it('is behind when a payee is ahead: payments and new hold invoices are rejected until it has read a block', async () => {
      const wallet = await client.wallet(100);
      const pay = () => {
        const { paymentRequest } = net.outside.invoice({ amountMsat: 5000 });
        return client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
          key: client.secretKey,
          json: { payment_request: paymentRequest },
        });
      };
      net.nextPayment({ fail: 'NODE_BEHIND' });
      net.next('pay', { instead: { state: 'failed', reason: 'NODE_BEHIND', payeeHeight: 104 } });
      const failed = await pay();
      expect(failed).toMatchObject({ status: 400, body: { type: 'payment_failed' } });
      expect(failed.body.message).toContain('behind the blockchain');
      await expect.poll(kinds).toEqual(['node_behind']);
      expect(await pay()).toMatchObject({ status: 503, body: { message: expect.stringContaining('a payee was at block 104') } });
      const hold = { num_satoshis: 5, hold_hash: 'ab'.repeat(32) };
      expect(await client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: client.secretKey, json: hold })).toMatchObject({
        status: 503,
      });
      expect(await readiness()).toMatchObject({ node: 'behind' });
      net.health.chain = { blockHeight: 104, isSynced: true };
      await expect.poll(kinds).toEqual([]);
      expect(await pay()).toMatchObject({ status: 201 });
      expect(await problems()).toEqual([]);
    });

    it('limits the payable amount, and hints at an invoice that is larger than what can arrive', async () => {
      const wallet = await client.wallet(100_000);
      const payable = async () => (await client.get(`/v1/wallet/${wallet.id}`)).max_payable_msat;
      const invoice = (sats: number) => client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: sats });
      await expect.poll(payable).toBe(95_238_096);
      expect(await invoice(1)).toMatchObject({ receivable_msat: null });
      net.addFunds(50_000_000 - 5_000_100_000_000);
      await expect.poll(payable).toBeLessThan(50_000_000);
      net.addFunds(9_999_900_000_000 - 50_000_000);
      await expect.poll(async () => (await invoice(1_000_000)).receivable_msat).not.toBe(null);
      net.addFunds(5_000_100_000_000 - 9_999_900_000_000);
    });
  },
  {},
  AT_ONCE,
);

onFakeNode(
  'the blockchain of the fake node',
  ({ client, net, openAlerts, restart }) => {
    it('is behind while its newest block is too old, and the alert comes and goes', async () => {
      const kinds = async () => (await openAlerts()).map(({ kind }) => kind);
      const readiness = async () => (await client.request('GET', '/readyz')).body.node;
      await restart(() => {
        net.health.chain = { blockHeight: 102, isSynced: true, tipAt: 1 };
      });
      await expect.poll(kinds).toEqual(['node_behind']);
      await expect.poll(readiness).toBe('behind');
      net.health.chain = { blockHeight: 103, isSynced: true, tipAt: Math.floor(Date.now() / 1000) };
      await expect.poll(kinds).toEqual([]);
      net.health.chain = { ...net.health.chain, isSynced: false };
      await expect.poll(kinds).toContain('node_not_synced');
      net.health.chain = { ...net.health.chain, blockHeight: 104, isSynced: true };
      await expect.poll(kinds).toEqual([]);
    });
  },
  { MAX_BLOCK_AGE_SECONDS: '3600' },
  AT_ONCE,
);
