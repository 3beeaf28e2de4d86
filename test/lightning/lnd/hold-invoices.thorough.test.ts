import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import type { Client } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { readBalanceMsat } from './own-records.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { hubSettings, regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();
const KILLS = Number(process.env.LND_KILLS ?? 4);
const HELD = 6;
const MAX_DELAY_MS = 300;
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const WAIT = { timeout: 300_000, interval: 200 };

type Decision = 'settle' | 'cancel';

interface Hold {
  readonly id: string;
  readonly preimage: string;
  readonly paymentRequest: string;
  readonly amountMsat: number;
  readonly decision: Decision;
}

/*
 *   LND_BIN=… BTCD_BIN=… LND_KILLS=20 npx vitest run --project thorough test/lightning/lnd/hold-invoices
 */
describe.each(['sqlite', 'postgres'] as const)('hold invoices of a real LND (%s)', (dialect) => {
  if (!binaries) {
    it('are not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls(dialect);
  const title = `credit what their payers have paid, and return the rest, when LND or the service is killed ${KILLS} times`;

  it(title, { timeout: 600_000 + KILLS * 120_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-holds-'));
    const network = await RegtestNetwork.start(binaries, join(directory, 'network'), { holdsKeysends: false });
    const { hub, alice } = network;
    const control = regtestControl(network);
    const settings = await hubSettings(hub, await processSettings(join(directory, 'data'), await urls()), KEY);
    Object.assign(settings, { HOLD_INVOICES: 'true' });
    let service: ServiceProcess | undefined;
    try {
      service = await startProcess(settings);
      const { id: walletId } = await service.client.wallet();
      const balanceMsat = () => vi.waitUntil(() => readBalanceMsat(hub), WAIT);
      const beforeMsat = await balanceMsat();
      const holds: Hold[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const { client } = service;
        const created = await Promise.all(Array.from({ length: HELD }, (_, index) => createHold(client, walletId, kill * HELD + index)));
        holds.push(...created);
        const paying = created.map(({ paymentRequest }) => control.payInvoice({ paymentRequest, from: 'alice' }).catch(() => undefined));
        await untilEach(created, async (hold) => (await statusOf(client, hold)) === 'held');
        const deciding = created.map((hold) => decide(client, hold).catch(() => undefined));
        await delay(Math.random() * MAX_DELAY_MS);
        if (kill % 2 === 0) await hub.restart('SIGKILL', 1);
        else {
          await service.kill();
          service = await startProcess(settings);
        }
        await Promise.all(deciding);
        const { client: now } = service;
        await vi.waitUntil(async () => (await now.get('/v1/node/default')).status === 'ready', WAIT);
        await untilEach(created, async (hold) => {
          await decide(now, hold).catch(() => undefined);
          return (await statusOf(now, hold)) === ENDS[hold.decision];
        });
        await Promise.all(paying);
      }
      const settled = holds.filter(({ decision }) => decision === 'settle');
      const expectedMsat = settled.reduce((sum, { amountMsat }) => sum + amountMsat, 0);
      await vi.waitUntil(async () => (await balanceMsat()) - beforeMsat === expectedMsat, WAIT);
      expect((await service.client.get(`/v1/wallet/${walletId}`)).balance_msat).toBe(expectedMsat);
      const paid = async () => {
        const sent = (await control.payments(0, 100_000)).filter(({ direction, node }) => direction === 'sent' && node === alice.name);
        if (sent.some(({ state }) => state === 'pending')) return undefined;
        return sent.filter(({ state }) => state === 'succeeded').map(({ paymentHash }) => paymentHash);
      };
      expect((await vi.waitUntil(paid, WAIT)).toSorted()).toEqual(settled.map(({ preimage }) => paymentHashOf(preimage)).toSorted());
      expect((await runVerify(settings)).code).toBe(0);
    } finally {
      await service?.kill();
      await network.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

const ENDS: Readonly<Record<Decision, string>> = { settle: 'settled', cancel: 'cancelled' };

async function createHold(client: Client, walletId: string, index: number): Promise<Hold> {
  const preimage = randomBytes(32).toString('hex');
  const amountMsat = (1000 + index) * 1000;
  const order = { num_msat: amountMsat, hold_hash: paymentHashOf(preimage) };
  const { id, payment_request: paymentRequest } = await client.post(`/v1/wallet/${walletId}/invoice`, order);
  return { id, preimage, paymentRequest, amountMsat, decision: index % 3 === 0 ? 'cancel' : 'settle' };
}

async function statusOf(client: Client, { id }: Hold): Promise<string> {
  return (await client.get(`/v1/lntx/${id}`)).status;
}

function decide(client: Client, { id, decision, preimage }: Hold): Promise<unknown> {
  return client.request('POST', `/v1/lntx/${id}/${decision}`, {
    key: client.secretKey,
    json: decision === 'settle' ? { preimage } : {},
  });
}

async function untilEach(holds: readonly Hold[], check: (hold: Hold) => Promise<boolean>): Promise<void> {
  await Promise.all(holds.map((hold) => vi.waitUntil(() => check(hold), WAIT)));
}
