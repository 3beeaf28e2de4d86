import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutsidePayment, PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import { METHODS } from '../../../src/core/lightning/cln/rpc.ts';
import type { Client, Json, TestWallet } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { canRunNodes, hasClnrest, type Regtest, restartNode, startRegtest, until, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

/** Kills of lightningd, each during one payment in each direction. */
const KILLS = 20;
/**
 * lightningd stores a payment some milliseconds after the request, and adds its HTLC a moment later. A request that reaches it after the kill is
 * rejected.
 */
const MAX_DELAY_MS = 300;
const FUNDING_SAT = 500_000;

interface Running {
  readonly network: Regtest;
  readonly control: PlaygroundControl;
  readonly settings: Record<string, string>;
  readonly service: ServiceProcess;
  readonly wallet: TestWallet;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`the service on a real Core Lightning (${dialect})`, () => {
    if (!canRunNodes) {
      it('is not tested', ({ skip }) => skip(WITHOUT_NODES));
      return;
    }
    const urls = freshUrls(dialect);
    const dataDir = mkdtempSync(join(tmpdir(), 'satchel-cln-service-'));
    let running: Running;

    beforeAll(async () => {
      const network = await startRegtest();
      const { svc } = network.nodes;
      const url = dialect === 'postgres' && hasClnrest ? await svc.restUrl(METHODS) : svc.socketUrl();
      const short = { PAYMENT_WAIT_SECONDS: '5', RECONCILE_SECONDS: '2', STUCK_PAYMENT_SECONDS: '1' };
      const settings = { ...(await processSettings(dataDir, await urls())), ...short, LIGHTNING_URL: url };
      const service = await startProcess(settings);
      running = { network, control: regtestControl(network), settings, service, wallet: await service.client.wallet() };
    });

    afterAll(async () => {
      await running?.service.kill();
      await running?.network.stop();
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('receives and pays, and has the same balance after a restart', async () => {
      const { control, service, wallet, settings } = running;
      const { client } = service;
      await control.payInvoice({ paymentRequest: await invoiceOf(client, wallet, FUNDING_SAT), from: 'carol' });
      await expect.poll(async () => (await walletOf(client, wallet)).balance).toBe(FUNDING_SAT);
      const { paymentRequest, paymentHash } = await outsideInvoice(control, 'carol', 100_000);
      await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
      const { status, fee_msat } = await client.get(`/v1/lntx/${paymentHash}`);
      expect(status).toBe('settled');
      expect(fee_msat).toBeGreaterThan(0);
      const { balance_msat } = await walletOf(client, wallet);
      expect(balance_msat).toBe((FUNDING_SAT - 100_000) * 1000 - fee_msat);
      await service.stop();
      running = { ...running, service: await startProcess(settings) };
      expect((await walletOf(running.service.client, wallet)).balance_msat).toBe(balance_msat);
    });

    it(`charges and credits each payment once, if lightningd is killed ${KILLS} times while it pays and is paid`, async () => {
      const { control, service, wallet, network } = running;
      const { client } = service;
      const random = seeded(dialect.length);
      const before = await walletOf(client, wallet);
      const sent: string[] = [];
      const received: string[] = [];
      for (let round = 0; round < KILLS; round++) {
        const out = await outsideInvoice(control, round % 2 ? 'alice' : 'carol', 1_000 + round);
        const incoming = await invoiceOf(client, wallet, 2_000 + round);
        sent.push(out.paymentHash);
        received.push(decodeBolt11(incoming).paymentHash);
        const json = { payment_request: out.paymentRequest };
        const paying = client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json });
        const beingPaid = control.payInvoice({ paymentRequest: incoming, from: 'alice' });
        await delay(random(MAX_DELAY_MS));
        await restartNode(network.nodes.svc, 'SIGKILL');
        expect([201, 202, 400, 503]).toContain((await paying).status);
        await beingPaid;
        // A node that was restarted answers, but cannot send until it has read the newest block.
        await until('the node', async () => (await client.get('/v1/node/default')).status === 'ready');
      }
      // A kill loses nothing that lightningd has reported.
      expect(service.output()).not.toContain('node_restored');
      const outcomes = await finalOutcomes(running, sent, received);
      const count = (status: string) => outcomes.sent.filter((one) => one.status === status).length;
      process.stdout.write(
        `${dialect}: ${KILLS} kills; sent: ${count('settled')} settled, ${count('failed')} failed, ${count('pending')} stuck, ` +
          `${KILLS - outcomes.sent.length} rejected; received: ${outcomes.received.length}\n`,
      );
      const after = await walletOf(client, wallet);
      const chargedMsat = sumOf(outcomes.sent.filter(({ status }) => status === 'settled'));
      expect(before.balance_msat - after.balance_msat).toBe(chargedMsat + after.pending_msat - sumOf(outcomes.received));
      for (const { id, status } of outcomes.sent) {
        if (status === 'pending')
          await expect.poll(() => service.output()).toMatch(new RegExp(`payment_stuck.*${id}|${id}.*payment_stuck`));
      }
    }, 900_000);

    it('has a clean ledger at the end', async () => {
      const verified = await runVerify(running.settings);
      expect(verified.output).toContain('The ledger is clean.');
      expect(await running.service.stop()).toBe(0);
    });
  });
}

