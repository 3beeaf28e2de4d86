import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { FAST, LOCAL } from '../webhooks/timing.ts';

const examples = join(import.meta.dirname, '..', '..', 'docs', 'examples');
const folder = mkdtempSync(join(tmpdir(), 'satchel-receivers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RECEIVERS = [
  { name: 'JavaScript', check: [process.execPath, '--version'], run: () => [process.execPath, join(examples, 'receive.mjs')] },
  { name: 'Python', check: ['python3', '--version'], run: () => ['python3', join(examples, 'receive.py')] },
  { name: 'Go', check: ['go', 'version'], run: buildGo },
] as const;

const built: string[] = [];
const isInstalled = ([command = '', ...args]: readonly string[]) => spawnSync(command, args).status === 0;

/** Building takes a minute, so both databases use one binary. */
function buildGo(): string[] {
  if (built.length > 0) return built;
  const binary = join(folder, 'receive');
  const build = spawnSync('go', ['build', '-o', binary, join(examples, 'receive.go')], {
    env: { ...process.env, GOCACHE: join(folder, 'go') },
  });
  if (build.status !== 0) throw new Error(String(build.stderr));
  built.push(binary);
  return built;
}

onFakeNode(
  'the receivers in docs/examples',
  ({ client }) => {
    let child: ChildProcess | undefined;
    afterEach(() => {
      child?.kill('SIGKILL');
    });

    for (const { name, check, run } of RECEIVERS) {
      it.skipIf(!isInstalled(check))(`${name}: accepts events once, and nothing with another signature`, async () => {
        const port = await freePort();
        const url = `http://127.0.0.1:${port}/`;
        const { id, secret } = await client.post('/v1/webhooks', { url, event_types: ['wallet_receive'] });
        const [command = '', ...args] = run();
        let printed = '';
        child = spawn(command, args, { env: { PATH: process.env.PATH, PORT: String(port), SECRET: secret } });
        child.stdout?.on('data', (text) => (printed += text));
        child.stderr?.on('data', (text) => (printed += text));
        await expect.poll(() => printed.trim()).toBe('listening');
        const delivered = () => client.get(`/v1/webhooks/${id}/deliveries?status=delivered`);
        await client.wallet(1000);
        await expect.poll(async () => (await delivered()).length).toBe(1);
        const [first] = await delivered();
        await client.post(`/v1/webhooks/${id}/deliveries/${first.id}/redeliver`);
        await client.post(`/v1/webhooks/${id}/rotate-secret`, { overlap_seconds: 60 });
        await client.post(`/v1/webhooks/${id}/test`);
        await expect.poll(async () => (await delivered()).length).toBe(3);
        expect(printed.trim().split(/\r?\n/)).toEqual(['listening', 'wallet_receive', 'webhook_test']);
        const old = Math.floor(Date.now() / 1000) - 3600;
        for (const headers of [{}, { 'webhook-id': 'evt_1', 'webhook-timestamp': String(old), 'webhook-signature': 'v1,AAAA' }])
          expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(401);
        await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
      });
    }
  },
  LOCAL,
  FAST,
);
