import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import type { Msat } from '../../src/core/kernel/money.ts';
import {
  type KeysendOrder,
  type LightningNode,
  NodeUnavailable,
  type PaymentOrder,
  type PaymentOutcome,
} from '../../src/core/lightning/node.ts';
import { type Payment, rowToPayment } from '../../src/core/payments/payment.ts';
import { findById } from '../../src/core/payments/payments.sql.ts';
import { markPendingAtNode } from '../../src/core/payments/payments.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, type Modules, modulesOn, NODE_ID, preimageOf } from '../support/modules.ts';

const FAILED: PaymentOutcome = { state: 'failed', reason: 'NO_ROUTE' };

type Order = PaymentOrder | KeysendOrder;

/** A node whose responses to `pay` and `keysend` the test gives one by one. */
function scriptedNode() {
  const orders: Order[] = [];
  const responses: PromiseWithResolvers<PaymentOutcome>[] = [];
  function send(order: Order): Promise<PaymentOutcome> {
    orders.push(order);
    const response = Promise.withResolvers<PaymentOutcome>();
    responses.push(response);
    return response.promise;
  }
  const node: Partial<LightningNode> = {
    pay: send,
    keysend: send,
    lookupPayment: async () => FAILED,
  };
  /** Waits for the request with this number, from 0. */
  async function request(number: number) {
    await expect.poll(() => orders.length).toBeGreaterThan(number);
    const [order, response] = [orders[number], responses[number]];
    if (!order || !response) throw new Error('unreachable');
    return { order, ...response };
  }
  return { node, orders, request };
}

/** Starts a payment of 1,000 msat. */
async function start(modules: Modules, changes: Partial<Payment> = {}): Promise<Payment> {
  const payment = { ...draftOf(await modules.wallet(10_000), 1_000), ...changes };
  await modules.saga.start({ payment, reserveMsat: 0 as Msat });
  return payment;
}

async function stored(database: Database, { id }: Payment): Promise<Payment> {
  const row = await database.first(findById, id);
  if (!row) throw new Error('the payment is gone');
  return rowToPayment(row);
}

/** Starts a payment whose request `slow` has no response yet, and which another process sends again: `resolve` ends that request. */
async function sentTwice(database: Database) {
  const [first, second] = [scriptedNode(), scriptedNode()];
  const modules = await modulesOn(database, first.node);
  const payment = await start(modules);
  const slow = await first.request(0);
  const other = await modulesOn(database, second.node);
  const attempted = other.saga.attempt(await stored(database, payment));
  const { resolve } = await second.request(0);
  return { modules, payment, slow, attempted, resolve };
}

const forgetResult = statement('test_forget_request', 'UPDATE payment SET sending_since_ms = sending_since_ms - 1 WHERE id = $1');

