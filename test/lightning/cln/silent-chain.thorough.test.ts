import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import type { Json, TestWallet } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { canRunNodes, type Regtest, startRegtest, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

const WAIT = { timeout: 120_000, interval: 200 };
/** lightningd tries a payment for so long. */
const ATTEMPTS = { ATTEMPTS_SECONDS: '10', PAYMENT_WAIT_SECONDS: '50' };

/*
 *   LIGHTNINGD_BIN=… BTCD_BIN=… npx vitest run --project thorough test/lightning/cln/silent-chain
 */
describe('a real Core Lightning whose source of blocks is silent', () => {
  if (!canRunNodes) {
    it('is not tested', ({ skip }) => skip(WITHOUT_NODES));
    return;
  }
  const urls = freshUrls('sqlite');
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-cln-silent-'));
  let network: Regtest;
  let control: PlaygroundControl;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let wallet: TestWallet;

  beforeAll(async () => {
    network = await startRegtest({ isProxied: true });
    control = regtestControl(network);
    settings = { ...(await processSettings(dataDir, await urls())), ...ATTEMPTS, LIGHTNING_URL: network.nodes.svc.socketUrl() };
    service = await startProcess(settings);
    wallet = await service.client.wallet();
    const { payment_request } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 500_000 });
    await control.payInvoice({ paymentRequest: payment_request, from: 'alice' });
    await vi.waitUntil(async () => (await service.client.get(`/v1/wallet/${wallet.id}`)).balance === 500_000, WAIT);
  }, 300_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const readiness = async (): Promise<string> => (await service.client.request('GET', '/readyz')).body.node;
  const alertKinds = async (): Promise<string[]> => (await service.client.get('/v1/operator/alerts')).map(({ kind }: Json) => kind);

  async function pay(): Promise<string> {
    const { paymentRequest } = await control.createInvoice({
      at: 'alice',
      amountMsat: msat(5_000_000),
      memo: '',
      expirySeconds: 600,
      hold: false,
    });
    const json = { payment_request: paymentRequest };
    const key = service.client.secretKey;
    const { status, body } = await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key, json });
    return `${status} ${body.message ?? ''}`;
  }

  it.each([4, 10])(
    'fails no payment with a false reason %i blocks later, and pays when it reads blocks again',
    { timeout: 300_000 },
    async (blocks) => {
      network.silenceChain(true);
      await network.mine(blocks);
      const answers = [await pay(), await pay()];
      console.log({ blocks, answers });
      // xpay leaves the payee some blocks more than the invoice requires, and waits for blocks when the payee is ahead.
      for (const answer of answers) expect(answer).toMatch(/^(201|202|400 Failure reason: FAILURE_REASON_TIMEOUT)/);
      network.silenceChain(false);
      await network.mine(1);
      expect(await pay()).toMatch(/^201/);
      expect((await runVerify(settings)).code).toBe(0);
    },
  );

  it('is behind when it has read no block for too long, and ready when it reads one', { timeout: 300_000 }, async () => {
    await service.stop();
    service = await startProcess({ ...settings, MAX_BLOCK_AGE_SECONDS: '60' });
    await network.mine(1);
    await vi.waitUntil(async () => (await readiness()) === 'ok', WAIT);
    network.silenceChain(true);
    await network.mine(1);
    await vi.waitUntil(async () => (await readiness()) === 'behind', WAIT);
    await vi.waitUntil(async () => (await alertKinds()).includes('node_behind'), WAIT);
    expect(await pay()).toMatch(/^503 The Lightning node is behind the blockchain/);
    network.silenceChain(false);
    await network.mine(1);
    await vi.waitUntil(async () => (await readiness()) === 'ok', WAIT);
    await vi.waitUntil(async () => !(await alertKinds()).includes('node_behind'), WAIT);
    expect(await pay()).toMatch(/^201/);
  });
});
