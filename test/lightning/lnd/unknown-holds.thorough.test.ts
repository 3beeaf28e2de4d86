import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import type { Json } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { hubSettings, regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const WAIT = { timeout: 120_000, interval: 200 };
const urls = freshUrls('sqlite');
const toBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

/*
 *   LND_BIN=… BTCD_BIN=… npx vitest run --project thorough test/lightning/lnd/unknown-holds
 */
it('payments that a real LND holds for another program are listed, settled into suspense and returned', { timeout: 300_000 }, async ({
  skip,
}) => {
  if (!binaries) return skip(WITHOUT_BINARIES);
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-unknown-holds-'));
  const network = await RegtestNetwork.start(binaries, join(directory, 'network'), { holdsKeysends: false });
  const control = regtestControl(network);
  let service: ServiceProcess | undefined;
  try {
    const settings = await hubSettings(network.hub, await processSettings(join(directory, 'data'), await urls()), KEY);
    service = await startProcess(settings);
    const { client } = service;
    const [{ id: node }] = (await client.get('/v1/operator/overview')).nodes;
    const path = `/v1/operator/nodes/${node}/unknown-holds`;
    const preimages = [0, 1].map(() => randomBytes(32).toString('hex'));
    const hashes = preimages.map(paymentHashOf);
    const paying = hashes.map(async (hash) => {
      const order = { hash: toBase64(hash), value_msat: '7001000', memo: 'swap', expiry: '600' };
      const { payment_request } = await network.hub.call<{ payment_request: string }>('POST', '/v2/invoices/hodl', order);
      return control.payInvoice({ paymentRequest: payment_request, from: 'alice' });
    });
    const list = (): Promise<Json[]> => client.get(path);
    await vi.waitUntil(async () => (await list()).length === 2, WAIT);
    expect((await list()).map(({ id }) => id).toSorted()).toEqual(hashes.toSorted());
    for (const one of await list()) {
      expect(one).toMatchObject({ num_msat: 7_001_000, memo: 'swap', ln_node_id: node });
      expect(one.blocks_left).toBeGreaterThan(18);
    }
    const reason = 'a test';
    const settled = await client.post(`${path}/${hashes[0]}/settle`, { preimage: preimages[0], reason });
    expect(settled).toMatchObject({ kind: 'settle_held', status: 'done' });
    const { id } = await client.post(`${path}/${hashes[1]}/cancel`, { reason });
    await vi.waitUntil(async () => (await client.get(`/v1/operator/actions/${id}`)).status === 'done', WAIT);
    expect((await Promise.all(paying)).map(({ state }) => state)).toEqual(['succeeded', 'failed']);
    expect(await list()).toEqual([]);
    await vi.waitUntil(async () => (await client.get('/v1/operator/overview')).suspense_msat === 7_001_000, WAIT);
    const { id: walletId } = await client.wallet();
    await client.post(`/v1/operator/suspense/${hashes[0]}/credit`, { wallet_id: walletId, reason });
    expect((await client.get(`/v1/wallet/${walletId}`)).balance_msat).toBe(7_001_000);
    expect((await runVerify(settings)).code).toBe(0);
  } finally {
    await service?.kill();
    await network.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
