import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Outbound } from '../../src/core/outbound/outbound.ts';
import { OutboundError } from '../../src/core/outbound/outbound.ts';
import type { DeliveryRow } from '../../src/features/webhooks/deliveries.sql.ts';
import { newSecret } from '../../src/features/webhooks/secrets.ts';
import { Sending } from '../../src/features/webhooks/sending.ts';
import type { WebhookRow } from '../../src/features/webhooks/webhooks.sql.ts';
import type { WebhookDependencies } from '../../src/features/webhooks/webhooks.ts';
import { silentLog } from '../support/ledger.ts';
import { KEY } from './harness.ts';

function webhook(id = 'whk_1', { account = 'acc_1', failures = 0 } = {}): WebhookRow {
  const secrets = JSON.stringify([KEY.seal(id, newSecret())]);
  return { id, account_id: account, url: `https://shop.example/${id}`, secrets, failures, active_since: 0 } as WebhookRow;
}

/** Returns deliveries whose bodies are their ordering keys and positions, such as `a1`. */
function deliveries(to: WebhookRow, ...names: string[]) {
  return names.map((body) => {
    const row = { webhook_id: to.id, position: Number(body.slice(1)), ordering_key: body[0], state: 'claimed', attempts: 0 };
    return {
      row: { ...row, event_type: 'wallet_updated', event_position: 1, event_created_at_ms: 1, ended_at_ms: null, log: null } as DeliveryRow,
      body,
    };
  });
}

/** Takes the results, as for storing them. */
function positionsOf({ results }: Sending): number[] {
  return results.splice(0).map(({ row }) => row.position);
}

/** Sends to a receiver that responds when the test says so. */
class Receiver {
  /** The requests that wait for their response, by their body. */
  readonly open = new Map<string, PromiseWithResolvers<{ status: number; text: string }>>();
  /** The bodies of all requests. */
  readonly got: string[] = [];
  readonly hasRoom: boolean[] = [];
  readonly sending: Sending;

  constructor() {
    const post: Outbound['post'] = (_url, request) => {
      const body = String(request.body);
      const waiting = Promise.withResolvers<{ status: number; text: string }>();
      this.open.set(body, waiting);
      this.got.push(body);
      return waiting.promise;
    };
    const clock = { nowMs: () => Date.now() };
    const deps = { outbound: { post, checkUrl: () => undefined }, secretBox: KEY, clock, log: silentLog } as unknown as WebhookDependencies;
    this.sending = new Sending(deps, 1000, (hasRoom) => this.hasRoom.push(hasRoom));
    // Deliveries begin at once, however busy the process is.
    this.sending.rate.take = () => 0;
    vi.spyOn(this.sending.rate, 'perSecond', 'get').mockReturnValue(100);
    onTestFinished(() => {
      for (const { resolve } of this.open.values()) resolve({ status: 200, text: '' });
      return this.sending.stop();
    });
  }

  add(to: WebhookRow, ...names: string[]): void {
    this.sending.add(to, deliveries(to, ...names));
    this.sending.pump();
  }

  /** Responds to requests, and waits until the results are recorded. */
  async respond(status: number, ...bodies: string[]): Promise<void> {
    const before = this.hasRoom.length;
    for (const body of bodies) this.open.get(body)?.resolve({ status, text: '' });
    for (const body of bodies) this.open.delete(body);
    await expect.poll(() => this.hasRoom.length).toBe(before + bodies.length);
  }
}

