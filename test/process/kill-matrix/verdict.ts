import { expect } from 'vitest';
import type { OutsidePayment } from '../../../devnet/test-network.ts';
import type { HttpResponse, Json } from '../../support/client.ts';
import type { Lane } from './lane.ts';
import { until } from './lane.ts';
import type { Attempt, Operation, Wallets } from './operation.ts';

/** How an operation ended: money moved, the payment failed for good, or there is no trace of it. */
export type Outcome = 'paid' | 'failed' | 'nothing';

export interface Balances {
  readonly payerMsat: number;
  readonly receiverMsat: number;
}

/** Both wallets, with nothing held. */
export async function restingBalances(lane: Lane, { payer, receiver }: Wallets): Promise<Balances> {
  const [a, b] = await lane.balancesMsat([payer, receiver]);
  expect([a.pending_msat, b.pending_msat]).toEqual([0, 0]);
  return { payerMsat: a.balance_msat, receiverMsat: b.balance_msat };
}

/** Waits until nothing is under way, neither here nor outside; a hold invoice that waits is resolved. */
export async function comeToRest(lane: Lane, wallets: Wallets, operation: Operation): Promise<void> {
  await until(`nothing is pending after: ${operation.name}`, async () => {
    await resolveHold(lane, operation);
    if ((await lane.truth()).some(({ state }) => state === 'pending')) return false;
    if (await isArriving(lane, wallets)) return false;
    const balances = await lane.balancesMsat([wallets.payer, wallets.receiver]);
    return balances.every(({ pending_msat }) => pending_msat === 0);
  });
  await lane.send('rest');
}

/** Returns whether a payment to the receiver was reported and is not final. */
export async function isArriving(lane: Lane, { receiver }: Wallets): Promise<boolean> {
  return (await lane.client.get(`/v1/wallet/${receiver.id}/transactions?status=pending`)).length > 0;
}

/** @returns whether a payment was waiting. */
export async function resolveHold(lane: Lane, { hold }: Operation): Promise<boolean> {
  const waiting = hold && (await lane.truth()).find(({ state }) => state === 'pending');
  if (waiting) await lane.outside.resolveHold(waiting.paymentHash, hold);
  return waiting !== undefined;
}

/** Compares the ledger with the outside nodes and our own node. @throws when money was lost, doubled or made up. */
export async function judge(
  lane: Lane,
  operation: Operation,
  run: { attempt: Attempt; response: HttpResponse | undefined; before: Balances; wallets: Wallets },
): Promise<Outcome> {
  const { attempt, response, before, wallets } = run;
  const after = await restingBalances(lane, wallets);
  const paid = (await lane.truth()).filter(({ state }) => state === 'succeeded');
  const moved = { payerMsat: after.payerMsat - before.payerMsat, receiverMsat: after.receiverMsat - before.receiverMsat };
  const outcome = await compare(lane, operation, { attempt, wallets, paid, moved, response });
  if (response?.status === 201 && operation.moves !== 'none') expect(outcome).toBe('paid');
  if (response?.status === 202) expect(outcome).not.toBe('nothing');
  if (response && response.status >= 400) expect(outcome).not.toBe('paid');
  return outcome;
}

interface Found {
  readonly attempt: Attempt;
  readonly wallets: Wallets;
  readonly paid: readonly OutsidePayment[];
  readonly moved: Balances;
  readonly response: HttpResponse | undefined;
}

function compare(lane: Lane, { moves }: Operation, found: Found): Promise<Outcome> | Outcome {
  if (moves === 'out') return compareOut(lane, found);
  if (moves === 'in') return compareIn(lane, found);
  return moves === 'inside' ? compareInside(lane, found) : compareInvoice(lane, found);
}

