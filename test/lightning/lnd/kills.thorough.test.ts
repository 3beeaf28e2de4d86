import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import type { Client } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { readArrived, readBalanceMsat } from './own-records.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { hubSettings, regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();
const KILLS = Number(process.env.LND_KILLS ?? 3);
const PAYMENTS = 40;
const AMOUNT_SAT = 1000;
/** When LND is killed after the first payment has ended. All take about a second. */
const MAX_DELAY_MS = 500;
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const WAIT = { timeout: 900_000, interval: 1000 };

/*
 *   LND_BIN=… BTCD_BIN=… LND_KILLS=60 npx vitest run --project thorough test/lightning/lnd/kills
 *
 * LND rarely loses a settlement, in the moment before it calls `SetFwdFilter`. A delay there, in LND's htlcswitch/link.go, makes it frequent. With
 * CREDIT_BEFORE_FINAL_MSAT=1000000000 the service believes LND, and the test fails.
 */
describe.each(['sqlite', 'postgres'] as const)('an LND that is killed while it settles invoices (%s)', (dialect) => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls(dialect);

  it(`credits exactly what has arrived, after ${KILLS} kills`, { timeout: 1_800_000 + KILLS * 60_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-kills-'));
    const network = await RegtestNetwork.start(binaries, join(directory, 'network'), { holdsKeysends: false });
    const { hub, alice } = network;
    const control = regtestControl(network);
    const settings = await hubSettings(hub, await processSettings(join(directory, 'data'), await urls()), KEY);
    let service: ServiceProcess | undefined;
    try {
      service = await startProcess(settings);
      const { client } = service;
      // A wallet may have 1,000 open invoices.
      const wallets: string[] = [];
      const creditedMsat = async () => {
        const balances = await Promise.all(wallets.map(async (id): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance_msat));
        return balances.reduce((sum, balance) => sum + balance, 0);
      };
      const balanceMsat = () => vi.waitUntil(() => readBalanceMsat(hub), WAIT);
      const beforeMsat = await balanceMsat();
      const hashes: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const { id } = await client.wallet();
        wallets.push(id);
        const invoices = await createInvoices(client, id);
        hashes.push(...invoices.map((text) => decodeBolt11(text).paymentHash));
        const paying = invoices.map((paymentRequest) => control.payInvoice({ paymentRequest, from: 'alice' }).catch(() => undefined));
        await Promise.race(paying);
        await delay(Math.random() * MAX_DELAY_MS);
        await hub.restart('SIGKILL', 1);
        await Promise.all(paying);
        await vi.waitUntil(async () => (await client.get('/v1/node/default')).status === 'ready', WAIT);
      }
      const expectedMsat = (await balanceMsat()) - beforeMsat;
      const readStatuses = async () => {
        const statuses = new Map<string, string>();
        for (const hash of hashes) statuses.set(hash, (await client.get(`/v1/lntx/${hash}`)).status);
        return statuses;
      };
      await vi.waitUntil(async () => [...(await readStatuses()).values()].every((status) => status !== 'arriving'), WAIT);
      const arrived = await readArrived(hub);
      await vi.waitUntil(async () => (await creditedMsat()) === expectedMsat, { ...WAIT, timeout: 150_000 }).catch(() => undefined);
      const statuses = await readStatuses();
      const credited = hashes.filter((hash) => statuses.get(hash) === 'settled');
      const { invoices } = await hub.call<{ invoices: { state: string }[] }>('GET', '/v1/invoices?num_max_invoices=100000');
      const { payments } = await alice.call<{ payments: { payment_hash: string; status: string }[] }>(
        'GET',
        '/v1/payments?include_incomplete=true&max_payments=100000',
      );
      const paid = payments.filter(({ status }) => status === 'SUCCEEDED').map(({ payment_hash }) => payment_hash);
      const figures = {
        settledAtLnd: invoices.filter(({ state }) => state === 'SETTLED').length,
        arrived: arrived.size,
        credited: credited.length,
        paidByPayerAndNotArrived: paid.filter((hash) => !arrived.has(hash)).length,
      };
      console.log(`LND, ${dialect}, ${KILLS} kills: ${JSON.stringify(figures)}`);
      expect(credited.sort()).toEqual([...arrived.keys()].sort());
      expect(await creditedMsat()).toBe(expectedMsat);
      expect((await runVerify(settings)).code).toBe(0);
    } finally {
      await service?.kill();
      await network.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

async function createInvoices(client: Client, walletId: string): Promise<string[]> {
  const create = (_: unknown, i: number) => client.post(`/v1/wallet/${walletId}/invoice`, { num_satoshis: AMOUNT_SAT + i });
  return (await Promise.all(Array.from({ length: PAYMENTS }, create))).map(({ payment_request }) => payment_request);
}