onBothDatabases('requests that send a payment', (open) => {
  it('are recorded before the node receives them', async () => {
    const database = await open();
    const { node, request } = scriptedNode();
    const modules = await modulesOn(database, node);
    const payment = await start(modules);
    const { order } = await request(0);
    expect(await stored(database, payment)).toMatchObject({
      state: 'pending',
      sendingSinceMs: expect.any(Number),
      unclearSinceMs: undefined,
    });
    expect(order.unclearSinceMs).toBeUndefined();
  });

  it.each([
    ['an invoice', {}],
    ['a keysend', { isKeysend: true, preimage: '11'.repeat(32), customRecords: {} }],
  ])('state when the first one was recorded, and no other one does: %s', async (_, changes) => {
    const database = await open();
    const { node, request } = scriptedNode();
    const modules = await modulesOn(database, node);
    const payment = await start(modules, changes);
    const first = await request(0);
    expect(first.order.firstRequestAtMs).toBe((await stored(database, payment)).sendingSinceMs);
    expect(first.order.firstRequestAtMs).toBe(payment.sendingSinceMs);
    first.reject(new NodeUnavailable('the node is stopped'));
    await expect.poll(async () => (await stored(database, payment)).sendingSinceMs).toBeUndefined();
    const retried = modules.saga.attempt(await stored(database, payment));
    const retry = await request(1);
    expect(retry.order).toMatchObject({ firstRequestAtMs: undefined, unclearSinceMs: undefined });
    retry.reject(new Error('the connection broke'));
    await retried;
    void modules.saga.attempt(await stored(database, payment));
    expect((await request(2)).order).toMatchObject({ firstRequestAtMs: undefined, unclearSinceMs: expect.any(Number) });
  });

  it('leave no trace when they did not reach the node, and the next one is as clear as the first', async () => {
    const database = await open();
    const { node, request } = scriptedNode();
    const modules = await modulesOn(database, node);
    const payment = await start(modules);
    (await request(0)).reject(new NodeUnavailable('the node is stopped'));
    await expect.poll(async () => (await stored(database, payment)).sendingSinceMs).toBeUndefined();
    void modules.saga.attempt(await stored(database, payment));
    const { order, resolve } = await request(1);
    expect(order.unclearSinceMs).toBeUndefined();
    resolve(FAILED);
    await expect.poll(async () => (await stored(database, payment)).state).toBe('failed');
    expect(await problemsOf(database)).toEqual([]);
  });

  it.each([
    ['the response was lost', new Error('the connection broke')],
    ['the response is not understood', new Error('unexpected response')],
  ])('leave the payment pending and unclear when %s, and the next one tells the node so', async (_case, error) => {
    const database = await open();
    const { node, request } = scriptedNode();
    const modules = await modulesOn(database, node);
    const payment = await start(modules);
    (await request(0)).reject(error);
    await expect.poll(async () => (await stored(database, payment)).unclearSinceMs).toBeDefined();
    const unclear = await stored(database, payment);
    expect(unclear).toMatchObject({ state: 'pending', isAtNode: false });
    void modules.saga.attempt(unclear);
    expect((await request(1)).order.unclearSinceMs).toBe(unclear.unclearSinceMs);
  });

  it('stay unclear when the node could not be reached again', async () => {
    const database = await open();
    const { node, request } = scriptedNode();
    const modules = await modulesOn(database, node);
    const payment = await start(modules);
    (await request(0)).reject(new Error('the connection broke'));
    await expect.poll(async () => (await stored(database, payment)).unclearSinceMs).toBeDefined();
    const attempted = modules.saga.attempt(await stored(database, payment));
    (await request(1)).reject(new NodeUnavailable('the node is stopped'));
    await attempted;
    expect(await stored(database, payment)).toMatchObject({ sendingSinceMs: expect.any(Number), unclearSinceMs: expect.any(Number) });
  });

  it('P7: are unclear when the process stopped before the response', async () => {
    const database = await open();
    const [first, second] = [scriptedNode(), scriptedNode()];
    const payment = await start(await modulesOn(database, first.node));
    await first.request(0);
    const afterwards = await modulesOn(database, second.node);
    void afterwards.saga.attempt(await stored(database, payment));
    expect((await second.request(0)).order).toMatchObject({ unclearSinceMs: expect.any(Number), firstRequestAtMs: undefined });
  });

  it('P7: book no failure when another request has begun since, because that one may pay', async () => {
    const database = await open();
    const { modules, payment, slow, attempted, resolve } = await sentTwice(database);
    slow.resolve(FAILED);
    // The failure is posted and rejected; no other write of this payment is under way.
    await modules.saga.stop();
    expect(await stored(database, payment)).toMatchObject({ state: 'pending' });
    resolve({ state: 'succeeded', preimage: preimageOf(payment), feeMsat: 0 as Msat });
    await attempted;
    expect(await stored(database, payment)).toMatchObject({ state: 'succeeded' });
    expect((await modules.ledger.balance(payment.ledgerAccount)).balanceMsat).toBe(9_000);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('book a success also when another request has begun since', async () => {
    const database = await open();
    const { modules, payment, slow, attempted, resolve } = await sentTwice(database);
    slow.resolve({ state: 'succeeded', preimage: preimageOf(payment), feeMsat: 0 as Msat });
    await modules.saga.stop();
    resolve(FAILED);
    await attempted;
    expect(await stored(database, payment)).toMatchObject({ state: 'succeeded' });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('have different times, so that each is told apart from the one before, even in the same millisecond', async () => {
    const database = await open();
    const { node, request } = scriptedNode();
    const payment = await start(await modulesOn(database, node));
    await request(0);
    const before = await stored(database, payment);
    const other = scriptedNode();
    void (await modulesOn(database, other.node)).saga.attempt(before);
    await other.request(0);
    expect((await stored(database, payment)).sendingSinceMs).toBeGreaterThan(before.sendingSinceMs ?? 0);
  });

  it('are not made again after the node has confirmed the payment', async () => {
    const database = await open();
    const { node, request, orders } = scriptedNode();
    const modules = await modulesOn(database, node);
    const payment = await start(modules);
    (await request(0)).resolve({ state: 'pending' });
    await expect.poll(async () => (await stored(database, payment)).isAtNode).toBe(true);
    await modules.saga.attempt(await stored(database, payment));
    expect(orders).toHaveLength(1);
    expect(await stored(database, payment)).toMatchObject({ state: 'failed' });
  });

  it('P7: are looked up, and never made again, after the node was restored; a payment that no request has sent is sent', async () => {
    const database = await open();
    const { node, request, orders } = scriptedNode();
    const modules = await modulesOn(database, node);
    const sent = await start(modules);
    const unsent = await start(modules);
    await request(0);
    (await request(1)).reject(new NodeUnavailable('the node is stopped'));
    await expect.poll(async () => (await stored(database, unsent)).sendingSinceMs).toBeUndefined();
    await database.transaction((tx) => markPendingAtNode(tx, NODE_ID));
    expect(await stored(database, sent)).toMatchObject({ isAtNode: true });
    expect(await stored(database, unsent)).toMatchObject({ isAtNode: false });
    void modules.saga.attempt(await stored(database, unsent));
    await request(2);
    const lookups = await modulesOn(database, { ...node, lookupPayment: async () => undefined });
    await lookups.saga.attempt(await stored(database, sent));
    expect(orders).toHaveLength(3);
    expect(await stored(database, sent)).toMatchObject({ state: 'pending' });
  });

  it('change nothing when the result of an older request arrives late', async () => {
    const database = await open();
    const { node, request } = scriptedNode();
    const modules = await modulesOn(database, node);
    const payment = await start(modules);
    const { reject } = await request(0);
    await database.transaction((tx) => tx.run(forgetResult, payment.id));
    reject(new NodeUnavailable('the node is stopped'));
    await modules.saga.stop();
    expect((await stored(database, payment)).sendingSinceMs).toBeDefined();
  });
});