describe('claimed deliveries', () => {
  it('begin one of each key, and the next one of a key when the one before has ended', async () => {
    const receiver = new Receiver();
    receiver.add(webhook(), 'a1', 'a2', 'b3', 'c4', 'a5');
    expect(receiver.got).toEqual(['a1', 'b3', 'c4']);
    await receiver.respond(200, 'a1', 'b3');
    await expect.poll(() => receiver.got.slice(3)).toEqual(['a2']);
    await receiver.respond(200, 'a2');
    await expect.poll(() => receiver.got.slice(4)).toEqual(['a5']);
    await receiver.respond(200, 'c4', 'a5');
    expect(receiver.sending.counts).toEqual({ delivered: 5, failed: 0, dead: 0 });
    expect(positionsOf(receiver.sending).toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(receiver.sending.positions).toEqual([]);
  });

  it('are at most eight to one endpoint, sixteen to one account, and one to an endpoint that is down', () => {
    const receiver = new Receiver();
    const names = (from: number) => Array.from('abcdefghijkl', (key, index) => `${key}${from + index}`);
    receiver.add(webhook('whk_1'), ...names(100));
    expect(receiver.got).toHaveLength(8);
    receiver.add(webhook('whk_2'), ...names(200));
    receiver.add(webhook('whk_3'), ...names(300));
    expect(receiver.got).toHaveLength(16);
    receiver.add(webhook('whk_4', { account: 'acc_2', failures: 4 }), ...names(400));
    receiver.add(webhook('whk_5', { account: 'acc_3', failures: 5 }), ...names(500));
    expect(receiver.got.filter((name) => name.startsWith('a4') || /[b-l]4/.test(name))).toHaveLength(8);
    expect(receiver.got.filter((name) => /[a-l]5/.test(name))).toEqual(['a500']);
  });

  it('to endpoints that are down take at most a quarter of the slots', () => {
    const receiver = new Receiver();
    for (let i = 10; i < 40; i++) receiver.add(webhook(`whk_${i}`, { account: `acc_${i}`, failures: 9 }), `a${i}`);
    expect(receiver.got).toHaveLength(16);
    receiver.add(webhook('whk_up', { account: 'acc_up' }), 'a99');
    expect(receiver.got).toHaveLength(17);
  });

  it('to endpoints of one account that are down leave slots for those of others', () => {
    const receiver = new Receiver();
    for (let i = 10; i < 30; i++) receiver.add(webhook(`whk_${i}`, { failures: 9 }), `a${i}`);
    expect(receiver.got).toHaveLength(4);
    receiver.add(webhook('whk_other', { account: 'acc_2', failures: 9 }), 'a99');
    expect(receiver.got).toHaveLength(5);
  });

  it('whose result cannot be recorded do not end the process, and delay no other key', async () => {
    const receiver = new Receiver();
    const [broken, ...others] = deliveries(webhook(), 'a1', 'b2');
    if (!broken) throw new Error('a delivery is missing');
    receiver.sending.add(webhook(), [{ ...broken, row: { ...broken.row, log: 'not JSON' } }, ...others]);
    receiver.sending.pump();
    receiver.open.get('a1')?.resolve({ status: 200, text: '' });
    await receiver.respond(200, 'b2');
    expect(positionsOf(receiver.sending)).toEqual([2]);
    expect(receiver.sending.positions).toEqual([1]);
  });

  it('that fail leave the later ones of their key to a later claim, and do not delay other keys', async () => {
    const receiver = new Receiver();
    receiver.add(webhook(), 'a1', 'a2', 'a3', 'b4', 'b5');
    await receiver.respond(500, 'a1');
    await receiver.respond(200, 'b4');
    await expect.poll(() => receiver.got).toEqual(['a1', 'b4', 'b5']);
    expect(positionsOf(receiver.sending)).toEqual([1, 2, 3, 4]);
    expect(receiver.sending.positions).toEqual([5]);
  });

  it('are given up when their endpoint goes down, apart from those that are being sent', async () => {
    const receiver = new Receiver();
    const names = Array.from('abcdefghijkl', (key, index) => `${key}${index}`);
    receiver.add(webhook('whk_1', { failures: 3 }), ...names);
    await receiver.respond(500, 'a0', 'b1');
    expect(receiver.got).toHaveLength(8);
    expect(receiver.sending.positions.toSorted((x, y) => x - y)).toEqual(names.map((_, index) => index));
    positionsOf(receiver.sending);
    expect(receiver.sending.positions.toSorted()).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it('of a webhook that is no longer active are given up', async () => {
    const receiver = new Receiver();
    receiver.add(webhook(), 'a1', 'a2', 'b3', 'b4');
    receiver.sending.update([]);
    expect(positionsOf(receiver.sending)).toEqual([2, 4]);
    await receiver.respond(200, 'a1', 'b3');
    receiver.sending.update([]);
    expect(receiver.got).toEqual(['a1', 'b3']);
    expect(receiver.sending.webhookIds).toEqual([]);
  });

  it('that were not sent begin again before the later ones of their key', async () => {
    const receiver = new Receiver();
    receiver.add(webhook(), 'a1', 'a2');
    receiver.open.get('a1')?.reject(new OutboundError('busy', 'too many'));
    await expect.poll(() => receiver.got).toEqual(['a1', 'a1']);
    receiver.open.get('a1')?.reject(new TypeError('a bug'));
    await expect.poll(() => receiver.got).toEqual(['a1', 'a1', 'a1']);
    await receiver.respond(200, 'a1');
    await expect.poll(() => receiver.got.slice(3)).toEqual(['a2']);
    expect(receiver.sending.counts).toEqual({ delivered: 1, failed: 0, dead: 0 });
    await receiver.respond(200, 'a2');
  });

  it('are selected from webhooks with room, at most a quarter of all for one account', () => {
    const { sending } = new Receiver();
    const ids = (count: number, account: string) =>
      Array.from({ length: count }, (_, i) => ({ id: `${account} ${i}`, account_id: account }));
    const { limit } = sending.selectClaimable([], 16);
    const ofOne = sending.selectClaimable(ids(10, 'acc_1'), 16).ids;
    expect(ofOne).toHaveLength(Math.ceil((2 * sending.rate.perSecond) / 4 / limit));
    expect(sending.selectClaimable([...ids(10, 'acc_1'), ...ids(1, 'acc_2')], 16).ids).toEqual([...ofOne, 'acc_2 0']);
    expect(sending.selectClaimable(ids(1, 'acc_1').concat(ids(1, 'acc_2')), 1).ids).toHaveLength(1);
    const full = webhook('acc_3 0', { account: 'acc_3' });
    sending.add(full, deliveries(full, ...Array.from({ length: limit }, (_, i) => `a${i}`)));
    expect(sending.selectClaimable(ids(2, 'acc_3'), 16).ids).toEqual([]);
  });

  it('are given back when the service stops', async () => {
    const receiver = new Receiver();
    receiver.add(webhook(), 'a1', 'a2', 'b3');
    const stopped = receiver.sending.stop();
    await receiver.respond(200, 'a1', 'b3');
    await stopped;
    receiver.add(webhook(), 'c4');
    expect(receiver.got).toEqual(['a1', 'b3']);
    expect(positionsOf(receiver.sending)).toEqual([1, 3, 2, 4]);
    expect(receiver.sending.selectClaimable([{ id: 'whk_1', account_id: 'acc_1' }], 16)).toEqual({ ids: [], limit: 0 });
  });
});
