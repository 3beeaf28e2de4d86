import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import type { Msat } from '../../src/core/kernel/money.ts';
import { type LightningNode, NodeUnavailable, type PaymentReference } from '../../src/core/lightning/node.ts';
import { type Payment, rowToPayment } from '../../src/core/payments/payment.ts';
import { findById } from '../../src/core/payments/payments.sql.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, modulesOn } from '../support/modules.ts';

async function stored(database: Database, { id }: Payment): Promise<Payment> {
  const row = await database.first(findById, id);
  if (!row) throw new Error('the payment is gone');
  return rowToPayment(row);
}

/** A node that loses the response to the first request, and is unavailable to later ones. It has observed itself since a moment of its own. */
function forgetfulNode(sinceMs: (payment: PaymentReference) => number) {
  const seen: PaymentReference[] = [];
  const node: Partial<LightningNode> = {
    async pay(order) {
      seen.push(order);
      throw order.unclearSinceMs === undefined ? new Error('the connection broke') : new NodeUnavailable('the next try decides');
    },
    async lookupPayment(payment) {
      seen.push(payment);
      return { state: 'pending' };
    },
    unclearSince: sinceMs,
  };
  return { node, seen };
}

async function unclearPayment(database: Database, node: Partial<LightningNode>) {
  const modules = await modulesOn(database, node);
  const payment = draftOf(await modules.wallet(10_000), 1_000);
  await modules.saga.start({ payment, reserveMsat: 0 as Msat });
  await expect.poll(async () => (await stored(database, payment)).unclearSinceMs).toBeGreaterThan(0);
  return { modules, payment, first: await stored(database, payment) };
}

onBothDatabases('a payment with a request whose outcome is unclear', (open) => {
  it('stores until when a process has observed the node, so that a restart does not begin the wait again', async () => {
    const database = await open();
    const { modules, payment, first } = await unclearPayment(database, forgetfulNode(({ unclearSinceMs = 0 }) => unclearSinceMs).node);
    await modules.saga.attempt(first);
    const observed = await stored(database, payment);
    expect(observed).toMatchObject({ state: 'pending', unclearSinceMs: first.unclearSinceMs });
    expect(observed.unclearCheckedMs).toBeGreaterThanOrEqual(first.unclearSinceMs ?? 0);
    const restarted = forgetfulNode(({ unclearSinceMs = 0 }) => unclearSinceMs);
    await (await modulesOn(database, restarted.node)).saga.attempt(observed);
    expect(restarted.seen[0]?.unclearSinceMs).toBe(first.unclearSinceMs);
    expect(restarted.seen[0]?.unclearCheckedAtMs).toBeGreaterThanOrEqual(observed.unclearCheckedMs ?? Infinity);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('moves on by the time that nobody has observed, and only forward', async () => {
    const database = await open();
    const { node, seen } = forgetfulNode(({ unclearSinceMs = 0 }) => unclearSinceMs + 60_000);
    const { modules, payment, first } = await unclearPayment(database, node);
    await modules.saga.attempt(first);
    const moved = await stored(database, payment);
    expect(moved.unclearSinceMs).toBe((first.unclearSinceMs ?? 0) + 60_000);
    expect(seen.at(-1)).toMatchObject({ unclearSinceMs: moved.unclearSinceMs, unclearCheckedAtMs: moved.unclearCheckedMs });
    const backward = forgetfulNode(() => 1);
    await (await modulesOn(database, backward.node)).saga.attempt(moved);
    expect(await stored(database, payment)).toMatchObject({
      unclearSinceMs: moved.unclearSinceMs,
      unclearCheckedMs: moved.unclearCheckedMs,
    });
  });

  it('is observed also when it is only looked up', async () => {
    const database = await open();
    const { modules, payment, first } = await unclearPayment(database, forgetfulNode(({ unclearSinceMs = 0 }) => unclearSinceMs).node);
    await modules.saga.attempt({ ...first, isAtNode: true });
    expect((await stored(database, payment)).unclearCheckedMs).toBeGreaterThan(0);
  });

  it('is not observed while its node cannot be reached', async () => {
    const database = await open();
    const { payment, first } = await unclearPayment(database, forgetfulNode(({ unclearSinceMs = 0 }) => unclearSinceMs).node);
    const unreachable = await modulesOn(database, {
      unclearSince() {
        throw new NodeUnavailable('it is stopped');
      },
    });
    await unreachable.saga.attempt(first);
    expect(await stored(database, payment)).toEqual(first);
  });
});
