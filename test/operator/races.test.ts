import { expect, it, vi } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import type { InvoicePayment } from '../../src/core/payments/pay-invoice.ts';
import type { Payments } from '../../src/core/payments/payments.ts';
import { type Action, findAction } from '../../src/features/operator/actions.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { execute, operatorOn } from './operator-on.ts';

type Rig = Awaited<ReturnType<typeof operatorOn>>;

/** Executes actions at the same time, each on two instances, until all have ended. */
async function race({ healthy, deps, another }: Rig, requested: readonly Action[]): Promise<Action[]> {
  const instances = [deps, another()];
  const read = async (id: string) => (await findAction(healthy, id)) as Action;
  const executeOpen = async () => {
    const open = (await Promise.all(requested.map(({ id }) => read(id)))).filter((one) => one.ended_at === null);
    await Promise.allSettled(instances.flatMap((on) => open.map((one) => execute(on, one))));
    return open.length === 0;
  };
  await vi.waitUntil(executeOpen, { timeout: 60_000, interval: 5 });
  return Promise.all(requested.map(({ id }) => read(id)));
}

const statesOf = (actions: readonly Action[]) => actions.map(({ state }) => state).toSorted();

onBothDatabases('operators at the same time', (open) => {
  it('credit money to one of several wallets, once', async () => {
    const rig = await operatorOn(await open());
    for (let i = 0; i < 5; i++) {
      const { subject } = await rig.unmatched('credit', 10_000);
      const wallets = [await rig.newWallet(), await rig.newWallet(), await rig.newWallet()];
      const requested = await Promise.all(wallets.map(({ id }) => rig.request({ kind: 'credit', subject, target: id })));
      const ended = await race(rig, requested);
      expect(statesOf(ended)).toEqual(['done', 'refused', 'refused']);
      const balances = await Promise.all(wallets.map((wallet) => rig.balanceMsat(wallet)));
      expect(balances).toEqual(ended.map(({ state }) => (state === 'done' ? 10_000 : 0)));
    }
    expect(await rig.suspenseMsat()).toBe(0);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('who credit and return the same money move no more than there is', async () => {
    const rig = await operatorOn(await open());
    for (let i = 0; i < 5; i++) {
      const before = await rig.suspenseMsat();
      const { subject, target } = await rig.unmatched('return', 20_000);
      const wallet = await rig.newWallet();
      const ended = await race(rig, [
        await rig.request({ kind: 'credit', subject, target: wallet.id }),
        await rig.request({ kind: 'return', subject, target }),
      ]);
      const [credited, returned] = ended as [Action, Action];
      const left = (await rig.suspenseMsat()) - before;
      // The return moves the amount and its fee limit first; a credit may take what is left of it meanwhile.
      expect([credited.state, returned.state]).toContain('done');
      expect((await rig.balanceMsat(wallet)) + left + (returned.state === 'done' ? 15_000 : 0)).toBe(20_000);
    }
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('pay one invoice once with the money of two settlements', async () => {
    const rig = await operatorOn(await open());
    const [first, second] = [await rig.unmatched('return', 20_000), await rig.unmatched('credit', 20_000)];
    const requested = [
      await rig.request({ kind: 'return', subject: first.subject, target: first.target }),
      await rig.request({ kind: 'return', subject: second.subject, target: first.target }),
    ];
    const ended = await race(rig, requested);
    expect(statesOf(ended)).toEqual(['done', 'refused']);
    expect(await rig.suspenseMsat()).toBe(25_000);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('do not refuse a return whose payment another instance began meanwhile', async () => {
    const rig = await operatorOn(await open());
    const { subject, target } = await rig.unmatched('return', 20_000);
    const { id } = await rig.request({ kind: 'return', subject, target });
    const read = async () => (await findAction(rig.healthy, id)) as Action;
    const { payments } = rig.deps;
    const late = {
      readInvoice: (text: string) => payments.readInvoice(text),
      find: (paymentId: string) => payments.find(paymentId),
      async payInvoice(order: InvoicePayment) {
        await execute(rig.another(), await read());
        return payments.payInvoice(order);
      },
    } as Payments;
    await execute({ ...rig.deps, payments: late }, await read());
    const [ended] = await race(rig, [await read()]);
    expect(ended).toMatchObject({ state: 'done' });
    expect(await rig.suspenseMsat()).toBe(5_000);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('end a payment once, and each gets the same result', async () => {
    const rig = await operatorOn(await open());
    const payment = await rig.pendingPayment(20_000);
    rig.net.always('collectEvidence', {
      instead: { items: [{ fact: 'No channel has an HTLC.', holds: true, detail: '' }], provesFailure: true },
    });
    const before = await rig.balanceMsat(rig.wallet);
    const [one, same] = [
      await rig.request({ kind: 'resolve', subject: payment.id, target: 'failed' }),
      await rig.request({ kind: 'resolve', subject: payment.id, target: 'failed', requestedBy: 'eve@desk' }),
    ];
    expect(same.id).toBe(one.id);
    expect(await race(rig, [one])).toMatchObject([{ state: 'done', requested_by: 'bob@desk' }]);
    expect(await rig.balanceMsat(rig.wallet)).toBe(before);
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('get the result of the instance that ended the payment, although another one read their request before', async () => {
    const rig = await operatorOn(await open());
    rig.net.always('collectEvidence', {
      instead: { items: [{ fact: 'No channel has an HTLC.', holds: true, detail: '' }], provesFailure: true },
    });
    const ended: string[] = [];
    for (let commit = 1; commit <= 5; commit++) {
      const payment = await rig.pendingPayment(2_000);
      const action = await rig.request({ kind: 'resolve', subject: payment.id, target: 'failed' });
      rig.database.failAt({ commit, fails: 'refused' });
      await execute(rig.deps, action).catch(() => undefined);
      ended.push((await rig.deps.payments.find(payment.id))?.state ?? '');
      rig.database.failAt();
      await execute(rig.another(), action);
      expect(await findAction(rig.healthy, action.id), `commit ${commit}`).toMatchObject({ state: 'done' });
    }
    expect(ended).toEqual(expect.arrayContaining(['pending', 'failed']));
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('drain and activate a node in one order or the other', async () => {
    const rig = await operatorOn(await open());
    const subject = rig.wallet.nodeId;
    const ended = await race(rig, [await rig.request({ kind: 'drain', subject }), await rig.request({ kind: 'activate', subject })]);
    expect(statesOf(ended)).toEqual(['done', 'done']);
  });
});

onBothDatabases('an outcome of the node that arrives while an operator ends the payment', (open) => {
  it('is booked once, whichever comes first, and the wallet is charged at most once', async () => {
    const rig = await operatorOn(await open());
    for (const isFirst of [true, false]) {
      const payment = await rig.pendingPayment(20_000);
      const before = await rig.balanceMsat(rig.wallet);
      rig.net.always('collectEvidence', {
        instead: { items: [{ fact: 'No channel has an HTLC.', holds: true, detail: '' }], provesFailure: true },
      });
      const action = await rig.request({ kind: 'resolve', subject: payment.id, target: 'failed' });
      const succeeded = { state: 'succeeded', preimage: payment.proof, feeMsat: msat(0) } as const;
      const report = () => rig.another().payments.reportOutcome(payment.id, succeeded);
      const resolve = () => execute(rig.deps, action);
      await Promise.allSettled(isFirst ? [report(), resolve()] : [resolve(), report()]);
      const [ended] = await race(rig, [action]);
      const { state } = (await rig.deps.payments.find(payment.id)) as { state: string };
      expect(state).toBe('succeeded');
      expect(['done', 'refused']).toContain(ended?.state);
      expect(before - (await rig.balanceMsat(rig.wallet))).toBe(20_000);
      rig.net.always('collectEvidence', undefined);
      rig.net.outside.resolveHold(payment.paymentHash, 'settle');
    }
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });
});
