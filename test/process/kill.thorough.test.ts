import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Client, Json, TestWallet } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runVerify, type ServiceProcess, startProcess } from '../support/process.ts';

const WALLETS = 3;
const FUNDING_SAT = 199_998;
const PAYMENTS = 200;
const KILLS = 3;
const CONCURRENCY = 12;
const MAX_TRIES = 50;

/** Returns a generator of numbers below `max`, determined by the seed. */
function seeded(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % max;
  };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  describe(`kill -9 (${dialect})`, () => {
    const urls = freshUrls(dialect);
    const dataDir = mkdtempSync(join(tmpdir(), 'satchel-kill-'));
    const running: { service?: ServiceProcess } = {};
    afterAll(async () => {
      await running.service?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    });

    it(`S1 S8: killed ${KILLS} times during ${PAYMENTS} mixed payments, each wallet has exactly the payments that the outside nodes report for it`, async () => {
      const settings = await processSettings(dataDir, await urls());
      let service = await startProcess(settings);
      running.service = service;
      const wallets = await Promise.all(
        Array.from({ length: WALLETS }, (_, index) => service.client.wallet(namingWallet(FUNDING_SAT, index))),
      );
      const pubkeys = Object.fromEntries((await service.client.get('/playground')).nodes.map((node: Json) => [node.name, node.pubkey]));
      const random = seeded(dialect.length);
      for (let kill = 0; kill < KILLS; kill++) {
        // The kill comes after a number of responses, not after a time, so that a slow machine is killed at the same places.
        await untilAnswers(service.client, wallets, pubkeys, random, { killAfter: 20 + random(PAYMENTS - 60), kill: () => service.kill() });
        service = await startProcess(settings);
        running.service = service;
      }
      await nothingPending(service.client, wallets);
      await compareWithOutside(service.client, wallets);
      const verified = await runVerify(settings);
      expect(verified.output).toContain('The ledger is clean.');
      expect(verified.code).toBe(0);
      expect(await service.stop()).toBe(0);
      // The test needs hundreds of payments and four starts. Each wait in them has its own limit.
    }, 1_800_000);
  });
}

async function untilAnswers(
  client: Client,
  wallets: readonly TestWallet[],
  pubkeys: Record<string, string>,
  random: (max: number) => number,
  { killAfter, kill }: { killAfter: number; kill: () => Promise<void> },
): Promise<void> {
  let started = 0;
  let answered = 0;
  let killed: Promise<void> | undefined;
  const worker = async () => {
    while (started < PAYMENTS) {
      started += 1;
      await repeatWhileUnavailable(() => oneOperation(client, wallets, pubkeys, random)).catch((error: Error) => {
        // Only the kill may interrupt a request. An unexpected status is thrown unchanged.
        if (!killed || /returned \d/.test(error.message)) throw error;
      });
      answered += 1;
      if (answered === killAfter) killed = kill();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  await killed;
}

/** Repeats an operation while the response is 503, as clients do: the node did not answer in time, and the request has booked nothing. */
async function repeatWhileUnavailable(operate: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await operate();
    } catch (error) {
      if (tries === MAX_TRIES || !/returned 503/.test(String(error))) throw error;
      await delay(100);
    }
  }
}

/** The amount identifies the wallet: if the response is lost, the outside nodes report nothing else that identifies it. */
function namingWallet(amountSat: number, index: number): number {
  return amountSat - (amountSat % WALLETS) + index;
}

function walletNamedBy(amountMsat: number): number {
  return (amountMsat / 1000) % WALLETS;
}

