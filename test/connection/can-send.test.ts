import { expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { NodeConnection } from '../../src/core/connection/connection.ts';
import { connectNodes } from '../../src/core/connection/connections.ts';
import type { Database } from '../../src/core/db/database.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import type { LightningNode } from '../../src/core/lightning/node.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';

onBothDatabases('requireCanSend', (open) => {
  it('accepts payments as soon as a channel of the node is active', async () => {
    const { net, connection, withoutChannel } = await connected(await open());
    withoutChannel();
    await expect(connection.requireCanSend()).rejects.toThrow('cannot send payments now: the node has no active channel');
    net.always('info', undefined);
    await expect(connection.requireCanSend()).resolves.toBeUndefined();
  });

  it('accepts payments as soon as the node has read the blocks that it lacked', async () => {
    const { net, connection } = await connected(await open());
    const info = await connection.readInfo();
    const blockHeight = info.chain?.blockHeight ?? 0;
    connection.reportPayee(blockHeight + 5);
    await expect(connection.requireCanSend()).rejects.toThrow('behind the blockchain');
    net.always('info', { instead: { ...info, chain: { blockHeight: blockHeight + 5, isSynced: true } } });
    await connection.readInfo();
    await expect(connection.requireCanSend()).resolves.toBeUndefined();
  });

  it('reads the node again after the connection was lost, because a node that was restarted has no active channel at first', async () => {
    const { net, connection, withoutChannel } = await connected(await open());
    const watching = connection.watch(undefined, new AbortController().signal)[Symbol.asyncIterator]().next();
    await connection.requireCanSend();
    withoutChannel();
    // The last report is used for some seconds.
    await expect(connection.requireCanSend()).resolves.toBeUndefined();
    net.restart();
    await expect(watching).rejects.toThrow();
    await expect(connection.requireCanSend()).rejects.toThrow('no active channel');
  });
});

onBothDatabases('isAvailable', (open) => {
  it('reads the node again as soon as it was identified again, because its payments are resumed then', async () => {
    const { net, connection } = await connected(await open());
    const watching = connection.watch(undefined, new AbortController().signal)[Symbol.asyncIterator]().next();
    await connection.readInfo();
    net.restart();
    await expect(watching).rejects.toThrow();
    net.always('info', { unavailable: true });
    await expect.poll(() => connection.isAvailable()).toBe(false);
    net.always('info', undefined);
    await connection.readInfo();
    expect(await connection.isAvailable()).toBe(true);
  });
});

onBothDatabases('a credential that lacks a permission', (open) => {
  it('makes the node unavailable until it is replaced, and nothing is created at the node', async () => {
    const credential = { missing: ['CancelInvoice'], excessive: [], command: 'create' };
    const { connection } = await connected(await open(), { checkCredential: async () => credential });
    expect(await connection.isAvailable()).toBe(false);
    expect(await connection.answers()).toBe(true);
    for (const requirement of [connection.requirePermitted(), connection.requireAvailable(), connection.requireCanSend()])
      await expect(requirement).rejects.toMatchObject({ type: 'node_unavailable' });
    credential.missing = [];
    await expect.poll(() => connection.requirePermitted().then(() => 'permitted', String)).toBe('permitted');
    expect(await connection.isAvailable()).toBe(true);
  });
});

async function connected(database: Database, more: Partial<LightningNode> = {}) {
  const net = new FakeNetwork({ seed: 'can send' });
  const node: LightningNode = Object.assign(net.connect(), more);
  const alerts = createAlerts(database, systemClock, silentLog);
  const connections = await connectNodes({
    database,
    nodes: [node],
    alerts,
    onRestore: async () => undefined,
    clock: systemClock,
    log: silentLog,
  });
  const info = await node.info();
  const withoutChannel = () => net.always('info', { instead: { ...info, cannotSend: 'the node has no active channel' } });
  return { net, connection: connections.all[0] as NodeConnection, withoutChannel };
}
