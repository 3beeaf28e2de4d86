import { describe, expect, it } from 'vitest';
import { openPlayground } from '../../../devnet/playground/playground.ts';
import { type NodeEvent, NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { allEvents, closeAfterEach, collectLog, DEADLINE_MS, openTemp, payOutside, tempDir } from './support/open.ts';

const closing = closeAfterEach();

/** Collects the ids of ended payments. */
async function paymentsSeen(events: AsyncIterable<NodeEvent>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const event of events) {
    if (event.type === 'payment') ids.push(event.paymentId);
    if (ids.length === count) break;
  }
  return ids;
}

describe('watching', () => {
  it('resumes after a position, skips nothing and repeats nothing', async () => {
    const playground = await openTemp();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await payOutside(playground, 'alice')).order.paymentId);
    const all = await allEvents(playground);
    expect(all.map((event) => event.type === 'payment' && event.paymentId)).toEqual(ids);
    const rest = playground.node.watch(all[1]?.position, AbortSignal.timeout(DEADLINE_MS));
    expect(await paymentsSeen(rest, 3)).toEqual(ids.slice(2));
  });

  it('returns events that happen while it waits, and ends with its signal', async () => {
    const playground = await openTemp();
    const abort = new AbortController();
    const seen: NodeEvent[] = [];
    const watching = (async () => {
      for await (const event of playground.node.watch(undefined, abort.signal)) {
        seen.push(event);
        if (seen.length === 2) abort.abort();
      }
    })();
    await payOutside(playground, 'alice');
    await payOutside(playground, 'carol', { feeLimitMsat: 0 });
    await watching;
    expect(seen).toHaveLength(2);
  });
});

describe('a worker that dies', () => {
  it('is replaced: the outcome of calls in progress is unknown, later ones work, and a watch continues', async () => {
    const log = collectLog();
    const worker = new URL('./support/fragile-worker.ts', import.meta.url);
    const playground = closing(await openPlayground({ dataDir: tempDir(), log, worker }));
    const { node } = playground;
    const seen = paymentsSeen(node.watch(undefined, AbortSignal.timeout(DEADLINE_MS)), 2);
    const before = await payOutside(playground, 'alice');
    const balance = await node.balance();

    const dying = nodeInvoice(node, { description: 'die', expirySeconds: 60 });
    const error: unknown = await dying.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(NodeUnavailable);

    expect(await node.balance()).toEqual(balance);
    expect(await node.pay(before.order)).toEqual(before.outcome);
    const after = await payOutside(playground, 'alice');
    expect(await seen).toEqual([before.order.paymentId, after.order.paymentId]);
    expect(log.lines.map((line) => line.level)).toEqual(['error']);
  });
});
