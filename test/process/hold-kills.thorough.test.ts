import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { freshUrls, silentLog } from '../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';
import type { Report } from './kill-matrix/crash-points.ts';
import { isCertain } from './kill-matrix/matrix.ts';

const ENTRY = 'test/process/kill-matrix/crashing-service.ts';
const AMOUNT_MSAT = 5_000;
const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres'];

/** Otherwise each restart waits for the lease of the killed process. */
const freeLeases = statement('test_free_leases', 'UPDATE lease SET instance_id = NULL');

type Decision = 'settle' | 'cancel';
type Payer = 'outside' | 'inside';

/** A service on the fake node, whose state is in a file and outlives the process. It is killed at points of a decision about a hold invoice. */
class HoldService {
  readonly #dialect: Dialect;
  readonly #settings: Record<string, string>;
  #process: ServiceProcess;
  payer: TestWallet;

  private constructor(dialect: Dialect, settings: Record<string, string>, process: ServiceProcess, payer: TestWallet) {
    this.#dialect = dialect;
    this.#settings = settings;
    this.#process = process;
    this.payer = payer;
  }

  static async start(dialect: Dialect, folder: string): Promise<HoldService> {
    const urls = await freshUrls(dialect);
    const settings = { ...(await processSettings(folder, await urls())), LIGHTNING_URL: 'fake:?seed=holds' };
    const process = await startProcess(settings, ENTRY);
    return new HoldService(dialect, settings, process, await process.client.wallet(1_000_000));
  }

  get client() {
    return this.#process.client;
  }

  request(method: string, path: string, json?: Json, headers = {}): Promise<HttpResponse> {
    return this.client.request(method, path, { key: this.client.secretKey, ...(json !== undefined && { json }), headers });
  }

  /** Creates a hold invoice whose payment waits. */
  async held(payer: Payer): Promise<{ wallet: TestWallet; id: string; preimage: string; hash: string }> {
    const wallet = await this.client.wallet();
    const preimage = randomBytes(32).toString('hex');
    const hash = paymentHashOf(preimage);
    const { id, payment_request } = await this.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5, hold_hash: hash });
    const json = { payment_request };
    // An outside payment has no end until the decision, which may be after the death of the process.
    if (payer === 'outside') void this.request('POST', '/playground/pay', json).catch(() => undefined);
    else await this.request('POST', `/v1/wallet/${this.payer.id}/withdraw`, json, { prefer: 'respond-async' });
    await this.until(id, 'held');
    return { wallet, id, preimage, hash };
  }

  decide({ id, preimage }: { id: string; preimage: string }, decision: Decision): Promise<HttpResponse> {
    return this.request('POST', `/v1/lntx/${id}/${decision}`, decision === 'settle' ? { preimage } : {});
  }

  async until(id: string, status: string): Promise<void> {
    await expect.poll(async () => (await this.client.get(`/v1/lntx/${id}`)).status, { interval: 20 }).toBe(status);
  }

  /** @returns undefined if the process was killed */
  async send(kind: 'arm' | 'report', point?: string): Promise<Report | undefined> {
    return (await this.#process.send({ kind, point, position: -1, isFinalLater: false })) as Report | undefined;
  }

  async restart(): Promise<void> {
    await this.#process.dead;
    if (this.#dialect === 'postgres') {
      const database = await openDatabase(this.#settings.DATABASE_URL ?? '', { log: silentLog });
      await database.transaction((tx) => tx.run(freeLeases));
      await database.close();
    }
    this.#process = await startProcess(this.#settings, ENTRY);
  }

  async balanceMsat({ id }: TestWallet): Promise<number> {
    return (await this.client.get(`/v1/wallet/${id}`)).balance_msat;
  }

  /** The states of the payments of a hash at the outside node that sent them. */
  async outside(hash: string): Promise<string[]> {
    const { payments } = await this.client.get('/playground/payments');
    return payments.filter(({ payment_hash }: Json) => payment_hash === hash).map(({ state }: Json) => state);
  }

  async close(): Promise<void> {
    await this.#process.kill();
    expect(await runVerify(this.#settings)).toMatchObject({ code: 0 });
  }

  get dead(): Promise<void> {
    return this.#process.dead;
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }
}

/** Decides about a payment, with a kill at the point, repeats the decision after a restart, and checks the money. @returns the passed points */
async function run(service: HoldService, decision: Decision, payer: Payer, point: string | undefined): Promise<Report | undefined> {
  const before = await service.balanceMsat(service.payer);
  const hold = await service.held(payer);
  await service.send('arm', point);
  const first = await service.decide(hold, decision).catch(() => undefined);
  const end = decision === 'settle' ? 'settled' : 'cancelled';
  if (first) await Promise.race([service.until(hold.id, end).catch(() => undefined), service.dead]);
  const report = await service.send('report');
  if (!report) await service.restart();
  // What was confirmed is not decided otherwise.
  if (first && first.status < 300) expect((await service.decide(hold, decision === 'settle' ? 'cancel' : 'settle')).status).toBe(400);
  expect([200, 202]).toContain((await service.decide(hold, decision)).status);
  await service.until(hold.id, end);
  const isSettled = decision === 'settle';
  expect(await service.balanceMsat(hold.wallet)).toBe(isSettled ? AMOUNT_MSAT : 0);
  if (payer === 'outside') await expect.poll(() => service.outside(hold.hash)).toEqual([isSettled ? 'succeeded' : 'failed']);
  else {
    const after = before - (isSettled ? AMOUNT_MSAT : 0);
    await expect.poll(async () => (await service.client.get(`/v1/wallet/${service.payer.id}`)).pending_msat).toBe(0);
    expect(await service.balanceMsat(service.payer)).toBe(after);
  }
  return report;
}

describe.each(DIALECTS)('a service on %s that is killed during a decision about a hold invoice', (dialect) => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-holds-'));
  const services: HoldService[] = [];
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  it.each<[Decision, Payer]>([
    ['settle', 'outside'],
    ['cancel', 'outside'],
    ['settle', 'inside'],
    ['cancel', 'inside'],
  ])('C6: completes the decision to %s a payment from %s once', { timeout: 600_000 }, async (decision, payer) => {
    const service = await HoldService.start(dialect, join(folder, `${decision}-${payer}`));
    services.push(service);
    const passed = (await run(service, decision, payer, undefined))?.passed ?? [];
    const call = payer === 'inside' ? 'tx 1 committed' : decision === 'settle' ? 'settleHoldInvoice after' : 'cancelInvoice after';
    expect(passed).toContain(call);
    const killed: string[] = [];
    for (const point of passed.filter(isCertain)) if (!(await run(service, decision, payer, point))) killed.push(point);
    expect(killed).toContain(call);
    await service.close();
  });
});