async function oneOperation(
  client: Client,
  wallets: readonly TestWallet[],
  pubkeys: Record<string, string>,
  random: (max: number) => number,
): Promise<void> {
  const [a, b] = [wallets[random(wallets.length)], wallets[random(wallets.length)]] as [TestWallet, TestWallet];
  const num_satoshis = namingWallet(10 + random(500), wallets.indexOf(a));
  const from = random(2) ? 'alice' : 'carol';
  switch (random(6)) {
    case 0:
      return client.post('/playground/fund', { wallet_id: a.id, num_satoshis });
    case 1:
      return client.post('/playground/keysend', { num_satoshis, from, custom_records: { '696969': a.id } });
    case 2: {
      const { payment_request } = await client.post('/playground/invoice', { num_satoshis, at: from });
      return client.post(`/v1/wallet/${a.id}/withdraw`, { payment_request });
    }
    case 3:
      return client.post(`/v1/wallet/${a.id}/keysend`, { dest_pubkey: pubkeys[from], num_satoshis });
    case 4:
      return a === b ? undefined : client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis });
    default: {
      if (a === b) return;
      const { payment_request } = await client.post(`/v1/wallet/${b.id}/invoice`, { num_satoshis });
      return client.post(`/v1/wallet/${a.id}/withdraw`, { payment_request });
    }
  }
}

async function nothingPending(client: Client, wallets: readonly TestWallet[]): Promise<void> {
  await expect
    .poll(async () => (await Promise.all(wallets.map(({ id }) => client.get(`/v1/wallet/${id}`)))).map(({ pending_msat }) => pending_msat))
    .toEqual(wallets.map(() => 0));
  // Payments that outside nodes had started towards the service before the kill also end.
  await expect.poll(async () => (await outsidePayments(client)).filter(({ state }) => state === 'pending')).toEqual([]);
}

async function outsidePayments(client: Client): Promise<Json[]> {
  return (await client.get('/playground/payments')).payments;
}

async function history(client: Client, wallet: TestWallet): Promise<Json[]> {
  const rows: Json[] = [];
  for (let page = 1; ; page++) {
    const next = await client.get(`/v1/wallet/${wallet.id}/transactions?per-page=100&page=${page}`);
    rows.push(...next);
    if (next.length < 100) return rows;
  }
}

/**
 * Each wallet's ledger has the payments that the outside nodes report for it, and no others. Payments that arrived while the service was
 * down are credited once it has taken over the lease of the killed process.
 */
async function compareWithOutside(client: Client, wallets: readonly TestWallet[]): Promise<void> {
  await expect
    .poll(
      async () => {
        const { ours, theirs } = await bothBooks(client, wallets);
        return { missing: theirs.filter((one) => !ours.includes(one)), tooMuch: ours.filter((one) => !theirs.includes(one)) };
      },
      { interval: 500 },
    )
    .toEqual({ missing: [], tooMuch: [] });
  const { ours, theirs } = await bothBooks(client, wallets);
  expect(theirs.length).toBeGreaterThan(30);
  expect(ours.sort()).toEqual(theirs.sort());
}

/** Payments over the network as `wallet hash amount`, once from the wallets' histories and once from the outside nodes. */
async function bothBooks(client: Client, wallets: readonly TestWallet[]): Promise<{ ours: string[]; theirs: string[] }> {
  const histories = await Promise.all(wallets.map((wallet) => history(client, wallet)));
  for (const [index, rows] of histories.entries()) {
    const wallet = await client.get(`/v1/wallet/${wallets[index]?.id}`);
    expect(rows.reduce((sum, row) => sum + row.num_msat, 0)).toBe(wallet.balance_msat);
  }
  const rows = histories.flatMap((wallet, index) => wallet.filter((row) => row.lnTx).map((row) => ({ ...row, wallet: index })));
  const inside = new Set(rows.map((row) => row.lnTx.r_hash_decoded).filter((hash, i, all) => all.indexOf(hash) !== i));
  const ours = rows
    .filter((row) => !inside.has(row.lnTx.r_hash_decoded))
    .map((row) => `${row.wallet} ${row.lnTx.r_hash_decoded} ${row.num_msat}`);
  const outside = (await outsidePayments(client)).filter(({ state }) => state === 'succeeded');
  const theirs = outside.map(({ payment_hash, direction, amount_msat }) => {
    const changeMsat = direction === 'sent' ? amount_msat : -amount_msat;
    return `${walletNamedBy(amount_msat)} ${payment_hash} ${changeMsat}`;
  });
  return { ours, theirs };
}
