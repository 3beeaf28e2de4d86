import { expect, it } from 'vitest';
import { type Action, readAction } from '../../src/features/operator/actions.ts';
import { listSuspense } from '../../src/features/operator/suspense-routes.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { execute, operatorOn } from './operator-on.ts';

type Rig = Awaited<ReturnType<typeof operatorOn>>;

/** Lets money arrive for no wallet and begins to return most of it: 40,000 of 50,000 msat leave suspense, and 10,000 come back at the end. */
async function returning(rig: Rig): Promise<{ subject: string; action: Action; end: (how: 'settle' | 'cancel') => Promise<Action> }> {
  const { subject } = await rig.unmatched('credit', 50_000);
  const { paymentRequest, paymentHash } = rig.net.outside.invoice({ amountMsat: 30_000, script: { hold: true, fee: 0 } });
  const action = await rig.act({ kind: 'return', subject, target: paymentRequest });
  expect(action).toMatchObject({ state: 'paying', amount_msat: 40_000 });
  const paymentState = async () => (await rig.deps.payments.find(action.payment_id ?? ''))?.state;
  return {
    subject,
    action,
    async end(how) {
      await expect.poll(() => rig.net.state().outgoing[action.payment_id ?? '']?.outcome.state).toBe('pending');
      rig.net.outside.resolveHold(paymentHash, how);
      await rig.settle();
      await expect.poll(paymentState).toBe(how === 'settle' ? 'succeeded' : 'failed');
      await execute(rig.deps, await readAction(rig.healthy, action.id));
      return readAction(rig.healthy, action.id);
    },
  };
}

onBothDatabases('money that comes back to suspense after a credit', (open) => {
  it('C2: is credited to the same wallet by a new action, once', async () => {
    const rig = await operatorOn(await open());
    const { subject, end } = await returning(rig);
    const wallet = await rig.newWallet();
    const credit = () => rig.act({ kind: 'credit', subject, target: wallet.id });
    const first = await credit();
    expect(first).toMatchObject({ state: 'done', amount_msat: 10_000 });
    // Nothing is left, so the command was repeated.
    expect(await credit()).toEqual(first);
    expect(await end('settle')).toMatchObject({ state: 'done', answer: expect.stringContaining('30000 msat were paid out') });
    const second = await credit();
    expect(second).toMatchObject({ state: 'done', amount_msat: 10_000 });
    expect(second.id).not.toBe(first.id);
    expect(await credit()).toEqual(second);
    expect([await rig.balanceMsat(wallet), await rig.suspenseMsat()]).toEqual([20_000, 0]);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('C2: is not moved by an instance that read the earlier credit before it ended', async () => {
    const rig = await operatorOn(await open());
    const { subject, end } = await returning(rig);
    const wallet = await rig.newWallet();
    const requested = await rig.request({ kind: 'credit', subject, target: wallet.id });
    await execute(rig.deps, requested);
    await end('settle');
    for (const modules of [rig.deps, rig.another()]) await execute(modules, requested);
    expect(await readAction(rig.healthy, requested.id)).toMatchObject({ state: 'done', amount_msat: 10_000 });
    expect([await rig.balanceMsat(wallet), await rig.suspenseMsat()]).toEqual([10_000, 10_000]);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('is all of what was moved if the payment failed, and is listed with both actions', async () => {
    const rig = await operatorOn(await open());
    const { subject, action, end } = await returning(rig);
    const wallet = await rig.newWallet();
    const credited = await rig.act({ kind: 'credit', subject, target: wallet.id });
    expect((await listSuspense(rig.healthy).readPage({ limit: 10, order: 'desc' })).items).toEqual([]);
    expect(await end('cancel')).toMatchObject({ state: 'refused', answer: expect.stringContaining('The money is in suspense again') });
    const [listed] = (await listSuspense(rig.healthy).readPage({ limit: 10, order: 'desc' })).items;
    expect(listed).toMatchObject({ id: subject, num_msat: 50_000, left_msat: 40_000 });
    expect(listed?.actions.map(({ id, status }) => [id, status])).toEqual([
      [action.id, 'refused'],
      [credited.id, 'done'],
    ]);
    expect(await rig.act({ kind: 'credit', subject, target: wallet.id })).toMatchObject({ state: 'done', amount_msat: 40_000 });
    expect(await rig.balanceMsat(wallet)).toBe(50_000);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('is not paid by a repeated return to an invoice that was paid', async () => {
    const rig = await operatorOn(await open());
    const { subject, action, end } = await returning(rig);
    const ended = await end('settle');
    expect(ended.state).toBe('done');
    expect(await rig.act({ kind: 'return', subject, target: action.target })).toEqual(ended);
    expect(await rig.suspenseMsat()).toBe(20_000);
  });
});
