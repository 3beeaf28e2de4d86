import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Json } from '../support/client.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'satchel-fake-kill-'));
const services: ServiceProcess[] = [];
afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  rmSync(folder, { recursive: true, force: true });
});

it('loses nothing after kill -9 with the fake node: the next start resolves each held, lost or slow payment once', async () => {
  const settings = {
    ...(await processSettings(folder, `sqlite:${join(folder, 'satchel.db')}`)),
    LIGHTNING_URL: 'fake:?seed=kill',
    PAYMENT_WAIT_SECONDS: '0',
  };
  const start = async () => {
    const service = await startProcess(settings);
    services.push(service);
    return service;
  };
  const first = await start();
  expect(first.output()).toContain('The Lightning node is a FAKE');
  const wallet = await first.client.wallet(10_000);
  const hashes: Record<string, string> = {};
  for (const memo of ['hold', 'hang', 'lose-answer', 'delay=1', 'fail=TIMEOUT']) {
    const invoice = await first.client.post('/playground/invoice', { num_satoshis: 100, memo });
    hashes[memo] = invoice.payment_hash;
    const path = `/v1/wallet/${wallet.id}/withdraw`;
    await first.client.request('POST', path, { key: first.client.secretKey, json: { payment_request: invoice.payment_request } });
  }
  await first.kill();

  const { client } = await start();
  for (const memo of ['hold', 'hang']) await client.decideHold(hashes[memo] as string, 'settle');
  const lnTx = async (memo: string): Promise<Json> => client.get(`/v1/lntx/${hashes[memo]}`);
  while ((await client.get(`/v1/wallet/${wallet.id}`)).pending_msat > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const memo of ['hold', 'hang', 'lose-answer', 'delay=1']) expect(await lnTx(memo)).toMatchObject({ status: 'settled' });
  expect(await lnTx('fail=TIMEOUT')).toMatchObject({ status: 'failed' });
  expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(9_600);
  const { payments } = await client.get('/playground/payments');
  const received = payments.filter((payment: Json) => payment.direction === 'received');
  expect(received.map((payment: Json) => payment.state)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  expect((await runVerify(settings)).code).toBe(0);
});
