import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlayground } from '../../../devnet/playground/playground.ts';
import type { OutsidePayment, TestNetwork } from '../../../devnet/test-network.ts';
import type { PaymentOutcome, Settlement } from '../../../src/core/lightning/node.ts';
import { allEvents, collectLog, payOutside, tempDir, until } from './support/open.ts';

interface Diary {
  readonly orders: { readonly paymentId: string; readonly paymentHash: string; readonly amountMsat: number }[];
  readonly outcomes: { readonly paymentId: string; readonly outcome: PaymentOutcome }[];
  readonly received: OutsidePayment[];
}

const INITIAL_MSAT = 2_500_000_000_000;
/** The number of payments that end before each kill. */
const LIVES = [1, 7, 20, 40];

async function liveAndDie(dataDir: string, diary: string, payments: number): Promise<void> {
  const target = readDiary(diary).outcomes.length + payments;
  const script = new URL('./support/load.ts', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [script, dataDir, diary], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  await until(async () => (readDiary(diary).outcomes.length >= target ? true : undefined));
  child.kill('SIGKILL');
  await exited;
}

function readDiary(path: string): Diary {
  const diary: Diary = { orders: [], outcomes: [], received: [] };
  if (!existsSync(path)) return diary;
  // The kill may have interrupted the last line.
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const entry = JSON.parse(line);
    if (entry.type === 'order') diary.orders.push(entry);
    else if (entry.type === 'outcome') diary.outcomes.push(entry);
    else diary.received.push(entry.payment);
  }
  return diary;
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

async function settlementsOf(playground: TestNetwork): Promise<Settlement[]> {
  return (await allEvents(playground)).filter((event) => event.type === 'settlement');
}

/** Waits until no payment is pending on either side. */
async function rest({ node, control }: TestNetwork, diary: Diary): Promise<readonly OutsidePayment[]> {
  node.guardIncoming(async () => 'claim');
  return until(async () => {
    const payments = await control.payments(0, 1_000);
    const ours = await Promise.all(diary.orders.map((order) => node.lookupPayment(order)));
    return [...payments, ...ours].some((each) => each?.state === 'pending') ? undefined : payments;
  });
}

describe('kill -9, again and again in the middle of payments', () => {
  it('loses no channel, no millisatoshi and no result that it had returned', async () => {
    const dataDir = tempDir();
    const path = join(dataDir, 'diary');
    for (const payments of LIVES) await liveAndDie(dataDir, path, payments);
    const log = collectLog();
    const playground = await openPlayground({ dataDir, log });
    const { node } = playground;
    const diary = readDiary(path);
    const outside = await rest(playground, diary);

    for (const { paymentId, outcome } of diary.outcomes)
      expect(await node.lookupPayment({ paymentId, paymentHash: '00'.repeat(32) })).toEqual(outcome);
    for (const payment of diary.received) expect(outside).toContainEqual(payment);

    const paid: { hash: string; amountMsat: number; feeMsat: number }[] = [];
    for (const order of diary.orders) {
      const outcome = await node.lookupPayment(order);
      if (outcome?.state === 'succeeded') paid.push({ hash: order.paymentHash, amountMsat: order.amountMsat, feeMsat: outcome.feeMsat });
    }
    const received = outside.filter((each) => each.direction === 'received' && each.state === 'succeeded');
    expect(paid.map((each) => each.hash).sort()).toEqual(received.map((each) => each.paymentHash).sort());
    const sent = outside.filter((each) => each.direction === 'sent' && each.state === 'succeeded');
    const settled = await settlementsOf(playground);
    expect(settled.map((each) => each.paymentHash).sort()).toEqual(sent.map((each) => each.paymentHash).sort());

    const out = sumOf(paid.map((each) => each.amountMsat + each.feeMsat));
    const marker = 1;
    expect((await node.balance()).localMsat).toBe(INITIAL_MSAT + sumOf(settled.map((each) => each.amountMsat)) - out - marker);
    expect((await payOutside(playground, 'carol', { feeLimitMsat: 5_000 })).outcome.state).toBe('succeeded');
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([]);
    await node.close();
    // The test needs five starts. Each wait has its own limit.
  }, 1_800_000);
});
