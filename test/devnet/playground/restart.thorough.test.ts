import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openPlayground } from '../../../devnet/playground/playground.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { closeAfterEach, collectLog, findEvent, newInvoice, outsideSays, payOutside, tempDir, until } from './support/open.ts';

const closing = closeAfterEach();

describe('a restart', () => {
  it('keeps nodes, channels, balance and completed payments', async () => {
    const options = { dataDir: tempDir(), log: collectLog() };
    const first = await openPlayground(options);
    const { order, outcome } = await payOutside(first, 'carol', { feeLimitMsat: 5_000 });
    const [info, balance] = [await first.node.info(), await first.node.balance()];
    await first.node.close();
    const second = closing(await openPlayground(options));
    expect(await second.node.info()).toEqual(info);
    expect(await second.node.balance()).toEqual(balance);
    expect(await second.node.pay(order)).toEqual(outcome);
    expect((await payOutside(second, 'carol', { feeLimitMsat: 5_000 })).outcome.state).toBe('succeeded');
    expect(options.log.lines).toEqual([]);
  });

  it('is possible with every alias of a channel, because the block of the aliases confirms no channel', async () => {
    const dataDir = tempDir();
    await (await openPlayground({ dataDir, log: collectLog() })).node.close();
    const db = new DatabaseSync(join(dataDir, 'playground.db'));
    const blocks = db.prepare('SELECT height, txs FROM blocks ORDER BY height').all();
    db.close();
    expect(blocks.map(({ height, txs }) => [height, JSON.parse(String(txs)).length]).slice(0, 3)).toEqual([
      [1, 0],
      [2, 2],
      [3, 0],
    ]);
  });

  it('keeps a payment in flight, whose end comes later', async () => {
    const options = { dataDir: tempDir(), log: collectLog() };
    const first = await openPlayground(options);
    const { order } = await payOutside(first, 'carol', { hold: true, feeLimitMsat: 5_000 });
    await first.node.close();
    const second = closing(await openPlayground(options));
    expect(await second.node.pay(order)).toEqual({ state: 'pending' });
    await second.control.resolveHold(order.paymentHash, 'settle');
    const event = await findEvent(second.node, (each) => each.type === 'payment' && each.paymentId === order.paymentId);
    expect(event).toMatchObject({ outcome: { state: 'succeeded', feeMsat: 1_100 } });
  });

  it('calls the guard again for payments that wait for its decision', async () => {
    const options = { dataDir: tempDir(), log: collectLog() };
    const first = await openPlayground(options);
    const { paymentRequest, paymentHash } = await newInvoice(first.node);
    // The payment waits because there is no guard.
    void first.control.payInvoice({ paymentRequest, from: 'alice' }).catch(() => undefined);
    await until(async () => ((await outsideSays(first, 'alice', 'sent', paymentHash)) ? true : undefined));
    await first.node.close();
    const second = closing(await openPlayground(options));
    second.node.guardIncoming(async () => 'claim');
    await findEvent(second.node, (each) => each.type === 'settlement' && each.paymentHash === paymentHash);
    expect(await outsideSays(second, 'alice', 'sent', paymentHash)).toMatchObject({ state: 'succeeded' });
  });
});

describe('closing', () => {
  it('ends a watch, and leaves the node unavailable', async () => {
    const { node } = await openPlayground({ dataDir: tempDir(), log: collectLog() });
    const watching = (async () => {
      for await (const event of node.watch(undefined, new AbortController().signal)) throw new Error(`there was ${event.type}`);
    })();
    await node.close();
    await watching;
    await expect(newInvoice(node)).rejects.toThrow(NodeUnavailable);
    await node.close();
  });
});

describe('the lock', () => {
  it('rejects a second process with the remedy', async () => {
    const dataDir = tempDir();
    const first = closing(await openPlayground({ dataDir, log: collectLog() }));
    const script = new URL('./support/open-once.ts', import.meta.url).pathname;
    const second = spawnSync(process.execPath, [script, dataDir], { encoding: 'utf8' });
    expect(second.stdout).toMatch(/playground\.db is in use by another process; stop that process or use another data directory/);
    expect((await payOutside(first, 'alice', { amountMsat: msat(1_000) })).outcome.state).toBe('succeeded');
  });

  it('rejects a second playground in the same process, and is free after a close', async () => {
    const options = { dataDir: tempDir(), log: collectLog() };
    const first = await openPlayground(options);
    await expect(openPlayground(options)).rejects.toThrow('in use by another process');
    await first.node.close();
    closing(await openPlayground(options));
  });
});
