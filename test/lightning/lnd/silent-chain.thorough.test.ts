import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import type { Json, TestWallet } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { hubSettings, regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();
const PAYMENTS = 12;
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const WAIT = { timeout: 180_000, interval: 200 };
/** The interval of blocks while a payment is held. The service takes the ninth part of MAX_BLOCK_AGE_SECONDS for it. */
const BLOCK_SECONDS = 2;
const SILENT_BLOCKS = 100;

/*
 *   LND_BIN=… BTCD_BIN=… npx vitest run --project thorough test/lightning/lnd/silent-chain
 */
describe.each(['btcd', 'neutrino'] as const)('a real LND whose source of blocks is silent (%s)', (proxiedChain) => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls('sqlite');
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-silent-'));
  let network: RegtestNetwork;
  let control: PlaygroundControl;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let wallet: TestWallet;
  /** The payments whose outcome was unknown. */
  const pending: string[] = [];

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, join(directory, 'network'), { holdsKeysends: false, proxiedChain });
    control = regtestControl(network);
    settings = await hubSettings(network.hub, await processSettings(join(directory, 'data'), await urls()), KEY);
    Object.assign(settings, { HOLD_INVOICES: 'true', LOG_LEVEL: 'warn' });
    service = await startProcess(settings);
    wallet = await service.client.wallet();
    const { payment_request } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1_000_000 });
    expect(await control.payInvoice({ paymentRequest: payment_request, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    await vi.waitUntil(async () => (await service.client.get(`/v1/wallet/${wallet.id}`)).balance === 1_000_000, WAIT);
  }, 300_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const readiness = async (): Promise<string> => (await service.client.request('GET', '/readyz')).body.node;
  const alertKinds = async (): Promise<string[]> => (await service.client.get('/v1/operator/alerts')).map(({ kind }: Json) => kind);
  const mayPay = async () => (await service.client.get('/v1/node/default')).status === 'ready';

  async function pay(at: 'alice' | 'carol'): Promise<string> {
    const { paymentRequest } = await control.createInvoice({ at, amountMsat: msat(5_000_000), memo: '', expirySeconds: 600, hold: false });
    const json = { payment_request: paymentRequest };
    const { status, body } = await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: KEY, json });
    if (status === 202) pending.push(body.lnTx.id);
    return `${status} ${body.message ?? ''}`;
  }

  /** Lets the hub read blocks again, and waits until the service uses it. */
  async function endSilence(): Promise<void> {
    network.silenceChain(false);
    await network.mine(1);
    await vi.waitUntil(mayPay, WAIT);
    await vi.waitUntil(async () => (await readiness()) === 'ok', WAIT);
    // The alert closes with a block that is newer than those at which the service has last judged the node.
    for (let round = 1; (await alertKinds()).some((kind) => kind === 'node_behind' || kind === 'node_cannot_send'); round++) {
      expect(round).toBeLessThan(20);
      await delay(10_000);
      await network.mine(1);
    }
    await vi.waitUntil(async () => (await pay('alice')) === '201 ', WAIT);
  }

  /** Every channel of the network is active, and none is being closed. */
  async function requireChannels(): Promise<void> {
    for (const node of network.nodes) {
      await node.waitUntilActive(node === network.alice ? 2 : 1);
      const pending = await node.call<Record<string, readonly unknown[] | undefined>>('GET', '/v1/channels/pending');
      const closing = ['pending_force_closing_channels', 'waiting_close_channels', 'pending_closing_channels'];
      expect(closing.flatMap((list) => pending[list] ?? [])).toEqual([]);
    }
  }

  it.each([4, 10])(
    'fails no payment with a false reason %i blocks later, and works when it reads blocks again',
    { timeout: 600_000 },
    async (blocks) => {
      expect(await pay('alice')).toBe('201 ');
      const payees = [network.alice, network.carol];
      const heights = () =>
        Promise.all(payees.map(async (node) => (await node.call<{ block_height: number }>('GET', '/v1/getinfo')).block_height));
      const [before = 0] = await heights();
      network.silenceChain(true);
      await network.mine(blocks);
      await vi.waitUntil(async () => (await heights()).every((height) => height === before + blocks), WAIT);
      const answers: string[] = [];
      for (let count = 0; count < PAYMENTS; count++) answers.push(await pay(count % 3 === 2 ? 'carol' : 'alice'));
      console.log({ proxiedChain, blocks, answers: [...new Set(answers)] });
      if (proxiedChain === 'neutrino') {
        // LND cannot know that it is behind: the height of the first payee shows it.
        expect(answers[0]).toMatch(/^400 .*behind the blockchain/);
        for (const answer of answers.slice(1))
          expect(answer).toMatch(/^503 The Lightning node is behind the blockchain: .* a payee was at block/);
        expect(await alertKinds()).toContain('node_behind');
        expect(await readiness()).toBe('behind');
      } else {
        // LND waits with the first one until it can read the height.
        expect(answers[0]).toMatch(/^(202|503) /);
        for (const answer of answers.slice(1)) expect(answer).toMatch(/^503 .*its Bitcoin node probably does not respond/);
        expect(await readiness()).toBe('partial');
      }
      await endSilence();
      for (const id of pending) {
        const ended = await vi.waitUntil(async () => {
          const lntx = await service.client.get(`/v1/lntx/${id}`);
          return lntx.status === 'pending' ? undefined : lntx;
        }, WAIT);
        // LND tries for a minute.
        if (ended.status !== 'settled') expect(['NODE_BEHIND', 'TIMEOUT']).toContain(ended.failure_reason);
      }
      expect((await runVerify(settings)).code).toBe(0);
    },
  );

  it('returns a held payment in time and loses no channel when a hundred blocks are missed', { timeout: 900_000 }, async () => {
    await service.stop();
    const interval = { MAX_BLOCK_AGE_SECONDS: String(BLOCK_SECONDS * 9) };
    const stopMining = mineRegularly(network);
    try {
      await delay(BLOCK_SECONDS * 2000);
      service = await startProcess({ ...settings, ...interval });
      await vi.waitUntil(mayPay, WAIT);
      const preimage = randomBytes(32).toString('hex');
      const order = { num_satoshis: 50_000, hold_hash: paymentHashOf(preimage) };
      const { id, payment_request: paymentRequest } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, order);
      const paying = control.payInvoice({ paymentRequest, from: 'alice' });
      const statusOf = async () => (await service.client.get(`/v1/lntx/${id}`)).status;
      await vi.waitUntil(async () => (await statusOf()) === 'held', WAIT);
      await paying;
      network.silenceChain(true);
      await vi.waitUntil(async () => (await readiness()) === 'behind', WAIT);
      await vi.waitUntil(async () => (await alertKinds()).includes('node_behind'), WAIT);
      expect(await pay('alice')).toMatch(/^503 /);
      await delay(BLOCK_SECONDS * 1000 * SILENT_BLOCKS);
      expect(await statusOf(), service.output().slice(-4000)).toBe('cancelled');
      const sent = (await control.payments(0, 100_000)).find(({ paymentHash, direction }) => {
        return direction === 'sent' && paymentHash === order.hold_hash;
      });
      expect(sent).toMatchObject({ state: 'failed' });
      await endSilence();
      await requireChannels();
    } finally {
      await stopMining();
    }
    expect((await runVerify(settings)).code).toBe(0);
  });
});

/** Mines a block every few seconds, until the function is called. */
function mineRegularly(network: RegtestNetwork): () => Promise<void> {
  const stopping = new AbortController();
  const mining = (async () => {
    while (!stopping.signal.aborted) {
      await network.mine(1);
      await delay(BLOCK_SECONDS * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopping.abort();
    await mining;
  };
}
