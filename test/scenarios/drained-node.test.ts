import { expect, it } from 'vitest';
import { satText } from '../../src/core/kernel/money.ts';
import { MEASURES_AT_ONCE, onFakeNode } from '../support/app.ts';

const [ADDED_MSAT, TAKEN_MSAT] = [1_000_000_000, 900_000_000];

onFakeNode(
  'a node that is drained after its operator added money',
  (service) => {
    const { net } = service;

    it('N2: raises an alert that states the amount, although the node still has more than it owes', async () => {
      await service.client.wallet(1_000_000);
      expect((await service.reconcile('new_baseline')).balance).toMatchObject({ state: 'measured', restMsat: 0 });
      net.addFunds(ADDED_MSAT);
      expect((await service.reconcile()).balance).toMatchObject({ restMsat: ADDED_MSAT, roseMsat: ADDED_MSAT, fellMsat: 0 });
      expect(await service.openAlerts()).toEqual([]);
      net.addFunds(-TAKEN_MSAT);
      const report = await service.reconcile();
      expect(report.balance).toMatchObject({ restMsat: ADDED_MSAT - TAKEN_MSAT, roseMsat: ADDED_MSAT, fellMsat: TAKEN_MSAT });
      const [alert, ...others] = await service.openAlerts();
      expect(others).toEqual([]);
      expect(alert).toMatchObject({
        kind: 'node_balance_fell',
        subject: report.id,
        message: expect.stringContaining(`${satText(TAKEN_MSAT)} left`),
      });
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  MEASURES_AT_ONCE,
);

onFakeNode(
  'a node that is drained before its operator adds money',
  (service) => {
    const { net } = service;

    it('keeps the alert that states the amount until an operator accepts the balance', async () => {
      await service.client.wallet(1_000_000);
      await service.reconcile('new_baseline');
      net.addFunds(-TAKEN_MSAT);
      const drained = await service.reconcile();
      net.addFunds(ADDED_MSAT);
      expect((await service.reconcile()).balance).toMatchObject({ restMsat: ADDED_MSAT - TAKEN_MSAT, fellMsat: TAKEN_MSAT });
      await service.client.wallet(5);
      await service.reconcile();
      const open = { kind: 'node_balance_fell', subject: drained.id, message: expect.stringContaining(`${satText(TAKEN_MSAT)} left`) };
      expect(await service.openAlerts()).toMatchObject([open]);
      expect((await service.reconcile('new_baseline')).balance).toMatchObject({ restMsat: 0, roseMsat: 0, fellMsat: 0 });
      expect(await service.openAlerts()).toEqual([]);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  MEASURES_AT_ONCE,
);
