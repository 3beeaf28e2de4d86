import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaygroundControl } from '../../../devnet/test-network.ts';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { HistoryChanged, type LightningNode, type NodeEvent } from '../../../src/core/lightning/node.ts';
import type { Client } from '../../support/client.ts';
import { freshUrls, silentLog } from '../../support/ledger.ts';
import { processSettings, runVerify, startProcess } from '../../support/process.ts';
import { canRunNodes, type Regtest, startRegtest, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

describe('a real Core Lightning that was restored from an older copy', () => {
  if (!canRunNodes) {
    it('is not tested', ({ skip }) => skip(WITHOUT_NODES));
    return;
  }
  const urls = freshUrls('sqlite');
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-cln-restored-'));
  let network: Regtest;
  let control: PlaygroundControl;

  beforeAll(async () => {
    network = await startRegtest();
    control = regtestControl(network);
  });

  afterAll(async () => {
    await network?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Ends lightningd, and starts it with another database after `change`. */
  async function restartAfter(change: (database: string, copy: string) => void): Promise<void> {
    const { svc } = network.nodes;
    const database = join(svc.dir, 'regtest', 'lightningd.sqlite3');
    await svc.stop('SIGTERM');
    change(database, join(dataDir, 'copy.sqlite3'));
    await svc.start();
  }

  it('is noticed by the service before it books anything, and by the adapter', async () => {
    const settings = { ...(await processSettings(dataDir, await urls())), LIGHTNING_URL: network.nodes.svc.socketUrl() };
    const service = await startProcess(settings);
    const { client } = service;
    const wallet = await client.wallet();
    const receive = async (numSatoshis: number, expected: number) => {
      const { payment_request } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: numSatoshis });
      await expect.poll(async () => (await control.payInvoice({ paymentRequest: payment_request, from: 'alice' })).state).toBe('succeeded');
      await expect.poll(() => balanceOf(client, wallet.id)).toBe(expected);
    };
    await receive(100, 100);
    await restartAfter((database, copy) => copyFileSync(database, copy));
    await receive(20, 120);
    const node = openCln({ url: settings.LIGHTNING_URL, log: silentLog });
    const position = (await firstEvents(node, 2)).at(-1)?.position ?? '';
    expect(await node.knowsPosition(position)).toBe(true);

    await restartAfter((database, copy) => copyFileSync(copy, database));
    expect(await node.knowsPosition(position)).toBe(false);
    const another = openCln({ url: settings.LIGHTNING_URL, log: silentLog });
    await expect(another.watch(position, new AbortController().signal)[Symbol.asyncIterator]().next()).rejects.toThrow(HistoryChanged);
    await expect.poll(() => service.output()).toContain('node_restored');
    expect(await balanceOf(client, wallet.id)).toBe(120);
    // The channel cannot be used any more, so its funds are not the node's.
    await expect.poll(async () => (await another.balance()).localMsat).toBe(0);
    expect(await service.stop()).toBe(0);
    expect((await runVerify(settings)).output).toContain('The ledger is clean.');
  });
});

async function firstEvents(node: LightningNode, count: number): Promise<NodeEvent[]> {
  const events: NodeEvent[] = [];
  for await (const event of node.watch(undefined, AbortSignal.timeout(20_000))) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

async function balanceOf(client: Client, walletId: string): Promise<number> {
  return (await client.get(`/v1/wallet/${walletId}`)).balance;
}
