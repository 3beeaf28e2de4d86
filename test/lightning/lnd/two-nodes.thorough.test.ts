import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import type { HttpResponse, Json } from '../../support/client.ts';
import { freshUrls } from '../../support/ledger.ts';
import { processSettings, runSatchel, type ServiceProcess, startProcess } from '../../support/process.ts';
import { type Attempt, checkAttempts, checkLedger } from '../attempts.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';
import { until } from './regtest-lnd.ts';

const binaries = regtestBinaries();
const KEY = `sak_${'regtest1Key2'.repeat(3)}`;
const FUNDS_MSAT = 1_000_000_000;
const KILLS = 4;

/** Hub and carol belong to the service. Both have a channel with alice, and none with each other. */
describe.each(['sqlite', 'postgres'] as const)('one service on two real LND nodes (%s)', (dialect) => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const urls = freshUrls(dialect);
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-two-'));
  let network: RegtestNetwork;
  let control: PlaygroundControl;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  /** The ids of the nodes hub and carol. */
  let nodes: readonly [string, string];
  /** Two wallets of hub, then two of carol. */
  let wallets: readonly [string, string, string, string];

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, join(directory, 'network'));
    control = regtestControl(network);
    const own = await processSettings(join(directory, 'data'), await urls());
    const lndUrls = [network.hub.url(await network.hub.bakeMacaroon()), network.carol.url(await network.carol.bakeMacaroon(), '')];
    settings = { ...own, LIGHTNING_URL: lndUrls.join(' '), BOOTSTRAP_SECRET_KEY: KEY, STUCK_PAYMENT_SECONDS: '1', LOG_LEVEL: 'error' };
    service = await startProcess(settings);
    const listed: Json[] = await service.client.get('/v1/nodes');
    const idOf = (pubkey: string): string => listed.find(({ default_pubkey }) => default_pubkey === pubkey)?.id;
    nodes = [idOf(network.hub.pubkey), idOf(network.carol.pubkey)];
    const [hub, carol] = nodes;
    wallets = [await walletOn(hub), await walletOn(hub), await walletOn(carol), await walletOn(carol)];
    // The baselines of the nodes' own money.
    await checkLedger(settings);
    for (const id of wallets) await receive(id, FUNDS_MSAT);
  }, 300_000);

  afterAll(async () => {
    await service?.kill();
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function walletOn(nodeId: string): Promise<string> {
    const made = await service.client.post('/v1/wallet', { user_label: 'test', ln_node_id: nodeId });
    expect(made.ln_node_id).toBe(nodeId);
    return made.id;
  }
  const totalOf = async (id: string): Promise<number> => {
    const { balance_msat, pending_msat } = await service.client.get(`/v1/wallet/${id}`);
    return balance_msat + pending_msat;
  };
  const totals = () => Promise.all(wallets.map(totalOf));
  const request = (id: string, path: string, json: object): Promise<HttpResponse> =>
    service.client.request('POST', `/v1/wallet/${id}/${path}`, { key: KEY, json });
  const invoiceOf = async (id: string, amountMsat: number): Promise<string> =>
    (await service.client.post(`/v1/wallet/${id}/invoice`, { num_satoshis: amountMsat / 1000 })).payment_request;
  const atAlice = (amountMsat: number) =>
    control.createInvoice({ at: 'alice', amountMsat: msat(amountMsat), memo: '', expirySeconds: 3600, hold: false });
  const withdraw = (id: string, payment_request: string) => request(id, 'withdraw', { payment_request });

  async function payOut(id: string, amountMsat: number): Promise<HttpResponse> {
    return withdraw(id, (await atAlice(amountMsat)).paymentRequest);
  }

  async function receive(id: string, amountMsat: number): Promise<void> {
    const before = await totalOf(id);
    const paymentRequest = await invoiceOf(id, amountMsat);
    expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    await until('the payment is credited', async () => (await totalOf(id)) === before + amountMsat);
  }

  it('pays and receives on each, and between them without the network; each node holds what the ledger says', async () => {
    const [a, , b] = wallets;
    const inside = await invoiceOf(b, 10_000_000);
    expect((await withdraw(a, inside)).status).toBe(201);
    expect(await control.payInvoice({ paymentRequest: inside, from: 'alice' })).toMatchObject({ state: 'failed' });
    const back = await withdraw(b, await invoiceOf(a, 3_000_000));
    expect(back).toMatchObject({ status: 201, body: { lnTx: { fee_msat: 0 } } });
    for (const [id, node] of [
      [a, nodes[0]],
      [b, nodes[1]],
    ] as const) {
      expect(await payOut(id, 5_000_000)).toMatchObject({ status: 201, body: { lnTx: { ln_node_id: node, fee_msat: 0 } } });
    }
    expect([await totalOf(a), await totalOf(b)]).toEqual([FUNDS_MSAT - 12_000_000, FUNDS_MSAT + 2_000_000]);
    const { report, alerts } = await checkLedger(settings);
    const rests = report.nodes.map((one: Json) => [one.ln_node_id, one.balance_status, one.difference_msat]);
    expect(rests).toEqual(expect.arrayContaining(nodes.map((id) => [id, 'measured', 0])));
    const positions = new Map(report.nodes.map((one: Json) => [one.ln_node_id, [one.held_msat, one.position_msat]]));
    expect(positions.get(nodes[0])).toEqual([2 * FUNDS_MSAT - 5_000_000, 7_000_000]);
    expect(positions.get(nodes[1])).toEqual([2 * FUNDS_MSAT - 5_000_000, -7_000_000]);
    expect(alerts).toEqual([]);
  });

  it.each([
    ['hub', 0, 'SIGKILL'],
    ['carol', 1, 'SIGINT'],
  ] as const)('serves the wallets of the other node as before when %s is down', async (name, index, signal) => {
    const [away, , staying, second] = index === 0 ? wallets : ([...wallets.slice(2), ...wallets.slice(0, 2)] as unknown as typeof wallets);
    const ofAway = await invoiceOf(away, 1_000_000);
    let isDown = false;
    const slowestMs = { before: 0, after: 0 };
    const refused: number[] = [];
    const paying = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let i = 0; i < 10; i++) {
          const start = performance.now();
          const { status } = await payOut(staying, 100_000);
          if (status !== 201) refused.push(status);
          const took = performance.now() - start;
          if (isDown) slowestMs.after = Math.max(slowestMs.after, took);
          else slowestMs.before = Math.max(slowestMs.before, took);
        }
      }),
    );
    await delay(500);
    await network[name].stop(signal);
    isDown = true;
    await receive(second, 2_000_000);
    expect((await withdraw(staying, await invoiceOf(second, 200_000))).status).toBe(201);
    // The invoice's node must confirm that no outside payer can pay it.
    expect((await withdraw(away, await invoiceOf(second, 300_000))).status).toBe(201);
    await paying;
    expect(refused).toEqual([]);
    expect((await withdraw(staying, ofAway)).body.type).toBe('node_unavailable');
    expect((await payOut(away, 1_000)).body.type).toBe('node_unavailable');
    expect((await service.client.request('GET', '/readyz')).body).toMatchObject({ status: 'ready', node: 'partial' });
    network[name].start();
    await network[name].waitUntilActive(1);
    await network.alice.waitUntilActive(2);
    await expect.poll(async () => (await service.client.request('GET', '/readyz')).body.node).toBe('ok');
    expect((await withdraw(staying, ofAway)).status).toBe(201);
    await expect.poll(async () => (await payOut(away, 1_000)).status).toBe(201);
    console.log(`${dialect}, ${name} down: slowest payment of the other node`, slowestMs);
    await checkLedger(settings);
  });

  it('moves a wallet with its history; its open invoices are paid at the old node', async () => {
    const [, wallet] = wallets;
    const before = await totalOf(wallet);
    const readHistory = async () => {
      const transactions: Json[] = await service.client.get(`/v1/wallet/${wallet}/transactions`);
      return transactions.map(({ id, num_msat, lnTx }) => [id, num_msat, lnTx?.ln_node_id]);
    };
    const history = await readHistory();
    expect(history.length).toBeGreaterThan(2);
    const old = await invoiceOf(wallet, 4_000_000);
    const moved = await runSatchel(['node', 'move', wallet, nodes[1], '--reason', 'a test'], settings);
    expect(moved.code, moved.output).toBe(0);
    await expect.poll(async () => (await service.client.get(`/v1/wallet/${wallet}`)).ln_node_id).toBe(nodes[1]);
    expect(await readHistory()).toEqual(history);
    expect(await control.payInvoice({ paymentRequest: old, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    await expect.poll(() => totalOf(wallet)).toBe(before + 4_000_000);
    await receive(wallet, 5_000_000);
    await expect.poll(() => totalOf(wallet)).toBe(before + 9_000_000);
    expect(await payOut(wallet, 2_000_000)).toMatchObject({ status: 201, body: { lnTx: { ln_node_id: nodes[1] } } });
    const back = await runSatchel(['node', 'move', wallet, nodes[0], '--reason', 'a test'], settings);
    expect(back.code, back.output).toBe(0);
    await checkLedger(settings);
  });

  it(`loses and repeats nothing when the service is killed ${KILLS} times, and one node with it, under load on both`, async () => {
    const before = await totals();
    const attempts: Attempt[] = [];
    let isLoaded = true;
    async function attempt(id: string, turn: number): Promise<void> {
      const amountMsat = 100_000 + turn * 1000;
      if (turn % 3 === 0) {
        const { paymentRequest, paymentHash } = await atAlice(amountMsat);
        attempts.push({ paymentHash, amountMsat, from: id });
        return void (await request(id, 'withdraw', { payment_request: paymentRequest }));
      }
      const to = turn % 3 === 1 ? id : (wallets[(wallets.indexOf(id) + 2) % 4] ?? id);
      const paymentRequest = await invoiceOf(to, amountMsat);
      const { paymentHash } = decodeBolt11(paymentRequest);
      attempts.push({ paymentHash, amountMsat, to, ...(turn % 3 === 2 && { from: id }) });
      await (turn % 3 === 1 ? control.payInvoice({ paymentRequest, from: 'alice' }) : withdraw(id, paymentRequest));
    }
    const working = wallets.map(async (id) => {
      for (let turn = 0; isLoaded; turn++) await attempt(id, turn).catch(() => delay(200));
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(3000 + ((kill * 379) % 1000));
      await service.kill();
      if (kill === KILLS - 1) await network.carol.restart('SIGKILL', 1);
      service = await startProcess(settings);
    }
    await delay(2000);
    isLoaded = false;
    await Promise.all(working);
    await network.alice.waitUntilActive(2);

    // LND may keep a payment in flight permanently that carol's kill has interrupted. All others end.
    const inFlight = async () => {
      const { payments } = await network.carol.call<{ payments: { status: string }[] }>('GET', '/v1/payments?include_incomplete=true');
      return payments.filter(({ status }) => status === 'IN_FLIGHT').length;
    };
    let stuck: Json[] = [];
    const isDone = async () => {
      const { report, alerts } = await checkLedger(settings);
      const pending = new Map<string, number>(report.nodes.map((one: Json) => [one.ln_node_id, one.pending_payments]));
      stuck = alerts;
      return pending.get(nodes[0]) === 0 && pending.get(nodes[1]) === (await inFlight());
    };
    await expect.poll(isDone, { timeout: 500_000, interval: 5000 }).toBe(true);
    for (const { kind, message } of stuck)
      expect([kind, message]).toEqual(['payment_stuck', expect.stringContaining('No channel has an HTLC')]);
    const { changesMsat, ...counts } = await checkAttempts(service.client, attempts, await control.payments(0, 100_000));
    console.log(`${dialect}: ${KILLS} kills of the service, 1 of a node`, counts, `stuck: ${stuck.length}`);
    expect(stuck).toHaveLength(await inFlight());
    expect(await totals()).toEqual(wallets.map((id, i) => (before[i] ?? 0) + (changesMsat.get(id) ?? 0)));
  }, 900_000);
});
