import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runSatchel, runVerify, type ServiceProcess, startProcess } from '../../support/process.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { hubSettings, regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();
const ROUNDS = Number(process.env.ROUNDS ?? 2);
const ORDINARY = 24;
const HELD = 6;
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const WAIT = { timeout: 120_000, interval: 100 };
/** What LND logs when it settles a payment a second time. */
const LOST = 'unable to settle htlc: No HTLC with ID';

interface Paid {
  readonly id: string;
  readonly preimage: string;
  readonly paymentRequest: string;
}

/*
 *   LND_BIN=… BTCD_BIN=… ROUNDS=20 npx vitest run --project thorough test/lightning/lnd/lost-channel
 */
describe('a real LND that is restarted while it has hold invoices', () => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls('sqlite');
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-lost-'));
  let network: RegtestNetwork;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let walletId: string;

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, join(directory, 'network'), { holdsKeysends: false });
    settings = await hubSettings(network.hub, await processSettings(join(directory, 'data'), await urls()), KEY);
    Object.assign(settings, { HOLD_INVOICES: 'true' });
    service = await startProcess(settings);
    walletId = (await service.client.wallet()).id;
  }, 240_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const statusOf = async ({ id }: Paid): Promise<string> => (await service.client.get(`/v1/lntx/${id}`)).status;
  const isReady = async () => (await service.client.get('/v1/node/default')).status === 'ready';
  const decide = ({ id, preimage }: Paid, decision: 'settle' | 'cancel') =>
    service.client.post(`/v1/lntx/${id}/${decision}`, decision === 'settle' ? { preimage } : {});
  const untilEach = (invoices: readonly Paid[], status: string) =>
    vi.waitUntil(async () => (await Promise.all(invoices.map(statusOf))).every((one) => one === status), WAIT);
  const hasLogged = () => {
    const log = join(network.hub.directory, 'logs/bitcoin/regtest/lnd.log');
    return existsSync(log) && readFileSync(log, 'utf8').includes(LOST);
  };

  async function create(isHold: boolean): Promise<Paid> {
    const preimage = randomBytes(32).toString('hex');
    const order = { num_satoshis: 1000, ...(isHold && { hold_hash: paymentHashOf(preimage) }) };
    const { id, payment_request: paymentRequest } = await service.client.post(`/v1/wallet/${walletId}/invoice`, order);
    return { id, preimage, paymentRequest };
  }

  /** Alice pays all invoices at once, so that ordinary and held payments share a commitment. Returns the held ones. */
  async function payAtOnce(): Promise<Paid[]> {
    const kinds = Array.from({ length: ORDINARY + HELD }, (_, index) => index % 5 === 4);
    const invoices = await Promise.all(kinds.map(create));
    const control = regtestControl(network);
    for (const { paymentRequest } of invoices) void control.payInvoice({ paymentRequest, from: 'alice' }).catch(() => undefined);
    const held = invoices.filter((_, index) => kinds[index]);
    await untilEach(held, 'held');
    await untilEach(
      invoices.filter((_, index) => !kinds[index]),
      'settled',
    );
    expect(held).toHaveLength(HELD);
    return held;
  }

  it(`keeps its channel when nothing is held after satchel node holds --stop, ${ROUNDS} times`, {
    timeout: 60_000 + ROUNDS * 120_000,
  }, async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const held = await payAtOnce();
      const stopping = runSatchel(['node', 'holds', '--stop', '--reason', 'An update.', '--json'], settings);
      const listed = JSON.parse((await runSatchel(['node', 'holds', '--json'], settings)).stdout);
      expect(listed.payments.map(({ id }: Paid) => id).toSorted()).toEqual(held.map(({ id }) => id).toSorted());
      await Promise.all(held.map((one, index) => decide(one, index < HELD / 2 ? 'settle' : 'cancel')));
      const stopped = await stopping;
      expect(stopped, stopped.output).toMatchObject({ code: 0 });
      expect(JSON.parse(stopped.stdout)).toMatchObject({ num_open: 0, payments: [] });
      for (let restart = 0; restart < 3; restart++) await network.hub.restart('SIGINT', 1);
      expect(hasLogged()).toBe(false);
      expect((await runSatchel(['node', 'holds', '--allow'], settings)).code).toBe(0);
      await vi.waitUntil(isReady, WAIT);
      if (round % 5 === 0 || round === ROUNDS) console.log(`the channel is active after ${round} rounds`);
    }
  });

  it('loses its channel when payments are held during the restarts', { timeout: 600_000 }, async () => {
    const held = await payAtOnce();
    await network.hub.restart('SIGINT', 1);
    await vi.waitUntil(isReady, WAIT);
    await untilEach(held, 'held');
    for (const one of held.slice(0, HELD / 2)) await decide(one, 'settle');
    await untilEach(held.slice(0, HELD / 2), 'settled');
    for (let restart = 0; restart < 2; restart++) {
      await network.hub.stop('SIGINT');
      network.hub.start();
      await network.hub.waitUntilActive(0);
      if (restart === 0) await network.hub.waitUntilActive(1);
    }
    await vi.waitUntil(hasLogged, WAIT);
    const { num_active_channels: active } = await network.hub.call<{ num_active_channels: number }>('GET', '/v1/getinfo');
    expect(active).toBe(0);
    const { payments } = JSON.parse((await runSatchel(['node', 'holds', '--json'], settings)).stdout);
    expect(payments).toHaveLength(HELD / 2);
    expect((await runVerify(settings)).code).toBe(0);
  });
});
