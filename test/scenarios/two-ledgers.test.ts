import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { type Satchel, startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import { freshUrls } from '../support/ledger.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`two ledgers on one node (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const folders: string[] = [];
    const running = new Set<Satchel>();
    afterAll(async () => {
      await Promise.all([...running].map((one) => one.close()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });

    async function start(net: FakeNetwork, DATABASE_URL: string, settings: Record<string, string> = {}): Promise<Satchel> {
      const DATA_DIR = mkdtempSync(join(tmpdir(), 'satchel-ledgers-'));
      folders.push(DATA_DIR);
      const config = readConfig({ DATA_DIR, DATABASE_URL, LOG_LEVEL: 'silent', ...settings });
      const one = await startSatchel(config, { openDatabase, openNode: async () => ({ node: net.connect(), playground: net.control }) });
      running.add(one);
      return one;
    }
    async function stop(one: Satchel): Promise<void> {
      running.delete(one);
      await one.close();
    }

    it('rejects the start of the second with a remedy, and does not bind its database to the node', async () => {
      const net = new FakeNetwork();
      const [first, second] = [await urls(), await urls()];
      const one = await start(net, first);
      const refused = start(net, second);
      await expect(refused).rejects.toThrow(/belongs to another ledger, (lnd_\w+); .* start this one with TAKE_OVER_FROM_LEDGER=\1\.$/);
      await stop(await start(new FakeNetwork({ seed: 'another' }), second));
      await stop(one);
      await stop(await start(net, first));
    });

    it('lets the second take over with TAKE_OVER_FROM_LEDGER, and then rejects the first', async () => {
      const net = new FakeNetwork();
      const [first, second] = [await urls(), await urls()];
      await stop(await start(net, first));
      const owner = await net.connect().claimForLedger('lnd_nobody', undefined);
      await expect(start(net, second, { TAKE_OVER_FROM_LEDGER: 'lnd_nobody' })).rejects.toThrow('belongs to another ledger');
      await stop(await start(net, second, { TAKE_OVER_FROM_LEDGER: owner }));
      await stop(await start(net, second));
      await expect(start(net, first)).rejects.toThrow('belongs to another ledger');
    });

    it('accepts the ledger of a node that was restored from a backup made before it was claimed', async () => {
      const net = new FakeNetwork();
      const first = await urls();
      const backup = net.backup();
      await stop(await start(net, first));
      net.restore(backup);
      await stop(await start(net, first));
      await expect(start(net, await urls())).rejects.toThrow('belongs to another ledger');
    });

    it('accepts a node that did not answer at the start only when no other ledger claims it', async () => {
      const net = new FakeNetwork();
      await stop(await start(net, await urls()));
      net.down();
      const second = await start(net, await urls());
      net.up();
      expect(await second.isNodeAvailable()).toBe(false);
    });

    if (dialect === 'postgres')
      it('accepts several instances of one ledger', async () => {
        const net = new FakeNetwork();
        const shared = await urls();
        await Promise.all([start(net, shared), start(net, shared), start(net, shared)]);
      });
  });
}
