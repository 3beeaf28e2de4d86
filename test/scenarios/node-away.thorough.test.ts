import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlaygroundServer, servePlayground } from '../../devnet/playground/server.ts';
import { type Satchel, startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { type Client, clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { freshUrls, silentLog } from '../support/ledger.ts';

const SECRET = 'a secret of this test';

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`S10: a node that cannot be reached at the start (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const folder = mkdtempSync(join(tmpdir(), 'satchel-away-'));
    const secretKey = newKeyText('secret_api');
    let satchel: Satchel | undefined;
    let node: PlaygroundServer | undefined;
    let client: Client;
    let settings: Record<string, string>;
    let nodePort: number;

    const startNode = async (name: string) =>
      servePlayground({ dataDir: join(folder, name), host: '127.0.0.1', port: nodePort, secret: SECRET, log: silentLog });
    async function startService(): Promise<void> {
      const config = readConfig(settings);
      satchel = await startSatchel(config);
      await satchel.server.listen({ host: '127.0.0.1', port: config.port });
    }
    const readiness = () => client.request('GET', '/readyz');
    async function untilReady(): Promise<void> {
      while ((await readiness()).status !== 200) await delay(50);
    }

    beforeAll(async () => {
      nodePort = await freePort();
      const port = String(await freePort());
      const LIGHTNING_URL = `playground://127.0.0.1:${nodePort}?secret=${encodeURIComponent(SECRET)}`;
      const own = { DATA_DIR: folder, DATABASE_URL: await urls(), PORT: port, LIGHTNING_URL };
      settings = { ...own, LOG_LEVEL: 'silent', BOOTSTRAP_SECRET_KEY: secretKey };
      client = clientOf(`http://127.0.0.1:${port}`, secretKey, '');
    });
    afterAll(async () => {
      await satchel?.close();
      await node?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('on the first start: the API runs, reports it, and works when the node answers', async () => {
      await startService();
      expect(await readiness()).toMatchObject({ status: 503, body: { status: 'not ready', database: 'ok', node: 'unavailable' } });
      const wallet = await client.wallet();
      const refused = await client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: secretKey, json: { num_satoshis: 5 } });
      expect(refused).toMatchObject({ status: 503, body: { type: 'node_unavailable' } });
      expect(refused.headers.get('retry-after')).toBe('1');
      node = await startNode('node');
      await untilReady();
      expect((await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 })).settled).toBe(0);
    });

    it('P1: later: reads work, sends are 503 and hold nothing, and the service recovers without a restart', async () => {
      const wallet = await client.wallet(1000);
      const invoice = (await client.post('/playground/invoice', { num_satoshis: 100 })).payment_request;
      await satchel?.close();
      await node?.close();
      await startService();
      expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
      expect(await client.get(`/v1/wallet/${wallet.id}/transactions`)).toHaveLength(1);
      const sends: [string, object][] = [
        ['withdraw', { payment_request: invoice }],
        ['keysend', { dest_pubkey: '02'.padEnd(65, '0').concat('2'), num_satoshis: 10 }],
      ];
      for (const [route, json] of sends) {
        const sent = await client.request('POST', `/v1/wallet/${wallet.id}/${route}`, { key: secretKey, json });
        expect(sent).toMatchObject({ status: 503, body: { type: 'node_unavailable' } });
      }
      expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
      node = await startNode('node');
      await untilReady();
      const paid = await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: invoice });
      expect(paid).toMatchObject({ status: 'settled', num_satoshis: -100 });
    });

    it('N3: another node in its place is never used: nothing is sent through it until the bound node answers', async () => {
      const wallet = await client.wallet(1000);
      const invoice = (await client.post('/playground/invoice', { num_satoshis: 100 })).payment_request;
      await node?.close();
      node = await startNode('stranger');
      while ((await readiness()).status !== 503) await delay(50);
      const sent = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: secretKey, json: { payment_request: invoice } });
      expect(sent).toMatchObject({ status: 503, body: { type: 'node_unavailable' } });
      await satchel?.close();
      satchel = undefined;
      await expect(startService()).rejects.toThrow('This database holds the ledger of node');
    });
  });
}
