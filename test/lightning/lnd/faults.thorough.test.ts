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
import { processSettings, runCommand, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
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

/** The payments that this test has requested. */
interface Attempts {
  readonly out: { paymentHash: string; amountMsat: number; walletId: string }[];
  readonly in: { paymentHash: string; walletId: string }[];
}

describe.each(['sqlite', 'postgres'] as const)('kills and stops of LND and of the service (%s)', (dialect) => {
  if (!binaries) {
    it('are not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls(dialect);
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-faults-'));
  const attempts: Attempts = { out: [], in: [] };
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
    attempts.out.push({ paymentHash: made.paymentHash, amountMsat, walletId: wallet.id });
    await post(wallet, 'withdraw', { payment_request: made.paymentRequest });
  }

  async function payIn(wallet: TestWallet): Promise<void> {
    const { payment_request } = await post(wallet, 'invoice', { num_satoshis: 700 });
    attempts.in.push({ paymentHash: decodeBolt11(payment_request).paymentHash, walletId: wallet.id });
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

  const statusOf = async (paymentHash: string): Promise<string> => {
    const { status, body } = await service.client.request('GET', `/v1/lntx/${paymentHash}`, { key: KEY });
    return status === 404 ? 'none' : body.status;
  };

  it(`${FAULTS} of them charge nothing twice, lose nothing, and leave only payments that are alerted with evidence`, async () => {
    const working = wallets.map(work);
    for (let i = 0; i < FAULTS; i++) {
      await delay(500 + ((i * 379) % 2500));
      await fault(FAULT_NAMES[i % FAULT_NAMES.length] ?? 'kill the node');
    }
    isLoaded = false;
    await Promise.all(working);

    const deadline = Date.now() + END_MS;
    let pending: string[] = [];
    do {
      await delay(5000);
      pending = [];
      for (const { paymentHash } of attempts.out) if ((await statusOf(paymentHash)) === 'pending') pending.push(paymentHash);
    } while (pending.length > 0 && Date.now() < deadline);

    const outside = await control.payments(0, 100_000);
    const isPaid = (direction: 'received' | 'sent', hash: string) =>
      outside.some((one) => one.node === 'alice' && one.direction === direction && one.paymentHash === hash && one.state === 'succeeded');
    const counts = { settled: 0, failed: 0, none: 0, pending: 0, credited: 0 };
    const expected = new Map(wallets.map(({ id }) => [id, 800_000_000]));
    const add = (id: string, amountMsat: number) => expected.set(id, (expected.get(id) ?? 0) + amountMsat);
    for (const { paymentHash, amountMsat, walletId } of attempts.out) {
      const status = (await statusOf(paymentHash)) as 'settled' | 'failed' | 'none' | 'pending';
      counts[status] += 1;
      if (status !== 'pending') expect([paymentHash, status === 'settled']).toEqual([paymentHash, isPaid('received', paymentHash)]);
      if (status === 'settled') add(walletId, -amountMsat);
    }
    for (const { paymentHash, walletId } of attempts.in) {
      const isCredited = (await statusOf(paymentHash)) === 'settled';
      expect([paymentHash, isCredited]).toEqual([paymentHash, isPaid('sent', paymentHash)]);
      if (isCredited) add(walletId, 700_000);
      counts.credited += isCredited ? 1 : 0;
    }
    for (const { id } of wallets) {
      const { balance_msat, pending_msat } = await service.client.get(`/v1/wallet/${id}`);
      expect([id, balance_msat + pending_msat]).toEqual([id, expected.get(id)]);
    }
    expect(await runVerify(settings)).toMatchObject({ code: 0 });

    const { stdout } = await runCommand('src/cli/reconcile.ts', ['--json'], settings);
    const { report, alerts }: Json = JSON.parse(stdout);
    for (const one of report.nodes) expect(one).toMatchObject({ silence: null, contradictions: [], missedSettlements: [] });
    const stuck = alerts.filter(({ kind }: Json) => kind === 'payment_stuck');
    expect(stuck).toHaveLength(pending.length);
    for (const { message } of stuck) expect(message).toContain('No channel has an HTLC with this payment hash.');
    console.log(
      `${dialect}: ${FAULTS} faults, ${attempts.out.length} payments out, ${attempts.in.length} in:`,
      counts,
      `stuck: ${pending.length}`,
    );
  }, 3_600_000);
});
