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
      expect(await service.reconcile('new_baseline')).toMatchObject({ balance_status: 'measured', difference_msat: 0 });
      net.addFunds(ADDED_MSAT);
      expect(await service.reconcile()).toMatchObject({ difference_msat: ADDED_MSAT, rose_msat: ADDED_MSAT, fell_msat: 0 });
      expect(await service.openAlerts()).toEqual([]);
      net.addFunds(-TAKEN_MSAT);
      const report = await service.reconcile();
      expect(report).toMatchObject({ difference_msat: ADDED_MSAT - TAKEN_MSAT, rose_msat: ADDED_MSAT, fell_msat: TAKEN_MSAT });
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
      expect(await service.reconcile()).toMatchObject({ difference_msat: ADDED_MSAT - TAKEN_MSAT, fell_msat: TAKEN_MSAT });
      await service.client.wallet(5);
      await service.reconcile();
      const open = { kind: 'node_balance_fell', subject: drained.id, message: expect.stringContaining(`${satText(TAKEN_MSAT)} left`) };
      expect(await service.openAlerts()).toMatchObject([open]);
      expect(await service.reconcile('new_baseline')).toMatchObject({ difference_msat: 0, rose_msat: 0, fell_msat: 0 });
      expect(await service.openAlerts()).toEqual([]);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  MEASURES_AT_ONCE,
);
