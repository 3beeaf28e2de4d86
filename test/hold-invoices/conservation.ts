import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallName } from '../../devnet/fake/faults.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { type HoldInvoice, holdInvoice, TIMING } from './harness.ts';

/** The calls of the node that may fail. */
const CALLS = ['settleHoldInvoice', 'cancelInvoice', 'lookupInvoice', 'settlementFinality'] as const satisfies readonly CallName[];

const STEP = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('create' as const) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constantFrom('payOutside' as const, 'payInside' as const, 'settle' as const, 'cancel' as const),
      which: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('nodeFails' as const),
      call: fc.constantFrom(...CALLS),
      fault: fc.constantFrom({ lose: 'call' as const }, { lose: 'answer' as const }, { unavailable: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('databaseFails' as const), after: fc.nat(6) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('restart' as const, 'crash' as const, 'expire' as const, 'restartNode' as const) }),
  },
);

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

const SAT_EACH = 5;
const PAYER_SAT = 1000;

interface Property {
  readonly runs: number;
  readonly steps: number;
  /** Absent: another one in each run. */
  readonly seed?: number;
  readonly timeoutMs: number;
}

export function conservesMoney({ runs, steps, seed, timeoutMs }: Property): void {
  onFakeNode(
    'the money of hold invoices',
    (service) => {
      it('C6: is conserved in any order of payments, decisions, failures and crashes', { timeout: timeoutMs }, async () => {
        const all = fc.array(STEP, { minLength: 4, maxLength: steps });
        await fc.assert(
          fc.asyncProperty(all, (some) => runSteps(service, some)),
          { numRuns: runs, endOnFailure: true, ...(seed !== undefined && { seed }) },
        );
      });
    },
    {},
    { ...TIMING, events: { retryMs: 10, storePositionMs: 10, retryUnbookedMs: 50 } },
  );
}

/** Executes steps with hold invoices of new wallets, ends what is open, and checks that the money is where the outcomes say. */
async function runSteps(service: FakeNodeApp, steps: readonly Step[]): Promise<void> {
  const { client } = service;
  const payer = await client.wallet(PAYER_SAT);
  const holds = [await holdInvoice(service)];
  for (const step of steps) await runStep(service, step, holds, payer);
  heal(service);
  for (const hold of holds) await end(service, hold);
  await requireConserved(service, holds, payer);
}

async function runStep(service: FakeNodeApp, step: Step, holds: HoldInvoice[], payer: TestWallet): Promise<void> {
  const { client, net } = service;
  const hold = 'which' in step ? holds[step.which % holds.length] : undefined;
  if (step.type === 'create') {
    heal(service);
    holds.push(await holdInvoice(service, { num_satoshis: SAT_EACH }));
  } else if (step.type === 'payOutside') await hold?.pay().catch(() => undefined);
  else if (step.type === 'payInside') {
    const json = { payment_request: hold?.invoice.payment_request };
    const headers = { prefer: 'respond-async' };
    await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: client.secretKey, json, headers });
  } else if (step.type === 'settle') await hold?.settle();
  else if (step.type === 'cancel') await hold?.cancel();
  else if (step.type === 'nodeFails') net.next(step.call, step.fault);
  else if (step.type === 'databaseFails') {
    let left = step.after;
    service.connectionFailsAt = () => left-- === 0;
  } else if (step.type === 'expire') await service.execute("UPDATE invoice SET held_until = held_at WHERE state = 'held'");
  else if (step.type === 'restartNode') net.restart();
  else if (step.type === 'restart') await service.restart(() => heal(service));
  else {
    // The process writes nothing more, and the node gets no more calls.
    service.connectionFailsAt = () => true;
    await service.restart(() => heal(service));
  }
}

function heal(service: FakeNodeApp): void {
  service.connectionFailsAt = undefined;
  service.net.calm();
}

/** Cancels what has not ended. */
async function end(service: FakeNodeApp, hold: HoldInvoice): Promise<void> {
  const isEnded = async () => ['settled', 'cancelled'].includes((await hold.read()).status);
  await expect
    .poll(
      async () => {
        if (!(await isEnded())) await hold.cancel();
        return isEnded();
      },
      { timeout: 150_000 },
    )
    .toBe(true);
  // A payment that was refused late is still to be ended.
  const pending = 'SELECT id FROM payment WHERE payment_hash = $1 AND state = $2';
  await expect.poll(() => service.rows(pending, hold.hash, 'pending')).toEqual([]);
}

async function requireConserved(service: FakeNodeApp, holds: readonly HoldInvoice[], payer: TestWallet): Promise<void> {
  let paidInsideMsat = 0;
  for (const hold of holds) {
    const { status, payment_preimage: preimage } = await hold.read();
    const isSettled = status === 'settled';
    const inside = await service.rows("SELECT id FROM payment WHERE payment_hash = $1 AND state = 'succeeded'", hold.hash);
    const isPaidOutside = hold.payer() === 'succeeded';
    const context = `${hold.invoice.id}: ${status}, inside ${inside.length}, outside ${hold.payer()}`;
    expect(await hold.balance(), context).toBe(isSettled ? SAT_EACH * 1000 : 0);
    expect(inside.length + (isPaidOutside ? 1 : 0), context).toBe(isSettled ? 1 : 0);
    expect(preimage, context).toBe(isSettled ? hold.preimage : null);
    expect(hold.payer(), context).not.toBe('pending');
    paidInsideMsat += inside.length * SAT_EACH * 1000;
    const names = await hold.events();
    expect(names.filter((name) => name === 'wallet_receive').length, context).toBe(isSettled ? 1 : 0);
    expect(names.filter((name) => name === 'invoice_cancelled').length, context).toBe(isSettled ? 0 : 1);
    expect(names.filter((name) => name === 'invoice_held').length, context).toBeLessThanOrEqual(1);
  }
  expect(await service.client.get(`/v1/wallet/${payer.id}`)).toMatchObject({
    balance_msat: PAYER_SAT * 1000 - paidInsideMsat,
    pending_msat: 0,
  });
  expect(await service.problems()).toEqual([]);
}
