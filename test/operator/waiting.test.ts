import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import { findAction } from '../../src/features/operator/actions.ts';
import { Operator } from '../../src/features/operator/operator.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { NODE_ID } from '../support/modules.ts';
import { execute, operatorOn } from './operator-on.ts';

const pay = statement('test_pay', `UPDATE operator_action SET state = 'paying' WHERE id = $1`);

onBothDatabases('a request that waits for its action', (open) => {
  it('returns when it has ended, or the state after the wait', async () => {
    const rig = await operatorOn(await open());
    const { id } = await rig.request({ kind: 'drain', subject: NODE_ID });
    expect(await new Operator(rig.deps, 0).wait(id)).toMatchObject({ state: 'requested' });
    const waiting = new Operator(rig.deps, 600).wait(id);
    await execute(rig.deps, (await findAction(rig.healthy, id)) as never);
    expect(await waiting).toMatchObject({ id, state: 'done' });
    const refused = await rig.act({ kind: 'drain', subject: 'lnd_0' });
    expect(await new Operator(rig.deps, 600).wait(refused.id)).toEqual(refused);
    await expect(new Operator(rig.deps, 600).wait('opa_0')).rejects.toThrow('opa_0 is gone');
  });

  it('returns the present state when the service stops', async () => {
    const rig = await operatorOn(await open());
    const operator = new Operator(rig.deps, 600);
    const { id } = await rig.request({ kind: 'drain', subject: NODE_ID });
    const waiting = [operator.wait(id), operator.wait(id)];
    operator.stopWaiting();
    for (const one of await Promise.all(waiting)) expect(one).toMatchObject({ state: 'requested' });
    expect(await operator.wait(id)).toMatchObject({ state: 'requested' });
  });
});

onBothDatabases('a payment that is looked up again', (open) => {
  it('returns what the node reports while it is pending, and nothing once it has ended', async () => {
    const { deps, pendingPayment, net } = await operatorOn(await open());
    const operator = new Operator(deps, 1);
    const payment = await pendingPayment(20_000, { stuck: true });
    expect(await operator.recheck(payment.id)).toMatchObject({
      node_state: 'pending',
      proves_failure: true,
      checked_at: expect.any(Number),
    });
    net.always('lookupPayment', { instead: { state: 'failed', reason: 'NO_ROUTE' } });
    await operator.recheck(payment.id);
    expect(await deps.payments.find(payment.id)).toMatchObject({ state: 'failed' });
    expect(await operator.recheck(payment.id)).toBeNull();
    expect(await operator.recheck('lntx_0')).toBeNull();
  });

  it('returns that the node does not answer, and changes nothing', async () => {
    const { deps, pendingPayment, net } = await operatorOn(await open());
    const payment = await pendingPayment();
    net.always('lookupPayment', { unavailable: true });
    expect(await new Operator(deps, 1).recheck(payment.id)).toMatchObject({ node_state: 'no response', facts: [], proves_failure: false });
    expect(await deps.payments.find(payment.id)).toMatchObject({ state: 'pending' });
  });
});

onBothDatabases('an alert', (open) => {
  it('is closed once, with who closed it and why', async () => {
    const { deps } = await operatorOn(await open());
    await deps.alerts.raise({ kind: 'payment_corrected', subject: 'lntx_1', message: 'a test' });
    const [{ id } = { id: '' }] = await deps.alerts.listOpen();
    const close = (of = id) => deps.database.transaction((tx) => deps.alerts.closeIn(tx, of, 'bob@desk', 'checked'));
    const outcomes = await Promise.all([close(), close()]);
    expect(outcomes.toSorted()).toEqual([false, true]);
    expect([await close(), await close('alert_0')]).toEqual([false, false]);
    expect(await deps.alerts.find(id)).toMatchObject({ closed_by: 'bob@desk', close_reason: 'checked', cleared_at: expect.any(Number) });
  });
});

onBothDatabases('the background job for operators', (open) => {
  it('executes actions in the order of their requests until it is stopped, and raises an alert while suspense is not empty', async () => {
    const rig = await operatorOn(await open());
    const stopping = new AbortController();
    const { subject } = await rig.unmatched('credit', 5_000);
    const running = new Operator(rig.deps, 0).run(stopping.signal, 5);
    const kinds = async () => (await rig.deps.alerts.listOpen()).map(({ kind }) => kind);
    await expect.poll(kinds).toEqual(['suspense_not_empty']);
    const requested = [
      await rig.request({ kind: 'credit', subject, target: rig.wallet.id }),
      await rig.request({ kind: 'drain', subject: NODE_ID }),
      await rig.request({ kind: 'activate', subject: NODE_ID }),
    ];
    const states = () => Promise.all(requested.map(async ({ id }) => (await findAction(rig.healthy, id))?.state));
    await expect.poll(states).toEqual(['done', 'done', 'done']);
    await expect.poll(kinds).toEqual([]);
    stopping.abort();
    await running;
    const late = await rig.request({ kind: 'drain', subject: NODE_ID });
    expect(await findAction(rig.healthy, late.id)).toMatchObject({ state: 'requested' });
  });

  it('continues after a failure of the database', async () => {
    const rig = await operatorOn(await open());
    const stopping = new AbortController();
    rig.database.failAt({ commit: 1, fails: 'refused' }, { commit: 2, fails: 'not written, unknown' });
    const { id } = await rig.request({ kind: 'drain', subject: NODE_ID });
    const running = new Operator(rig.deps, 0).run(stopping.signal, 5);
    await expect.poll(async () => (await findAction(rig.healthy, id))?.state).toBe('done');
    expect(rig.database.happened()).toBe(2);
    stopping.abort();
    await running;
  });

  it('reaches an action although a hundred returns are waiting for the end of their payments', async () => {
    const rig = await operatorOn(await open());
    for (let i = 0; i < 110; i++) {
      const { id } = await rig.request({ kind: 'return', subject: `hash ${i}`, target: 'lnbcrt' });
      await rig.healthy.transaction((tx) => tx.run(pay, id));
    }
    const { id } = await rig.request({ kind: 'drain', subject: NODE_ID });
    const stopping = new AbortController();
    const running = new Operator(rig.deps, 0).run(stopping.signal, 5);
    await expect.poll(async () => (await findAction(rig.healthy, id))?.state).toBe('done');
    stopping.abort();
    await running;
  });
});