/**
 * Waits until each payment that an outside node has received or sent is settled in the service, and each other one has failed, or has no
 * HTLC and is pending for ever. Returns the settled, failed and stuck payments.
 */
async function finalOutcomes({ control, service: { client }, network }: Running, sent: string[], received: string[]) {
  const lntx = async (hash: string): Promise<Json> => (await client.request('GET', `/v1/lntx/${hash}`, { key: client.secretKey })).body;
  const existing = async (hashes: string[]) => (await Promise.all(hashes.map(lntx))).filter((one) => one?.id);
  const outside = async (direction: OutsidePayment['direction']) => {
    const payments = await control.payments(0, 10_000);
    return new Set(payments.filter((one) => one.direction === direction && one.state === 'succeeded').map((one) => one.paymentHash));
  };
  await expect
    .poll(async () => {
      const arrived = await outside('received');
      const open = await openHtlcs(network);
      const known = new Map((await existing(sent)).map(({ status, r_hash_decoded: hash }) => [hash, status]));
      return sent.filter((hash) => {
        if (known.get(hash) === 'pending') return arrived.has(hash) || open.has(hash);
        return (known.get(hash) === 'settled') !== arrived.has(hash);
      });
    })
    .toEqual([]);
  await expect
    .poll(async () => {
      const paid = await outside('sent');
      return (await existing(received)).filter(({ status, r_hash_decoded: hash }) => (status === 'settled') !== paid.has(hash));
    })
    .toEqual([]);
  const settled = (await existing(received)).filter(({ status }) => status === 'settled');
  return { sent: await existing(sent), received: settled };
}

/** Returns the payment hashes of the HTLCs in the channels of the service's node. */
async function openHtlcs({ nodes }: Regtest): Promise<Set<string>> {
  const { channels } = await nodes.svc.rpc<{ channels: { htlcs?: { payment_hash: string }[] }[] }>('listpeerchannels');
  return new Set(channels.flatMap(({ htlcs = [] }) => htlcs.map((htlc) => htlc.payment_hash)));
}

/** Amounts are whole satoshis; an incoming payment has no fee. */
function sumOf(transactions: readonly Json[]): number {
  return transactions.reduce((sum, one) => sum + one.num_satoshis * 1000 + (one.fee_msat ?? 0), 0);
}

function outsideInvoice(control: PlaygroundControl, at: 'alice' | 'carol', amountSat: number) {
  return control.createInvoice({ amountMsat: msat(amountSat * 1000), memo: 'tea', at, expirySeconds: 3600, hold: false });
}

async function invoiceOf(client: Client, { id }: TestWallet, amountSat: number): Promise<string> {
  return (await client.post(`/v1/wallet/${id}/invoice`, { num_satoshis: amountSat })).payment_request;
}

async function walletOf(client: Client, { id }: TestWallet): Promise<Json> {
  return await client.get(`/v1/wallet/${id}`);
}

/** Returns a generator of numbers below `max`, determined by the seed. */
function seeded(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % max;
  };
}
