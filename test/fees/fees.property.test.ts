import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FEE_DIRECTIONS, type FeeDirection, type ServiceFeeRule } from '../../src/core/fees/fee-rule.ts';
import { onFakeNode } from '../support/app.ts';
import { expectListsToEqualBalance } from '../support/app-lists.ts';
import type { Json } from '../support/client.ts';
import { anyRule } from './rules.ts';

/** One step of a wallet with fees. Its amount is in satoshis. */
type Step =
  | { readonly does: 'pay' | 'payAndFail' | 'receive' | 'transfer' | 'payInternally'; readonly sat: number; readonly routingMsat: number }
  | { readonly does: 'setFees'; readonly rules: Partial<Record<FeeDirection, ServiceFeeRule>> };

const rules = fc.dictionary(fc.constantFrom(...FEE_DIRECTIONS), anyRule);

const move: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('pay' as const, 'payAndFail' as const, 'receive' as const, 'transfer' as const, 'payInternally' as const),
  sat: fc.integer({ min: 1, max: 700 }),
  routingMsat: fc.nat({ max: 900 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: move },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('setFees' as const), rules }) },
);

/** The fee as docs/business.md describes it. */
function feeOf(rule: ServiceFeeRule | undefined, amountMsat: number): number {
  if (!rule || amountMsat < rule.freeBelowMsat) return 0;
  const fee = Math.max(rule.flatMsat + Math.floor((amountMsat * rule.proportionalMillionths) / 1_000_000), rule.minMsat);
  return Math.min(fee, rule.maxMsat ?? Number.POSITIVE_INFINITY);
}

function bodyOf(changed: Partial<Record<FeeDirection, ServiceFeeRule>>): Json {
  return Object.fromEntries(
    Object.entries(changed).map(([direction, rule]) => [
      direction,
      {
        flat_msat: rule.flatMsat,
        proportional_millionths: rule.proportionalMillionths,
        min_msat: rule.minMsat,
        ...(rule.maxMsat !== undefined && { max_msat: rule.maxMsat }),
        free_below_msat: rule.freeBelowMsat,
      },
    ]),
  );
}

onFakeNode(
  'fees of random schedules',
  ({ client, net, problems }) => {
    const earned = async (): Promise<number> => (await client.get('/v1/operator/overview')).service_fees_msat;

    async function run(steps: readonly Step[]): Promise<void> {
      const [wallet, other] = [await client.wallet(2_000), await client.wallet()];
      const path = `/v1/wallet/${wallet.id}`;
      const before = await earned();
      const expected = { balance: 2_000_000, other: 0, earned: 0 };
      let current: Partial<Record<FeeDirection, ServiceFeeRule>> = {};
      const send = (route: string, json: Json) => client.request('POST', `${path}/${route}`, { key: client.secretKey, json });
      const payOut = async (payment_request: string) => (await send('withdraw', { payment_request })).status;

      for (const one of steps) {
        if (one.does === 'setFees') {
          current = one.rules;
          const json = { rules: bodyOf(current) };
          expect((await client.request('PUT', `/v1/wallets/${wallet.id}/fees`, { key: client.secretKey, json })).status).toBe(200);
          continue;
        }
        const amountMsat = one.sat * 1000;
        const fee = (direction: FeeDirection) => feeOf(current[direction], amountMsat);
        const covers = (feeMsat: number) => amountMsat + feeMsat <= expected.balance;
        if (one.does === 'receive') {
          const { payment_request } = await client.post(`${path}/invoice`, { num_satoshis: one.sat });
          await client.post('/playground/pay', { payment_request });
          const charged = Math.min(fee('ln_in'), amountMsat);
          expected.balance += amountMsat - charged;
          expected.earned += charged;
          await expect.poll(async () => (await client.get(path)).balance_msat).toBe(expected.balance);
        } else if (one.does === 'transfer' || one.does === 'payInternally') {
          const isCovered = covers(fee('internal'));
          const invoice = one.does === 'payInternally' && (await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: one.sat }));
          const status = invoice
            ? await payOut(invoice.payment_request)
            : (await send('transfer', { dest_wallet_id: other.id, num_satoshis: one.sat })).status;
          expect(status).toBe(isCovered ? 201 : 400);
          if (!isCovered) continue;
          expected.balance -= amountMsat + fee('internal');
          expected.other += amountMsat;
          expected.earned += fee('internal');
        } else {
          // The real routing fee never exceeds the reserve that the balance leaves.
          const reserveMsat = Math.min(10_000, expected.balance - amountMsat - fee('ln_out'));
          const routingMsat = Math.max(0, Math.min(one.routingMsat, reserveMsat));
          const script = one.does === 'pay' ? { fee: routingMsat } : { fail: 'NO_ROUTE' as const };
          const { paymentRequest } = net.outside.invoice({ amountMsat, script });
          const isPaid = covers(fee('ln_out')) && one.does === 'pay';
          expect(await payOut(paymentRequest)).toBe(isPaid ? 201 : 400);
          if (!isPaid) continue;
          expected.balance -= amountMsat + fee('ln_out') + routingMsat;
          expected.earned += fee('ln_out');
        }
      }
      expect(await client.get(path)).toMatchObject({ balance_msat: expected.balance, pending_msat: 0 });
      expect((await client.get(`/v1/wallet/${other.id}`)).balance_msat).toBe(expected.other);
      expect((await earned()) - before).toBe(expected.earned);
      await expectListsToEqualBalance(client, wallet);
      expect(await problems()).toEqual([]);
    }

    it('are charged to the millisatoshi: balances and `service_fees` equal a slow twin, and the lists of apps add up to the balance', async () => {
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), run), {
        numRuns: Number(process.env.FEE_RUNS ?? 6),
      });
    });
  },
  { LNDHUB: 'true' },
  { nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 200 } } },
);
