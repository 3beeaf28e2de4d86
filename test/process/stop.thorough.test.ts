import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { processSettings, startProcess } from '../support/process.ts';

it('S4: returns 202 to requests that wait for a payment, stops cleanly, and settles the payment after the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-stop-'));
  const settings = await processSettings(folder, `sqlite:${join(folder, 'satchel.db')}`);
  let service = await startProcess({ ...settings, PAYMENT_WAIT_SECONDS: '110' });
  try {
    const { client } = service;
    const wallet = await client.wallet(1000);
    const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 100, hold: true });
    const waiting = client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(110_000);
    const stopped = service.stop();
    const response = await waiting;
    expect(response.status).toBe(202);
    expect(response.body).toMatchObject({ status: 'pending', lnTx: { settled: 0 } });
    expect(await stopped).toBe(0);

    service = await startProcess(settings);
    expect(await service.client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 890, pending_msat: 110_000 });
    await service.client.decideHold(payment_hash, 'settle');
    await expect.poll(async () => (await service.client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(900);
    expect((await service.client.get(`/v1/lntx/${response.body.lnTx.id}`)).settled).toBe(1);
  } finally {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
