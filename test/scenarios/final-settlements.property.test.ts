import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AfterReport } from '../../devnet/fake/tables.ts';
import type { JobTiming } from '../../src/jobs.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const TIMING: JobTiming = {
  events: { retryMs: 10, storePositionMs: 10, retryUnbookedMs: 50 },
  arriving: { roundMs: 10, alertEvery: 1, waitSeconds: () => 0 },
  probe: { againMs: 1, arrivalMs: 1 },
};

/** How a payment ends after its report: at once, or when the test ends it. */
const END = fc.constantFrom<AfterReport>(
  { end: 'final', afterMs: 0 },
  { end: 'lost', afterMs: 0 },
  { end: 'final' },
  { end: 'lost' },
  { end: 'final', afterMs: 3000 },
  { end: 'lost', afterMs: 3000 },
);

const STEP = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('pay' as const), after: END, keysend: fc.boolean(), early: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('end' as const), which: fc.nat(), end: fc.constantFrom('final' as const, 'lost' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('repeat' as const, 'restartNode' as const, 'reconcile' as const, 'wait' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('silent' as const) }) },
);

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** The settlements that the node has reported, and how they have ended. */
function reports({ net }: FakeNodeApp) {
  return Object.entries(net.state().receipts).filter(([, { state }]) => state === 'settled');
}

onFakeNode(
  'settlements that are reported before they are final',
  (service) => {
    const { client, net, time } = service;

    async function run(wallet: string, step: Step, n: number): Promise<void> {
      const open = reports(service).filter(([, { finality }]) => finality === undefined);
      if (step.type === 'pay' && step.keysend) {
        net.nextSettlement(step.after);
        void net.outside.keysend({ amountMsat: 1000 + n, customRecords: { '696969': Buffer.from(wallet).toString('hex') } });
      } else if (step.type === 'pay') {
        const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${wallet}/invoice`, { num_satoshis: 1 + n });
        void net.outside.pay({ paymentRequest, after: step.after });
      } else if (step.type === 'end') {
        const [hash] = open[step.which % Math.max(1, open.length)] ?? [];
        if (hash !== undefined) net.endSettlement(hash, step.end);
      } else if (step.type === 'repeat') {
        for (const { type, ...event } of Object.values(net.state().events).slice(-3)) net.tell({ type, ...event } as never);
      } else if (step.type === 'restartNode') net.restart();
      else if (step.type === 'wait') time.advance(2000);
      else if (step.type === 'silent') {
        for (const fault of [{ unavailable: true }, { lose: 'answer' as const }, { instead: null }, { instead: { state: 'settled' } }])
          net.next('settlementFinality', fault);
      } else if (step.type === 'restart') await service.restart();
      else await service.reconcile();
    }

    /** What the wallet must have: exactly what is final. */
    const finalMsat = (since: number) => {
      const own = reports(service)
        .slice(since)
        .filter(([, { finality }]) => finality === 'final');
      return own.reduce((sum, [, { amountMsat }]) => sum + amountMsat, 0);
    };

    it('are credited exactly once when they are final, and never otherwise', async () => {
      const steps = fc.array(STEP, { minLength: 6, maxLength: 14 });
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const since = reports(service).length;
          const wallet = await client.wallet();
          const balanceMsat = async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat as number;
          for (const [n, step] of all.entries()) {
            await run(wallet.id, step, n);
            const before = await balanceMsat();
            expect(before).toBeLessThanOrEqual(finalMsat(since));
          }
          time.advance(20_000);
          await expect.poll(balanceMsat).toBe(finalMsat(since));
          await expect
            .poll(async () => {
              const open = reports(service)
                .slice(since)
                .filter(([, { finality }]) => finality === undefined);
              const rows = await service.rows("SELECT payment_hash FROM arriving_payment WHERE state = 'arriving'");
              return new Set(rows.map(({ payment_hash }) => payment_hash)).size - open.length - openBefore(since);
            })
            .toBe(0);
          const listed: Json[] = await client.list(`/v1/wallet/${wallet.id}/transactions?status=all&per-page=100`);
          const sum = listed.reduce((total, wtx) => total + (wtx.status === 'settled' ? wtx.num_msat : 0), 0);
          expect(sum).toBe(finalMsat(since));
          const own = reports(service).slice(since);
          for (const status of ['failed', 'pending'] as const) {
            const finality = status === 'failed' ? 'failed' : undefined;
            const expected = own.filter(([, receipt]) => receipt.finality === finality).map(([hash]) => hash);
            const found = listed.filter((wtx) => wtx.status === status).map(({ lnTx }) => lnTx.r_hash_decoded);
            expect(found.sort()).toEqual(expected.sort());
          }
          expect(await service.problems()).toEqual([]);
        }),
        { numRuns: 6, seed: 7 },
      );
    });

    const openBefore = (since: number) =>
      reports(service)
        .slice(0, since)
        .filter(([, { finality }]) => finality === undefined).length;
  },
  {},
  TIMING,
);