/** Paid there once, debited here once, with the fee that our node paid; or not paid there, and everything is back. */
async function compareOut(lane: Lane, { attempt, wallets, paid, moved }: Found): Promise<Outcome> {
  const hash = attempt.paymentHash ?? paid[0]?.paymentHash;
  const lntx = hash === undefined ? undefined : await lightningTransaction(lane, hash);
  if (paid.length === 0) {
    expect(moved).toEqual({ payerMsat: 0, receiverMsat: 0 });
    expect([undefined, -1]).toContain(lntx?.settled);
    return lntx ? 'failed' : 'nothing';
  }
  expect(paid).toEqual([expect.objectContaining({ direction: 'received', paymentHash: hash, amountMsat: attempt.amountMsat })]);
  const reported = await lane.hub.lookupPayment({ paymentId: lntx.id, paymentHash: hash as string });
  const feeMsat = reported?.state === 'succeeded' ? reported.feeMsat : Number.NaN;
  expect(feeMsat, 'our node paid it under this id, with a fee').toBeGreaterThan(0);
  expect(moved).toEqual({ payerMsat: -(attempt.amountMsat + feeMsat), receiverMsat: 0 });
  expect(lntx).toMatchObject({ settled: 1, fee_msat: feeMsat });
  expect(await rowsOf(lane, wallets.payer.id, lntx.id)).toEqual([-attempt.amountMsat]);
  return 'paid';
}

async function compareIn(lane: Lane, { attempt, wallets, paid, moved }: Found): Promise<Outcome> {
  expect(paid).toEqual([expect.objectContaining({ direction: 'sent', amountMsat: attempt.amountMsat })]);
  const lntx = await lightningTransaction(lane, paid[0]?.paymentHash ?? '');
  expect(moved).toEqual({ payerMsat: 0, receiverMsat: attempt.amountMsat });
  expect(lntx.settled).toBe(1);
  expect(await rowsOf(lane, wallets.receiver.id, lntx.id)).toEqual([attempt.amountMsat]);
  return 'paid';
}

/** Both sides are booked or neither, and no outside node took part. */
async function compareInside(lane: Lane, { attempt, paid, moved }: Found): Promise<Outcome> {
  expect(paid).toEqual([]);
  const amountMsat = moved.receiverMsat === 0 ? 0 : attempt.amountMsat;
  expect(moved).toEqual({ payerMsat: 0 - amountMsat, receiverMsat: amountMsat });
  if (attempt.paymentHash) expect((await lightningTransaction(lane, attempt.paymentHash)).settled).toBe(amountMsat > 0 ? 1 : 0);
  return amountMsat > 0 ? 'paid' : 'nothing';
}

/** An invoice that was returned to a client can be read and paid. */
async function compareInvoice(lane: Lane, { attempt, response, paid, moved }: Found): Promise<Outcome> {
  expect([paid, moved]).toEqual([[], { payerMsat: 0, receiverMsat: 0 }]);
  if (!response) return 'nothing';
  expect(response.status).toBe(201);
  const lntx = await lightningTransaction(lane, response.body.r_hash_decoded);
  expect(lntx).toMatchObject({ id: response.body.id, settled: 0, num_satoshis: attempt.amountMsat / 1000 });
  const payment = await lane.outside.payInvoice({ paymentRequest: response.body.payment_request, from: 'alice' });
  expect(payment.state).toBe('succeeded');
  await lane.send('rest');
  expect((await lightningTransaction(lane, payment.paymentHash)).settled).toBe(1);
  return 'paid';
}

async function lightningTransaction(lane: Lane, hash: string): Promise<Json> {
  const response = await lane.client.request('GET', `/v1/lntx/${hash}`, { key: lane.client.secretKey });
  expect([200, 404]).toContain(response.status);
  return response.status === 200 ? response.body : undefined;
}

/** The amounts of the wallet's rows for one lightning transaction. */
async function rowsOf(lane: Lane, walletId: string, lntxId: string): Promise<number[]> {
  const rows: Json[] = await lane.client.get(`/v1/wallet/${walletId}/transactions?per-page=10`);
  return rows.filter((row) => row.lnTx?.id === lntxId).map((row) => row.num_msat);
}
