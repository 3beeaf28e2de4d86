import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Index, startTwoInstances } from '../process/two-instances.ts';
import type { Client, Json, TestWallet } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';
import { accept, startReceiver } from './receiver.ts';

const LOCAL = { OUTBOUND_ALLOW: '127.0.0.1' };
const isTransfer = ({ event }: Json) => event.name.startsWith('wallet_transfer');

/** Returns the ids of all transfer events of the account, in the order of the log. */
async function transferEvents(client: Client): Promise<{ id: string; wallet: string }[]> {
  const events: { id: string; wallet: string }[] = [];
  for (let after = ''; ; ) {
    const query = `per-page=100&type=wallet_transfer_in,wallet_transfer_out${after && `&after=${after}`}`;
    const page: Json[] = await client.get(`/v1/events?${query}`);
    if (page.length === 0) return events;
    events.push(...page.map(({ id, data }) => ({ id, wallet: data.wtx.wal.id })));
    after = events.at(-1)?.id ?? '';
  }
}

/** Checks that every event arrived, and that those of each wallet arrived in order, apart from repetitions. */
function expectAll(accepted: readonly Json[], log: readonly { id: string; wallet: string }[]): void {
  const arrived = accepted.filter(isTransfer).map((event) => ({ id: event.id as string, wallet: event.data.wtx.wal.id as string }));
  expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set(log.map(({ id }) => id)));
  const wallets = new Set(log.map(({ wallet }) => wallet));
  for (const wallet of wallets) {
    const ids = [...new Set(arrived.filter((one) => one.wallet === wallet).map(({ id }) => id))];
    expect(ids).toEqual(log.filter((one) => one.wallet === wallet).map(({ id }) => id));
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`a service that is killed between a commit and its deliveries (${dialect})`, () => {
    const receiver = startReceiver();
    const urls = freshUrls(dialect);
    const folder = mkdtempSync(join(tmpdir(), 'satchel-hooks-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('W3: delivers every event after its restart, and none of what was rejected', async () => {
      const databaseUrl = dialect === 'sqlite' ? `sqlite:${join(folder, 'satchel.db')}` : await urls();
      const settings = { ...(await processSettings(folder, databaseUrl)), ...LOCAL, LIGHTNING_URL: 'fake:?seed=1' };
      let service = await startProcess(settings);
      const { client } = service;
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      await client.post('/v1/webhooks', { url: receiver.url() });
      receiver.respond = () => undefined;
      const transfer = (num_satoshis: number) =>
        client.request('POST', `/v1/wallet/${a.id}/transfer`, { key: client.secretKey, json: { dest_wallet_id: b.id, num_satoshis } });
      for (let i = 0; i < 20; i += 1) {
        expect((await transfer(1)).status).toBe(201);
        expect((await transfer(100_000)).status).toBe(400);
      }
      await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
      await service.kill();
      expect(receiver.accepted()).toEqual([]);
      receiver.respond = accept;
      service = await startProcess(settings);
      await expect.poll(() => new Set(receiver.accepted().map(({ id }) => id)).size).toBe(40);
      expectAll(receiver.accepted(), await transferEvents(service.client));
      await service.stop();
      expect((await runVerify(settings)).code).toBe(0);
    });
  });
}

describe('two instances that share the deliveries', () => {
  const receiver = startReceiver();
  const { key, services, settings, startAgain, one: client } = startTwoInstances(LOCAL);

  it('W3: lose none of 4,000 events while each is killed, and keep the order of each wallet', async () => {
    const wallets: TestWallet[] = [];
    for (let i = 0; i < 10; i += 1) wallets.push(await client().wallet(10_000));
    const paths = ['/a', '/b'];
    for (const path of paths)
      await client().post('/v1/webhooks', { url: receiver.url(path), event_types: ['wallet_transfer_in', 'wallet_transfer_out'] });
    const database = new pg.Client({ connectionString: settings().DATABASE_URL });
    await database.connect();
    onTestFinished(() => database.end());
    const countClaimers = async () => {
      const { rows } = await database.query('SELECT count(DISTINCT claimed_by) AS n FROM webhook_delivery');
      return Number(rows[0].n);
    };

    const TOTAL = 2000;
    let sent = 0;
    const worker = async (seed: number) => {
      while (sent < TOTAL) {
        const index = sent++;
        const [from, to] = [wallets[index % 10] as TestWallet, wallets[(index + 1 + seed) % 10] as TestWallet];
        const json = { dest_wallet_id: to.id, num_satoshis: 1 };
        const transfer = () =>
          (services[index % 2] as ServiceProcess).client
            .request('POST', `/v1/wallet/${from.id}/transfer`, { key, json, headers: { 'idempotency-key': `t${index}` } })
            .catch(() => undefined);
        let response = await transfer();
        // A killed service does not respond, so its client tries again.
        for (; response === undefined; response = await transfer()) await delay(50);
        expect(response.status).toBe(201);
      }
    };
    const kill = async (index: Index) => {
      await services[index]?.kill();
      await startAgain(index);
    };
    const working = Promise.all(Array.from({ length: 8 }, (_, seed) => worker(seed)));
    await expect.poll(countClaimers, { interval: 5 }).toBe(2);
    for (const [part, index] of [
      [0.2, 0],
      [0.5, 1],
      [0.8, 0],
    ] as const) {
      await expect.poll(() => sent, { interval: 5 }).toBeGreaterThan(TOTAL * part);
      await kill(index);
    }
    await working;
    const log = await transferEvents(client());
    expect(log.length).toBe(2 * TOTAL);
    for (const path of paths) {
      await expect
        .poll(() => new Set(receiver.accepted(path).map(({ id }) => id)).size, { timeout: 400_000, interval: 200 })
        .toBe(log.length);
      expectAll(receiver.accepted(path), log);
    }
    expect((await runVerify(settings())).code).toBe(0);
  }, 600_000);
});
