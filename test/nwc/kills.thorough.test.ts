import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type DevnetRelay, startRelay } from '../../devnet/relay.ts';
import type { NostrEvent } from '../../src/core/nostr/event.ts';
import { type Index, startTwoInstances } from '../process/two-instances.ts';
import { drawsOf } from '../restore/lossy-load.ts';
import type { Client, Json } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { connectApp, type NwcApp, requestAnsweredBy } from '../support/nwc.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';

/** `NWC_KILLS=100` kills more often. A failure names its seed, for `NWC_SEED`. */
const KILLS = Number(process.env.NWC_KILLS ?? 4);
const SEED = Number(process.env.NWC_SEED ?? Date.now() % 1_000_000);
const AT_ONCE = 20;
const HANGS = { timeout: 120_000, interval: 20 };
const LIMIT = 120_000 + KILLS * 30_000;
const FUNDED_SAT = 100_000;
/** How payments behave on the fake node. Other nodes ignore it. */
const MEMOS = ['', 'fee=3', 'delay=0.3', 'fail=NO_ROUTE', 'lose-answer', 'delay=0.1 fee=2'];

/** A request to send. */
interface Order {
  readonly method: string;
  readonly params: object;
  readonly amountMsat: number;
  /** Of an invoice that is paid. */
  readonly paymentHash?: string;
}

interface Sent extends Order {
  readonly event: NostrEvent;
}

/** Starts a relay. `arrived` has each response as often as it was published, as JSON. */
async function startRecordingRelay(): Promise<{ readonly relay: DevnetRelay; readonly arrived: Map<string, Set<string>> }> {
  const relay = await startRelay();
  const arrived = new Map<string, Set<string>>();
  const store = relay.store.bind(relay);
  relay.store = (event) => {
    const request = requestAnsweredBy(event);
    if (request !== undefined) arrived.set(request, (arrived.get(request) ?? new Set()).add(JSON.stringify(event)));
    store(event);
  };
  return { relay, arrived };
}

/** Returns requests of an app, in a random order: most pay an invoice, others send a keysend or create an invoice. */
async function makeOrders(client: Client, draw: (below: number) => number): Promise<Order[]> {
  const { nodes, unreachable_pubkey: nowhere } = await client.get('/playground');
  const alice = nodes.find(({ name }: Json) => name === 'alice').pubkey;
  const orders: Order[] = [];
  for (let i = 0; i < KILLS * AT_ONCE; i += 1) {
    const sat = 1 + draw(50);
    const amountMsat = sat * 1000;
    const kind = draw(10);
    if (kind > 2) {
      const made = await client.post('/playground/invoice', { num_satoshis: sat, memo: MEMOS[draw(MEMOS.length)] });
      const params = { invoice: made.payment_request };
      orders.push({ method: 'pay_invoice', params, amountMsat, paymentHash: made.payment_hash });
    } else if (kind > 0) {
      const params = { amount: amountMsat, pubkey: kind === 1 ? alice : nowhere };
      orders.push({ method: 'pay_keysend', params, amountMsat });
    } else orders.push({ method: 'make_invoice', params: { amount: amountMsat }, amountMsat });
  }
  return orders;
}

async function receivedOutside(client: Client): Promise<Json[]> {
  const all: Json[] = [];
  for (let after = 0; ; after = all.at(-1).id) {
    const { payments } = await client.get(`/playground/payments?after=${after}`);
    if (payments.length === 0) return all.filter(({ direction }) => direction === 'received');
    all.push(...payments);
  }
}

/** Returns the payment hashes of all invoices and received payments of the wallet. */
async function listReceived(app: NwcApp): Promise<string[]> {
  const hashes: string[] = [];
  for (;;) {
    const { result } = await app.call('list_transactions', { type: 'incoming', unpaid: true, offset: hashes.length });
    if (result.transactions.length === 0) return hashes;
    hashes.push(...result.transactions.map(({ payment_hash: hash }: Json) => hash));
  }
}

/** Returns what our node can send to alice. */
async function spendableMsat(client: Client): Promise<number> {
  const { channels } = await client.get('/playground');
  const { from, from_msat: fromMsat, to_msat: toMsat } = channels.find((one: Json) => [one.from, one.to].sort().join() === 'alice,hub');
  return from === 'hub' ? fromMsat : toMsat;
}

interface Scenario {
  /** Of the summary that `NWC_KILLS` prints. */
  readonly name: string;
  client(): Client;
  readonly relay: DevnetRelay;
  readonly arrived: Map<string, Set<string>>;
  /** Kills the service that serves apps, and lets one serve them again. */
  kill(): Promise<void>;
}

