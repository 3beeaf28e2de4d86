import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { unmatchedMoney } from './unmatched-money.ts';

const alertsOf = (kinds: { kind: string; message: string }[]) => kinds.map(({ kind, message }) => `${kind}: ${message}`);

onFakeNode('money in suspense', (service) => {
  const { net } = service;
  const balanceMsat = async (walletId: string) => (await service.client.get(`/v1/wallet/${walletId}`)).balance_msat;

  it('C1: raises an alert until it is credited to a wallet once', async () => {
    const [wallet, other] = [await service.client.wallet(), await service.client.wallet()];
    const subject = await unmatchedMoney(service, 7_500);
    await expect.poll(async () => alertsOf(await service.openAlerts())).toEqual([expect.stringMatching(/^suspense_not_empty: 7\.5 sat/)]);
    const done = await service.act({ kind: 'credit', subject, target: wallet.id });
    expect(done).toMatchObject({ state: 'done', amount_msat: 7_500, requested_by: 'bob@desk', reason: 'a test' });
    expect(await balanceMsat(wallet.id)).toBe(7_500);
    const [line]: Json[] = await service.client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(line).toMatchObject({ num_msat: 7_500, passThru: { operator_action: done.id, payment_hash: subject } });
    expect(line).toMatchObject({ wtxType: { name: 'ln_deposit' }, user_label: 'Credited by the operator' });
    await expect.poll(() => service.openAlerts()).toEqual([]);

    expect(await service.act({ kind: 'credit', subject, target: wallet.id })).toEqual(done);
    expect(await service.act({ kind: 'credit', subject, target: other.id })).toMatchObject({
      state: 'refused',
      answer: expect.stringContaining('Nothing of it is left'),
    });
    expect([await balanceMsat(wallet.id), await balanceMsat(other.id), await service.suspenseMsat()]).toEqual([7_500, 0, 0]);
    expect(await service.problems()).toEqual([]);
  });

  it('is credited once by commands that run at the same time, and each of them returns that result', async () => {
    const subject = await unmatchedMoney(service, 2_000);
    const wallet = await service.client.wallet();
    const results = await Promise.all(Array.from({ length: 8 }, () => service.act({ kind: 'credit', subject, target: wallet.id })));
    for (const result of results) expect(result).toMatchObject({ id: results[0]?.id, state: 'done', amount_msat: 2_000 });
    expect(await balanceMsat(wallet.id)).toBe(2_000);
    expect(await service.problems()).toEqual([]);
  });

  it('stays in suspense when the wallet or the payment hash does not exist', async () => {
    const subject = await unmatchedMoney(service, 1_000);
    const wallet = await service.client.wallet();
    expect(await service.act({ kind: 'credit', subject, target: 'wal_0000000000000000000000' })).toMatchObject({ state: 'refused' });
    expect(await service.act({ kind: 'credit', subject: 'cd'.repeat(32), target: wallet.id })).toMatchObject({ state: 'refused' });
    expect(await service.suspenseMsat()).toBe(1_000);
    expect(await service.act({ kind: 'credit', subject, target: wallet.id })).toMatchObject({ state: 'done' });
    expect(await service.problems()).toEqual([]);
  });

  it('is returned by an ordinary payment, and the rest stays in suspense', async () => {
    const subject = await unmatchedMoney(service, 30_000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 12_000, script: { fee: 700 } });
    const requested = await service.act({ kind: 'return', subject, target: paymentRequest });
    await expect
      .poll(() => service.findAction(requested.id))
      .toMatchObject({ state: 'done', answer: expect.stringMatching(/^12000 msat .* 700 msat/) });
    expect(await service.suspenseMsat()).toBe(30_000 - 12_700);
    const payment = (await service.findAction(requested.id))?.payment_id ?? undefined;
    expect(await service.client.get(`/v1/lntx/${payment}`)).toMatchObject({ status: 'settled', fee_msat: 700 });
    const again = net.outside.invoice({ amountMsat: 17_300, script: { fee: 0 } });
    const rest = await service.act({ kind: 'return', subject, target: again.paymentRequest });
    await expect.poll(async () => (await service.findAction(rest.id))?.state).toBe('done');
    expect(await service.suspenseMsat()).toBe(0);
    expect(await service.problems()).toEqual([]);
  });

  it('is in suspense again when its return fails, and is not paid twice by one invoice', async () => {
    const [first, second] = [await unmatchedMoney(service, 30_000), await unmatchedMoney(service, 30_000)];
    const failing = net.outside.invoice({ amountMsat: 20_000, script: { fail: 'NO_ROUTE' } });
    const failed = await service.act({ kind: 'return', subject: first, target: failing.paymentRequest });
    await expect.poll(() => service.findAction(failed.id)).toMatchObject({ state: 'refused', answer: expect.stringContaining('NO_ROUTE') });
    expect(await service.suspenseMsat()).toBe(60_000);

    const { paymentRequest } = net.outside.invoice({ amountMsat: 20_000, script: { fee: 0 } });
    const paid = await service.act({ kind: 'return', subject: first, target: paymentRequest });
    await expect.poll(async () => (await service.findAction(paid.id))?.state).toBe('done');
    expect(await service.act({ kind: 'return', subject: second, target: paymentRequest })).toMatchObject({ state: 'refused' });
    expect(await service.suspenseMsat()).toBe(40_000);

    for (const [amountMsat, answer] of [
      [undefined, 'must state its amount'],
      [30_001, '30000 msat are left'],
    ] as const) {
      const invoice = net.outside.invoice(amountMsat === undefined ? {} : { amountMsat });
      const refused = await service.act({ kind: 'return', subject: second, target: invoice.paymentRequest });
      expect(refused).toMatchObject({ state: 'refused', answer: expect.stringContaining(answer) });
    }
    expect(await service.act({ kind: 'return', subject: second, target: 'lnbcrt1nonsense' })).toMatchObject({ state: 'refused' });
    const wallet = await service.client.wallet();
    for (const subject of [first, second]) await service.act({ kind: 'credit', subject, target: wallet.id });
    expect([await balanceMsat(wallet.id), await service.suspenseMsat()]).toEqual([40_000, 0]);
    expect(await service.problems()).toEqual([]);
  });

  it('C2: stays reserved for a return whose outcome is unknown, across a restart, until the payment ends', async () => {
    const subject = await unmatchedMoney(service, 25_000);
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 20_000, script: { hold: true, fee: 0 } });
    const paying = await service.act({ kind: 'return', subject, target: paymentRequest });
    expect(paying).toMatchObject({ state: 'paying' });
    await service.restart();
    expect(await service.findAction(paying.id)).toMatchObject({ state: 'paying' });
    net.outside.resolveHold(paymentHash, 'settle');
    await expect.poll(async () => (await service.findAction(paying.id))?.state).toBe('done');
    expect(await service.suspenseMsat()).toBe(5_000);
    await service.act({ kind: 'credit', subject, target: (await service.client.wallet()).id });
    expect(await service.problems()).toEqual([]);
  });

  it('C2: is found by verify when it left without an action, or with a different action', async () => {
    const subject = await unmatchedMoney(service, 9_000);
    const wallet = await service.client.wallet();
    const { id } = await service.act({ kind: 'credit', subject, target: wallet.id });
    for (const [change, problem] of [
      ['DELETE FROM operator_action WHERE id = $1', 'no operator action owns this transfer of suspense'],
      ['UPDATE operator_action SET amount_msat = amount_msat + 1 WHERE id = $1', 'its transfers differ from the operator’s action'],
      ['UPDATE operator_action SET ledger_account = ledger_account - 1 WHERE id = $1', 'its transfers differ'],
      [`UPDATE operator_action SET subject = 'ab' WHERE id = $1`, 'more was moved out of suspense than had arrived'],
    ] as const) {
      expect((await service.problemsAfter(change, id)).join('\n'), change).toContain(problem);
    }
    const stored = await service.problemsAfter('UPDATE unmatched_settlement SET left_msat = 1 WHERE payment_hash = $1', subject);
    expect(stored).toEqual([`${subject}: what is left in suspense differs from what operators moved`]);
    expect(await service.problems()).toEqual([]);
  });
});
