import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { msat } from '../../../src/kernel/money.ts';
import { decodeBolt11 } from '../../../src/lightning/bolt11/bolt11.ts';
import type { PlaygroundControl } from '../../../src/lightning/test-network.ts';
import type { Json, TestWallet } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, type ServiceProcess, startProcess } from '../../support/process.ts';
import { type Attempt, checkAttempts, checkLedger, statusOf } from './attempts.ts';
import { RegtestNetwork, regtestBinaries, until, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

/*
 * Kills and stops of a real LND and of the service while payments go in and out:
 *
 *   LND_BIN=… BTCD_BIN=… LND_FAULTS=60 npx vitest run --project thorough test/lightning/lnd/faults
 */
const binaries = regtestBinaries();
const FAULTS = Number(process.env.LND_FAULTS ?? 6);
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const WORKERS = 6;
const CHANNELS = 1;
/** Attempts of unclear payments count as failed only after LND's grace period, five minutes. */
const END_MS = 8 * 60_000;

const FAULT_NAMES = ['kill the node', 'stop the node', 'freeze the node', 'kill the service', 'stop the service', 'kill both'] as const;

describe.each(['sqlite', 'postgres'] as const)('kills and stops of LND and of the service (%s)', (dialect) => {
  if (!binaries) {
    it('are not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls(dialect);
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-faults-'));
  const attempts: Attempt[] = [];
  let network: RegtestNetwork;
  let control: PlaygroundControl;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  const wallets: TestWallet[] = [];
  let isLoaded = true;

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, join(directory, 'network'));
    control = regtestControl(network);
    const own = await processSettings(join(directory, 'data'), await urls());
    settings = { ...own, LIGHTNING_URL: network.hub.url(), BOOTSTRAP_SECRET_KEY: KEY, STUCK_PAYMENT_SECONDS: '1', LOG_LEVEL: 'error' };
    service = await startProcess(settings);
    for (let i = 0; i < WORKERS; i++) {
      const wallet = await service.client.wallet();
      const { payment_request } = await post(wallet, 'invoice', { num_satoshis: 800_000 });
      await control.payInvoice({ paymentRequest: payment_request, from: 'alice' });
      wallets.push(wallet);
    }
    for (const { id } of wallets) {
      await until('the first deposits', async () => (await service.client.get(`/v1/wallet/${id}`)).balance === 800_000);
    }
  }, 300_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** @throws when the service rejects the request, or does not answer. */
  async function post(wallet: TestWallet, path: string, json: object): Promise<Json> {
    const options = { key: KEY, json, headers: { prefer: 'respond-async' } };
    const { status, body } = await service.client.request('POST', `/v1/wallet/${wallet.id}/${path}`, options);
    if (status >= 300) throw new Error(`status ${status}`);
    return body;
  }

  async function payOut(wallet: TestWallet, turn: number): Promise<void> {
    const amountMsat = 1_000_000 + turn;
    const made = await control.createInvoice({ at: 'alice', amountMsat: msat(amountMsat), memo: '', expirySeconds: 3600, hold: false });
    attempts.push({ paymentHash: made.paymentHash, amountMsat, from: wallet.id });
    await post(wallet, 'withdraw', { payment_request: made.paymentRequest });
  }

  async function payIn(wallet: TestWallet): Promise<void> {
    const { payment_request } = await post(wallet, 'invoice', { num_satoshis: 700 });
    attempts.push({ paymentHash: decodeBolt11(payment_request).paymentHash, amountMsat: 700_000, to: wallet.id });
    await control.payInvoice({ paymentRequest: payment_request, from: 'alice' });
  }

  /** Requests fail while something is down. The attempts are recorded before. */
  async function work(wallet: TestWallet): Promise<void> {
    for (let turn = 0; isLoaded; turn++) {
      await (turn % 3 === 2 ? payIn(wallet) : payOut(wallet, turn)).catch(() => delay(200));
    }
  }

  async function fault(name: (typeof FAULT_NAMES)[number]): Promise<void> {
    if (name === 'freeze the node') {
      network.hub.signal('SIGSTOP');
      await delay(800);
      network.hub.signal('SIGCONT');
      return;
    }
    const isOfNode = name === 'kill the node' || name === 'stop the node';
    if (name === 'stop the service') await service.stop();
    else if (!isOfNode) await service.kill();
    if (isOfNode || name === 'kill both') await network.hub.restart(name === 'stop the node' ? 'SIGINT' : 'SIGKILL', CHANNELS);
    if (!isOfNode) service = await startProcess(settings);
  }

  it(`${FAULTS} of them charge nothing twice, lose nothing, and leave only payments that are alerted with evidence`, async () => {
    const working = wallets.map(work);
    for (let i = 0; i < FAULTS; i++) {
      await delay(500 + ((i * 379) % 2500));
      await fault(FAULT_NAMES[i % FAULT_NAMES.length] ?? 'kill the node');
    }
    isLoaded = false;
    await Promise.all(working);

    const deadline = Date.now() + END_MS;
    let pending: Attempt[] = [];
    do {
      await delay(5000);
      pending = [];
      for (const one of attempts) if (one.from && (await statusOf(service.client, one)) === 'pending') pending.push(one);
    } while (pending.length > 0 && Date.now() < deadline);

    const counts = await checkAttempts(service.client, attempts, await control.payments(0, 100_000));
    for (const { id } of wallets) {
      const { balance_msat, pending_msat } = await service.client.get(`/v1/wallet/${id}`);
      expect([id, balance_msat + pending_msat]).toEqual([id, 800_000_000 + (counts.changesMsat.get(id) ?? 0)]);
    }
    const { alerts } = await checkLedger(settings);
    const stuck = alerts.filter(({ kind }: Json) => kind === 'payment_stuck');
    expect(stuck).toHaveLength(pending.length);
    for (const { message } of stuck) expect(message).toContain('No channel has an HTLC with this payment hash.');
    console.log(`${dialect}: ${FAULTS} faults`, { out: counts.out, in: counts.in, stuck: pending.length });
  }, 3_600_000);
});