/** Sends requests while the service is killed. Then compares each response with the records of the nodes and the wallet. */
async function surviveKills({ name, client, relay, arrived, kill }: Scenario): Promise<void> {
  const draw = drawsOf(SEED);
  const wallet = await client().wallet(FUNDED_SAT);
  const app = await connectApp(client(), wallet.id);
  onTestFinished(() => app.close());
  expect(relay.url).toBe(new URL(app.uri).searchParams.get('relay'));
  // The service is subscribed.
  await app.call('get_info');
  const orders = await makeOrders(client(), draw);
  const requests: Sent[] = [];
  const before = await spendableMsat(client());
  const answered = () => requests.filter(({ event }) => arrived.has(event.id)).length;
  /** Requests that were sent and not answered when the service was killed. */
  let open = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const ofRound = orders.slice(round * AT_ONCE, (round + 1) * AT_ONCE);
    // A relay does not deliver requests that are older than the service reads them again.
    const batch = ofRound.map((order) => ({ ...order, event: app.request(order.method, order.params) }));
    requests.push(...batch);
    const early = draw(AT_ONCE + 1);
    const goal = answered() + draw(early + 1);
    await Promise.all(batch.slice(0, early).map(({ event }) => app.send(event)));
    await expect.poll(answered, { ...HANGS, interval: 2 }).toBeGreaterThanOrEqual(goal);
    await delay(draw(40));
    open += requests.length - batch.length + early - answered();
    const killed = kill();
    // Some requests arrive while no service runs.
    await Promise.all(batch.slice(early).map(({ event }) => app.send(event)));
    await killed;
  }
  await expect.poll(answered, HANGS).toBe(requests.length);
  await expect.poll(async () => (await receivedOutside(client())).filter(({ state }) => state === 'pending').length, HANGS).toBe(0);
  await expect.poll(() => requests.filter(({ event }) => app.responsesTo(event).length === 0).length, HANGS).toBe(0);

  let spent = 0;
  const paid: string[] = [];
  const made: string[] = [];
  for (const { event, method, amountMsat, paymentHash } of requests) {
    expect([method, arrived.get(event.id)?.size]).toEqual([method, 1]);
    const { result, error } = app.responsesTo(event)[0]?.body ?? {};
    if (method === 'make_invoice') made.push(result.payment_hash);
    else if (error) expect([method, error.code]).toEqual([method, 'PAYMENT_FAILED']);
    else {
      const hash = createHash('sha256').update(Buffer.from(result.preimage, 'hex')).digest('hex');
      expect(hash).toBe(paymentHash ?? hash);
      paid.push(hash);
      spent += amountMsat + result.fees_paid;
    }
  }
  const succeeded = (await receivedOutside(client())).filter(({ state }) => state === 'succeeded');
  expect(succeeded.map(({ payment_hash: hash }) => hash).sort()).toEqual(paid.sort());
  expect(before - (await spendableMsat(client()))).toBe(spent);
  expect((await client().get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(FUNDED_SAT * 1000 - spent);
  const received = await listReceived(app);
  // One has funded the wallet.
  expect(received).toHaveLength(made.length + 1);
  expect(new Set(received).size).toBe(received.length);
  expect(made.filter((hash) => !received.includes(hash))).toEqual([]);
  expect([paid.length > 0, paid.length < requests.length]).toEqual([true, true]);
  if (process.env.NWC_KILLS !== undefined) {
    const totals = { kills: KILLS, requests: requests.length, openAtKills: open, paid: paid.length, invoices: made.length };
    process.stdout.write(`NWC kills, ${name}: ${JSON.stringify({ ...totals, failed: requests.length - paid.length - made.length })}\n`);
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`requests of an app to a service that is killed (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const folder = mkdtempSync(join(tmpdir(), 'satchel-nwc-'));
    const running: { service?: ServiceProcess } = {};
    afterAll(async () => {
      await running.service?.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    it(
      `are executed and answered once each (NWC_SEED=${SEED})`,
      async () => {
        const { relay, arrived } = await startRecordingRelay();
        onTestFinished(() => relay.stop());
        const settings = { ...(await processSettings(folder, await urls())), LIGHTNING_URL: 'fake:?seed=1', NWC_RELAYS: relay.url };
        let service = await startProcess(settings);
        running.service = service;
        const kill = async () => {
          await service.kill();
          service = await startProcess(settings);
          running.service = service;
        };
        await surviveKills({ name: dialect, client: () => service.client, relay, arrived, kill });
        expect(await service.stop()).toBe(0);
        expect((await runVerify(settings)).code).toBe(0);
      },
      LIMIT,
    );
  });
}

const relayOfTwo = await startRecordingRelay();

describe('requests of an app to two instances', () => {
  const { services, settings, startAgain } = startTwoInstances({ NWC_RELAYS: relayOfTwo.relay.url });
  afterAll(() => relayOfTwo.relay.stop());

  it(
    `are executed and answered once each while the serving one is killed (NWC_SEED=${SEED})`,
    async () => {
      const database = new pg.Client({ connectionString: settings().DATABASE_URL });
      await database.connect();
      onTestFinished(() => database.end());
      /** Returns the process id of the instance that holds the lease; undefined while none does. */
      const holder = async (): Promise<number | undefined> => {
        const { rows } = await database.query(
          "SELECT i.pid FROM lease l JOIN instance i ON i.id = l.instance_id WHERE l.name = 'nwc' AND i.ended_at IS NULL",
        );
        return rows[0] && Number(rows[0].pid);
      };
      let serving: Index = 0;
      const kill = async () => {
        // An instance that a busy machine has delayed may have lost the lease to the other one.
        await expect.poll(holder, HANGS).toBeDefined();
        const killed = await holder();
        const index: Index = services[0]?.pid === killed ? 0 : 1;
        await services[index]?.kill();
        const other = index === 0 ? 1 : 0;
        await expect.poll(holder, HANGS).toBe(services[other]?.pid);
        await startAgain(index);
        serving = other;
      };
      await surviveKills({ name: 'two instances', client: () => services[serving]?.client as Client, ...relayOfTwo, kill });
      expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0]);
      expect((await runVerify(settings())).code).toBe(0);
    },
    LIMIT,
  );
});
