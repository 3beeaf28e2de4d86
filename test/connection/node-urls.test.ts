import { expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { addMissingNodes, ledgerNodes } from '../../src/core/connection/ledger-nodes.ts';
import { NodeUrls } from '../../src/core/connection/node-urls.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { onBothDatabases } from '../support/ledger.ts';

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
});
