import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { type Satchel, startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { LightningNode } from '../../src/core/lightning/node.ts';
import { freshUrls } from '../support/ledger.ts';
import { nodeInvoice } from '../support/node-invoice.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`two ledgers on one node (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const folders: string[] = [];
    const running = new Set<Satchel>();
    /** That of the service which was started last. */
    let database: Database | undefined;
    afterAll(async () => {
      await Promise.all([...running].map((one) => one.close()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });

    async function start(
      net: FakeNetwork,
      DATABASE_URL: string,
      settings: Record<string, string> = {},
      more: Partial<LightningNode> = {},
    ): Promise<Satchel> {
      const DATA_DIR = mkdtempSync(join(tmpdir(), 'satchel-ledgers-'));
      folders.push(DATA_DIR);
      const config = readConfig({ DATA_DIR, DATABASE_URL, LOG_LEVEL: 'silent', SECRET_KEY: 'ab'.repeat(32), ...settings });
      const one = await startSatchel(config, {
        async openDatabase(...options) {
          database = await openDatabase(...options);
          return database;
        },
        openNode: async () => ({ node: Object.assign(net.connect(), more), playground: net.control }),
      });
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

    it('skips what arrived before a new ledger, unless it takes over from another', async () => {
      for (const [settings, expected] of [
        [{}, 1],
        [{ TAKE_OVER_FROM_LEDGER: 'lnd_lost' }, 2],
      ] as const) {
        const net = new FakeNetwork();
        const url = await urls();
        const before = net.connect();
        before.guardIncoming(async () => 'claim');
        const receive = async () => {
          const { paymentRequest } = await nodeInvoice(before, { amountMsat: msat(1_000), description: '', expirySeconds: 60 });
          await net.control.payInvoice({ paymentRequest, from: 'alice' });
        };
        await receive();
        const event = await firstOf(before.watch(undefined, new AbortController().signal));
        const newest = { newestSettlement: async () => (event?.type === 'settlement' ? event : undefined) };
        const one = await start(net, url, settings, newest);
        // The service's guard refuses invoices that it did not create.
        net.connect().guardIncoming(async () => 'claim');
        await receive();
        const count = statement<{ n: number }>('test_settlements', 'SELECT count(*) AS n FROM settlement');
        await expect.poll(async () => (await database?.first(count))?.n).toBe(expected);
        await stop(one);
      }
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

async function firstOf<T>(events: AsyncIterable<T>): Promise<T | undefined> {
  for await (const event of events) return event;
  return undefined;
}
