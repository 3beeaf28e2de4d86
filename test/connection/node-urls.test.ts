import { expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { connectNodes } from '../../src/core/connection/connections.ts';
import { addMissingNodes, ledgerNodes } from '../../src/core/connection/ledger-nodes.ts';
import { NodeUrls } from '../../src/core/connection/node-urls.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';

onBothDatabases('the URLs of LIGHTNING_URL', (open) => {
  it('are not taken for a node of the ledger that has no URL', async () => {
    const database = await open();
    await addMissingNodes(database, 2, 1);
    const [{ id }, other] = await ledgerNodes(database);
    const urls = new NodeUrls({ database, ledgerId: id, nodes: [new FakeNetwork({ seed: 'one' }).connect()] });
    expect(await urls.identifyUnknown()).toMatchObject([{ number: 1, found: { nodeId: id } }]);
    expect((await urls.identify(id)).nodeId).toBe(id);
    await expect(urls.identify(other?.id ?? '')).rejects.toThrow(NodeUnavailable);
  });

  it('must not lead to the same node', async () => {
    const database = await open();
    const [{ id }] = await ledgerNodes(database);
    const net = new FakeNetwork({ seed: 'one' });
    await addMissingNodes(database, 2, 1);
    const urls = new NodeUrls({ database, ledgerId: id, nodes: [net.connect(), net.connect()] });
    const message = expect.stringMatching(/^URL 2 of LIGHTNING_URL: Two URLs of LIGHTNING_URL lead to the same node/);
    expect(await urls.identifyUnknown()).toMatchObject([{ found: { nodeId: id } }, { error: { name: 'ForeignLedger', message } }]);
  });

  it('bind no node after one of another ledger when the service starts, because the start fails', async () => {
    const database = await open();
    const [foreign, second] = ['one', 'two'].map((seed) => new FakeNetwork({ seed }).connect());
    await foreign?.claimForLedger?.('lnd_another', undefined);
    const nodes = [foreign, second].flatMap((node) => node ?? []);
    const context = { database, alerts: createAlerts(database, systemClock, silentLog), onRestore: async () => undefined };
    const starting = connectNodes({ ...context, nodes, clock: systemClock, log: silentLog });
    await expect(starting).rejects.toThrow('URL 1 of LIGHTNING_URL: The Lightning node belongs to another ledger, lnd_another');
    expect((await ledgerNodes(database)).map(({ identity }) => identity)).toEqual([undefined, undefined]);
    expect(await second?.claimForLedger?.('lnd_another', undefined)).toBe('lnd_another');
  });
});
