import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import type { Client, HttpResponse, TestWallet } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runSatchel, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';
import { until } from './regtest-lnd.ts';

const binaries = regtestBinaries();
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;

describe.each(['sqlite', 'postgres'] as const)('the service on a real LND (%s)', (dialect) => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls(dialect);
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-service-'));
  let network: RegtestNetwork;
  let control: PlaygroundControl;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let wallet: TestWallet;

  const client = (): Client => service.client;
  const balance = async (): Promise<number> => (await client().get(`/v1/wallet/${wallet.id}`)).balance_msat;
  const withdraw = (payment_request: string, more = {}): Promise<HttpResponse> =>
    client().request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: KEY, json: { payment_request, ...more } });
  const invoice = async (num_satoshis: number) => client().post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis });
  const restartService = async (): Promise<void> => {
    service = await startProcess(settings);
  };
  /** Waits for the end of a payment, and returns its Lightning transaction. */
  async function ended(id: string) {
    let lntx = await client().get(`/v1/lntx/${id}`);
    for (let tries = 0; lntx.status === 'pending' && tries < 200; tries++) {
      await delay(500);
      lntx = await client().get(`/v1/lntx/${id}`);
    }
    return lntx;
  }

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, join(directory, 'network'));
    control = regtestControl(network);
    const own = await processSettings(join(directory, 'data'), await urls());
    const LIGHTNING_URL = network.hub.url(await network.hub.bakeMacaroon());
    settings = { ...own, LIGHTNING_URL, BOOTSTRAP_SECRET_KEY: KEY, PAYMENT_WAIT_SECONDS: '5', LOG_LEVEL: 'info' };
    await restartService();
    wallet = await client().wallet();
  }, 240_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('credits an invoice that another node pays, to the millisatoshi', async () => {
    const { payment_request } = await invoice(500_000);
    expect(await control.payInvoice({ paymentRequest: payment_request, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    await expect.poll(balance).toBe(500_000_000);
  });

  it('pays an invoice of a node that is two hops away, and charges the fee', async () => {
    const before = await balance();
    const { paymentRequest } = await control.createInvoice({
      at: 'carol',
      amountMsat: msat(1_234_000),
      memo: '',
      expirySeconds: 600,
      hold: false,
    });
    const response = await withdraw(paymentRequest);
    expect(response.status).toBe(201);
    expect(response.body.lnTx.fee_msat).toBeGreaterThan(0);
    expect(await balance()).toBe(before - 1_234_000 - response.body.lnTx.fee_msat);
  });

  it('returns the money of a payment that LND fails', async () => {
    const before = await balance();
    const { paymentRequest } = await control.createInvoice({
      at: 'carol',
      amountMsat: msat(1_000_000),
      memo: '',
      expirySeconds: 600,
      hold: false,
    });
    expect(await withdraw(paymentRequest, { fee_limit_msat: 0 })).toMatchObject({ status: 400, body: { type: 'payment_failed' } });
    expect(await balance()).toBe(before);
  });

  it('claims a keysend for a wallet, and returns one that names no wallet', async () => {
    const before = await balance();
    const record = Buffer.from(wallet.id).toString('hex');
    const sent = await control.keysend({ from: 'carol', amountMsat: msat(7_777), customRecords: { '696969': record } });
    expect(sent).toMatchObject({ state: 'succeeded' });
    await expect.poll(balance).toBe(before + 7_777);
    expect(await control.keysend({ from: 'carol', amountMsat: msat(9_999), customRecords: {} })).toMatchObject({ state: 'failed' });
    expect(await balance()).toBe(before + 7_777);
  });

  it('sends a keysend', async () => {
    const before = await balance();
    const json = { dest_pubkey: network.alice.pubkey, num_satoshis: 5 };
    const response = await client().request('POST', `/v1/wallet/${wallet.id}/keysend`, { key: KEY, json });
    expect(response).toMatchObject({ status: 201 });
    expect(await balance()).toBe(before - 5_000);
  });

  it('pays between two wallets without the network, after LND has cancelled the invoice', async () => {
    const payee = await client().wallet();
    const { payment_request } = await client().post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 300 });
    expect((await withdraw(payment_request)).status).toBe(201);
    expect((await client().get(`/v1/wallet/${payee.id}`)).balance).toBe(300);
    expect(await control.payInvoice({ paymentRequest: payment_request, from: 'alice' })).toMatchObject({ state: 'failed' });
  });

  it('credits once what arrives while the service is stopped', async () => {
    const before = await balance();
    const { payment_request } = await invoice(4_000);
    await service.stop();
    expect(await control.payInvoice({ paymentRequest: payment_request, from: 'carol' })).toMatchObject({ state: 'succeeded' });
    await restartService();
    await expect.poll(balance).toBe(before + 4_000_000);
    await service.kill();
    await restartService();
    await delay(2000);
    expect(await balance()).toBe(before + 4_000_000);
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('keeps a held payment pending when LND is stopped (%s), and books its end', async (signal) => {
    for (const action of ['settle', 'cancel'] as const) {
      const before = await balance();
      const amountMsat = msat(2_000_000);
      const held = await control.createInvoice({ at: 'carol', amountMsat, memo: '', expirySeconds: 3600, hold: true });
      const response = await withdraw(held.paymentRequest);
      expect(response.status).toBe(202);
      await network.hub.stop(signal);
      await expect.poll(async () => (await client().request('GET', '/readyz')).status).toBe(503);
      network.hub.start();
      await network.hub.waitUntilActive(1);
      await control.resolveHold(held.paymentHash, action);
      const { status, fee_msat } = await ended(response.body.lnTx.id);
      expect(status).toBe(action === 'settle' ? 'settled' : 'failed');
      expect(await balance()).toBe(action === 'settle' ? before - amountMsat - fee_msat : before);
    }
  });

  it('charges each payment once, and none that failed, when LND is killed while many are sent', async () => {
    const before = await balance();
    const amountMsat = msat(1_000_000);
    const orders = await Promise.all(
      Array.from({ length: 40 }, () => control.createInvoice({ at: 'alice', amountMsat, memo: '', expirySeconds: 3600, hold: false })),
    );
    const sending = Promise.all(orders.map(({ paymentRequest }) => withdraw(paymentRequest)));
    await delay(150);
    await network.hub.restart('SIGKILL', 1);
    const responses = await sending;
    const accepted = responses.filter(({ status }) => status === 201 || status === 202);
    const received = new Set(
      (await control.payments(0, 100_000)).filter((one) => one.direction === 'received').map((one) => one.paymentHash),
    );
    // Payments that were interrupted end, or stay pending permanently at LND.
    let states: string[] = [];
    await until(
      'the payments ended',
      async () => {
        states = await Promise.all(accepted.map(async ({ body }) => (await client().get(`/v1/lntx/${body.lnTx.id}`)).status));
        const stuck = await network.hub.call<{ payments: unknown[] }>('GET', '/v1/payments?include_incomplete=true&max_payments=1000');
        const inFlight = (stuck.payments as { status: string }[]).filter(({ status }) => status === 'IN_FLIGHT').length;
        return states.filter((state) => state === 'pending').length <= inFlight;
      },
      150_000,
    );
    const arrived = (await control.payments(0, 100_000)).filter(({ direction, paymentHash }) => {
      return direction === 'received' && orders.some((order) => order.paymentHash === paymentHash);
    });
    const count = (state: string) => states.filter((one) => one === state).length;
    const pending = (await client().get(`/v1/wallet/${wallet.id}`)).pending_msat ?? 0;
    expect(received.size).toBeGreaterThan(0);
    expect(count('settled')).toBe(arrived.length);
    expect(before - (await balance()) - pending).toBe(arrived.length * amountMsat);
    expect(pending).toBeGreaterThanOrEqual(count('pending') * amountMsat);
  }, 400_000);

  it('agrees with the node, and verifies', async () => {
    const reconciled = await runSatchel(['reconcile'], settings);
    expect(reconciled.output).toContain('Contradictions: none.');
    expect(reconciled.output).toContain('Missed settlements: none.');
    const verified = await runVerify(settings);
    expect(verified).toMatchObject({ code: 0 });
    const checked = await runSatchel(['node', 'check'], settings);
    expect(checked.output).toContain('permits what the service needs, and no more');
  });

  it('has logged no macaroon', () => {
    expect(service.output()).not.toMatch(/0201036c6e64/i);
  });
});
