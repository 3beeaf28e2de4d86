import { expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { addMissingNodes, ledgerNodes } from '../../src/core/connection/binding.ts';
import { Endpoints } from '../../src/core/connection/endpoint.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { onBothDatabases } from '../support/ledger.ts';

onBothDatabases('the endpoints of LIGHTNING_URL', (open) => {
  it('are not taken for a node of the ledger that has no URL', async () => {
    const database = await open();
    await addMissingNodes(database, 2, 1);
    const [{ id }, other] = await ledgerNodes(database);
    const endpoints = new Endpoints({ database, ledgerId: id }, [new FakeNetwork({ seed: 'one' }).connect()]);
    expect(await endpoints.identifyAll()).toEqual([]);
    expect(endpoints.of(id)?.matched?.id).toBe(id);
    expect(endpoints.of(other?.id ?? '')).toBeUndefined();
    await expect(endpoints.identify(other?.id ?? '')).rejects.toThrow(NodeUnavailable);
  });

  it('must not lead to the same node', async () => {
    const database = await open();
    const [{ id }] = await ledgerNodes(database);
    const net = new FakeNetwork({ seed: 'one' });
    await addMissingNodes(database, 2, 1);
    const endpoints = new Endpoints({ database, ledgerId: id }, [net.connect(), net.connect()]);
    await expect(endpoints.identifyAll()).rejects.toThrow(/^URL 2 of LIGHTNING_URL: Two URLs of LIGHTNING_URL lead to the same node/);
  });
});
