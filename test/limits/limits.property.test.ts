import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearWholeSat } from '../fees/rules.ts';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json } from '../support/client.ts';

/** One of the requests that are sent at the same time. */
interface Spend {
  readonly does: 'pay' | 'payAndFail' | 'payAndHold' | 'transfer';
  readonly sat: number;
  /** Which of the account's wallets, and which of the instances. */
  readonly wallet: 0 | 1;
  readonly instance: 0 | 1;
}

const spend: fc.Arbitrary<Spend> = fc.record({
  does: fc.constantFrom('pay' as const, 'pay' as const, 'payAndFail' as const, 'payAndHold' as const, 'transfer' as const),
  sat: fc.integer({ min: 1, max: 300 }),
  wallet: fc.constantFrom(0 as const, 1 as const),
  instance: fc.constantFrom(0 as const, 1 as const),
});

const limit = (max: number) => fc.option(fc.integer({ min: 0, max }), { nil: undefined });

/** The amounts are whole satoshis, and so are their sums. Limits are often equal to one of them, or differ from it by one millisatoshi. */
const limitMsat = (maxSat: number) => fc.option(nearWholeSat(maxSat), { nil: undefined });

const limits = fc.record({
  max_out_day_msat: limitMsat(900),
  max_out_month_msat: limitMsat(1500),
  max_payment_msat: limitMsat(300),
  max_payments_per_minute: limit(12),
  max_pending: limit(4),
});

onFakeNode(
  'limits under concurrency',
  ({ client, neighbour, another, net, problems }, dialect) => {
    const set = (owner: string, json: Json) =>
      client.request('PUT', `/v1/${owner}/limits`, {
        key: client.secretKey,
        json: Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined)),
      });

    it('are never exceeded by the payments and transfers of an account on two instances, and all counters are exact', async () => {
      const second: Client = dialect === 'postgres' ? await another() : client;
      const account = (await neighbour.get('/v1/account')).id;
      const other = await neighbour.wallet();

      await fc.assert(
        fc.asyncProperty(limits, limits, fc.array(spend, { minLength: 6, maxLength: 14 }), async (ofAccount, ofWallet, spends) => {
          const wallets = [await neighbour.wallet(3_000), await neighbour.wallet(3_000)];
          const own = wallets[0]?.id ?? '';
          expect((await set(`wallets/${own}`, ofWallet)).status).toBe(200);
          const before = (await set(`accounts/${account}`, {})).body;
          // The account has spent before: its limits are what it has left.
          const left = (name: 'max_out_day_msat' | 'max_out_month_msat', used: number) =>
            ofAccount[name] === undefined ? undefined : ofAccount[name] + used;
          const allowed = {
            ...ofAccount,
            max_out_day_msat: left('max_out_day_msat', before.out_day_msat),
            max_out_month_msat: left('max_out_month_msat', before.out_month_msat),
            max_payments_per_minute: undefined,
            max_pending: ofAccount.max_pending === undefined ? undefined : ofAccount.max_pending + before.pending_payments,
          };
          expect((await set(`accounts/${account}`, allowed)).status).toBe(200);

          const minute = () => Math.floor(Date.now() / 60_000);
          const firstMinute = minute();
          const sent = await Promise.all(
            spends.map(async ({ does, sat, wallet, instance }) => {
              const { url } = [client, second][instance] ?? client;
              const script = does === 'payAndFail' ? { fail: 'NO_ROUTE' as const } : { hold: does === 'payAndHold', fee: 0 };
              const json =
                does === 'transfer'
                  ? { dest_wallet_id: other.id, num_satoshis: sat }
                  : { payment_request: net.outside.invoice({ amountMsat: sat * 1000, script }).paymentRequest };
              const route = does === 'transfer' ? 'transfer' : 'withdraw';
              const response = await fetch(`${url}/v1/wallet/${wallets[wallet]?.id}/${route}`, {
                method: 'POST',
                headers: { 'content-type': 'application/json', 'x-api-key': neighbour.secretKey },
                body: JSON.stringify(json),
              });
              const body: Json = await response.json();
              expect([201, 202, 400]).toContain(response.status);
              if (response.status === 400) expect(['spending_limit_exceeded', 'payment_failed']).toContain(body.type);
              return { sat, wallet, does, status: response.status, type: body.type };
            }),
          );

          const accepted = sent.filter(({ status }) => status < 400);
          const sumOf = (some: typeof sent) => some.reduce((sum, { sat }) => sum + sat * 1000, 0);
          const ofFirst = accepted.filter(({ wallet }) => wallet === 0);
          const pendingOf = (some: typeof sent) => some.filter(({ does }) => does === 'payAndHold').length;
          for (const [rules, counted] of [
            [ofAccount, accepted],
            [ofWallet, ofFirst],
          ] as const) {
            expect(sumOf(counted)).toBeLessThanOrEqual(rules.max_out_day_msat ?? Number.POSITIVE_INFINITY);
            expect(sumOf(counted)).toBeLessThanOrEqual(rules.max_out_month_msat ?? Number.POSITIVE_INFINITY);
            expect(pendingOf(counted)).toBeLessThanOrEqual(rules.max_pending ?? Number.POSITIVE_INFINITY);
            for (const { sat } of counted) expect(sat * 1000).toBeLessThanOrEqual(rules.max_payment_msat ?? Number.POSITIVE_INFINITY);
          }
          const started = sent.filter(({ wallet, type }) => wallet === 0 && type !== 'spending_limit_exceeded').length;
          if (firstMinute === minute()) expect(started).toBeLessThanOrEqual(ofWallet.max_payments_per_minute ?? Number.POSITIVE_INFINITY);

          const usage = await neighbour.get(`/v1/wallets/${own}/limits`);
          expect(usage).toMatchObject({
            out_day_msat: sumOf(ofFirst),
            out_month_msat: sumOf(ofFirst),
            pending_payments: pendingOf(ofFirst),
          });
          const after = (await client.request('GET', `/v1/accounts/${account}/limits`, { key: client.secretKey })).body;
          expect(after.out_day_msat - before.out_day_msat).toBe(sumOf(accepted));
          expect(await problems()).toEqual([]);
        }),
        { numRuns: Number(process.env.LIMIT_RUNS ?? 5) },
      );
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);
