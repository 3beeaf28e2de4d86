import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import type { LndInvoice } from '../../../src/core/lightning/lnd/invoices.ts';
import type { HttpResponse, Json, TestWallet } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runSatchel, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';
import { until } from './regtest-lnd.ts';

const binaries = regtestBinaries();
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;

describe.each(['sqlite', 'postgres'] as const)('the service on a real LND that was restored from an older copy (%s)', (dialect) => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls(dialect);
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-restored-'));
  let network: RegtestNetwork;
  let control: PlaygroundControl;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let wallet: TestWallet;

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, join(directory, 'network'));
    control = regtestControl(network);
    const own = await processSettings(join(directory, 'data'), await urls());
    const LIGHTNING_URL = network.hub.url(await network.hub.bakeMacaroon());
    settings = { ...own, LIGHTNING_URL, BOOTSTRAP_SECRET_KEY: KEY, PAYMENT_WAIT_SECONDS: '3' };
    service = await startProcess(settings);
    wallet = await service.client.wallet();
  }, 240_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const money = async () => {
    const { balance_msat, pending_msat } = await service.client.get(`/v1/wallet/${wallet.id}`);
    return { balance_msat, pending_msat };
  };
  const statusOf = async (id: string): Promise<string> => (await service.client.get(`/v1/lntx/${id}`)).status;
  const invoice = async (num_satoshis: number): Promise<string> =>
    (await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis })).payment_request;
  const withdraw = (payment_request: string): Promise<HttpResponse> =>
    service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: KEY, json: { payment_request } });
  const atCarol = (amountMsat: number, hold: boolean) =>
    control.createInvoice({ at: 'carol', amountMsat: msat(amountMsat), memo: '', expirySeconds: 3600, hold });
  /** A route is known some moments after a channel is opened. */
  const payFromAlice = (paymentRequest: string) =>
    expect.poll(async () => (await control.payInvoice({ paymentRequest, from: 'alice' })).state).toBe('succeeded');

  async function receive(numSatoshis: number): Promise<void> {
    const before = (await money()).balance_msat;
    await payFromAlice(await invoice(numSatoshis));
    await expect.poll(async () => (await money()).balance_msat).toBe(before + numSatoshis * 1000);
  }

  async function restartHub(change: (folder: string) => void): Promise<void> {
    const { hub } = network;
    await hub.stop('SIGINT');
    change(hub.directory);
    hub.start();
    await until('LND answers', async () => Boolean(await hub.call('GET', '/v1/getinfo')));
  }

  async function copyHub(name: string): Promise<void> {
    await restartHub((folder) => cpSync(folder, `${folder}.${name}`, { recursive: true }));
    await network.hub.waitUntilActive(1);
  }

  /** Puts back the copy. The channels that were used since then are closed by their peers. */
  const restoreHub = (name: string): Promise<void> =>
    restartHub((folder) => {
      renameSync(folder, `${folder}.lost-${name}`);
      renameSync(`${folder}.${name}`, folder);
    });

  it('notices it: what LND has forgotten stays booked, and a payment that it has forgotten is not sent again', async () => {
    await receive(500_000);
    await copyHub('first');
    await receive(20_000);
    const paid = await withdraw((await atCarol(1_000_000, false)).paymentRequest);
    expect(paid.status).toBe(201);
    const held = await atCarol(2_000_000, true);
    const pending = await withdraw(held.paymentRequest);
    expect(pending.status).toBe(202);
    const before = await money();
    expect(before.pending_msat).toBeGreaterThanOrEqual(2_000_000);

    await restoreHub('first');
    await expect.poll(() => service.output()).toContain('node_restored');
    expect(await money()).toEqual(before);
    expect(await statusOf(paid.body.lnTx.id)).toBe('settled');

    await control.resolveHold(held.paymentHash, 'settle');
    await network.openChannel(network.hub, network.alice);
    await service.stop();
    // The service attempts pending payments when it starts.
    service = await startProcess(settings);
    await delay(5000);
    expect(await statusOf(pending.body.lnTx.id)).toBe('pending');
    expect(await money()).toEqual(before);
    const { payments } = await network.hub.call<{ payments: Json[] }>('GET', '/v1/payments?include_incomplete=true&max_payments=1000');
    expect(payments).toEqual([]);

    const { r_preimage } = await network.carol.call<LndInvoice>('GET', `/v1/invoice/${held.paymentHash}`);
    const preimage = Buffer.from(r_preimage, 'base64').toString('hex');
    const args = ['resolve', pending.body.lnTx.id, '--preimage', preimage, '--yes', '--reason', 'carol has it'];
    expect(await runSatchel(['payment', ...args], settings)).toMatchObject({ code: 0 });
    expect(await statusOf(pending.body.lnTx.id)).toBe('settled');
    expect((await money()).pending_msat).toBe(0);
    expect(await runVerify(settings)).toMatchObject({ code: 0 });
  }, 400_000);

  it('books settlements once that have the numbers of lost ones, also those that arrive while it is stopped', async () => {
    await receive(3_000);
    const arriving = [await invoice(4_000), await invoice(5_000)];
    await copyHub('second');
    await receive(6_000);
    await receive(7_000);
    const { balance_msat } = await money();
    const { ln_node_id: node } = await service.client.get(`/v1/wallet/${wallet.id}`);
    await runSatchel(['reconcile', '--seen', node], settings);
    await service.stop();
    await restoreHub('second');
    await network.openChannel(network.hub, network.alice);
    for (const paymentRequest of arriving) await payFromAlice(paymentRequest);

    service = await startProcess(settings);
    await expect.poll(async () => (await money()).balance_msat).toBe(balance_msat + 9_000_000);
    expect(service.output()).toContain('node_restored');
    await service.kill();
    service = await startProcess(settings);
    await receive(8_000);
    expect((await money()).balance_msat).toBe(balance_msat + 17_000_000);
    expect(await runVerify(settings)).toMatchObject({ code: 0 });
    // Only what LND has lost contradicts the ledger.
    const { report }: Json = JSON.parse((await runSatchel(['reconcile', '--json'], settings)).stdout);
    const lost = report.nodes[0].contradictions.map(({ num_msat, node_state }: Json) => [num_msat, node_state]);
    expect(lost.sort()).toEqual([1, 2, 20, 6, 7].map((thousands) => [thousands * 1_000_000, 'no record']));
    expect(report.nodes[0].missed_settlements).toEqual([]);
  }, 400_000);
});
