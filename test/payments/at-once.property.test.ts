import fc from 'fast-check';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

/** What each wallet has at the beginning of a run, in satoshis. Amounts are drawn around it. */
const START = 20;
const WALLETS = 3;

type Step =
  | { readonly kind: 'pay'; readonly payer: number; readonly invoice: number }
  | { readonly kind: 'transfer'; readonly payer: number; readonly sats: number }
  | { readonly kind: 'outside'; readonly invoice: number }
  | { readonly kind: 'cancel'; readonly invoice: number };

const sats = fc.oneof(fc.constantFrom(START - 1, START, START + 1), fc.integer({ min: 1, max: START }));
const payer = fc.nat(WALLETS - 1);
const invoice = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), payer, invoice }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('transfer' as const), payer, sats }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('outside' as const), invoice }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), invoice }) },
);

onFakeNode('payments, transfers, cancellations and outside payers of the same invoices at once', ({ client, net, problems }) => {
  const balances = (wallets: readonly TestWallet[]) =>
    Promise.all(wallets.map(async ({ id }) => (await client.get(`/v1/wallet/${id}`)).balance as number));

  it('pay each invoice at most once, and change balances exactly as their responses say', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sats, { minLength: 4, maxLength: 4 }),
        fc.array(step, { minLength: 2, maxLength: 12 }),
        async (amounts, steps) => {
          const wallets = await Promise.all(Array.from({ length: WALLETS }, () => client.wallet(START)));
          const [payee, sink] = [await client.wallet(), await client.wallet()];
          const invoices: Json[] = await Promise.all(
            amounts.map((num_satoshis) => client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis })),
          );
          const expected = [...wallets.map(() => START), 0, 0];
          const payments = invoices.map(() => new Set<string>());
          const add = (index: number, change: number) => {
            expected[index] = (expected[index] ?? 0) + change;
          };

          async function take(one: Step): Promise<void> {
            if (one.kind === 'transfer') {
              const json = { dest_wallet_id: sink.id, num_satoshis: one.sats };
              const { id } = wallets[one.payer] as TestWallet;
              const { status, body } = await client.request('POST', `/v1/wallet/${id}/transfer`, { key: client.secretKey, json });
              expect([200, 201, 400], body.message).toContain(status);
              if (status === 400) return;
              add(one.payer, -one.sats);
              return add(WALLETS + 1, one.sats);
            }
            const { id, payment_request } = invoices[one.invoice];
            const amount = amounts[one.invoice] ?? 0;
            if (one.kind === 'cancel') return void (await client.request('DELETE', `/v1/lntx/${id}`, { key: client.secretKey }));
            if (one.kind === 'outside') {
              // The outside node refuses to pay an invoice twice.
              const { state } = await net.outside.pay({ paymentRequest: payment_request }).catch(() => ({ state: 'failed' }));
              if (state === 'succeeded') payments[one.invoice]?.add('outside');
              return;
            }
            const { id: walletId } = wallets[one.payer] as TestWallet;
            const options = { key: client.secretKey, json: { payment_request } };
            const { status, body } = await client.request('POST', `/v1/wallet/${walletId}/withdraw`, options);
            expect([201, 400], body.message).toContain(status);
            // A replay returns the payment again.
            if (status === 400 || payments[one.invoice]?.has(body.lnTx.id)) return;
            payments[one.invoice]?.add(body.lnTx.id);
            add(one.payer, -amount);
          }

          await Promise.all(steps.map(take));
          for (const [index, paid] of payments.entries()) {
            expect(paid.size).toBeLessThanOrEqual(1);
            if (paid.size === 1) add(WALLETS, amounts[index] ?? 0);
          }
          await expect.poll(() => balances([...wallets, payee, sink])).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
    expect(await problems()).toEqual([]);
  });
});
