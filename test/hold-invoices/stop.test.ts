import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { readHoldsLeft } from '../../src/core/invoices/hold-switch.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { allowHolds, stopHolds } from '../../src/features/operator/hold-stops.ts';
import { onFakeNode } from '../support/app.ts';
import { silentLog } from '../support/ledger.ts';
import { holdInvoice, TIMING } from './harness.ts';

onFakeNode(
  'hold invoices that another process stops',
  (service) => {
    const { client } = service;
    const onDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
      const database = await openDatabase(service.databaseUrl, { withoutLock: true, log: silentLog });
      return work(database).finally(() => database.close());
    };
    const requester = { requestedBy: 'a test', reason: 'An update.' };
    const offered = async () => (await client.get('/v1/node/default')).capabilities.hold_invoices;
    const left = () => onDatabase((database) => readHoldsLeft(database, systemClock));

    it('are refused with the reason, unpaid ones are cancelled, and held ones are listed until they have ended', async () => {
      const [held, open] = [await holdInvoice(service), await holdInvoice(service)];
      await held.pay();
      await held.until('held');
      expect(await left()).toMatchObject({ open: 1, payments: [{ id: held.invoice.id, state: 'held', decision: null }] });
      await onDatabase((database) => stopHolds(database, systemClock, requester));
      expect(await offered()).toBe(false);
      const wallet = await client.wallet();
      const create = () =>
        client.request('POST', `/v1/wallet/${wallet.id}/invoice`, {
          key: client.secretKey,
          json: { num_satoshis: 1, hold_hash: 'ab'.repeat(32) },
        });
      expect(await create()).toMatchObject({
        status: 400,
        body: { type: 'not_supported', message: expect.stringContaining('“An update.”') },
      });
      await open.until('cancelled');
      await open.pay();
      expect(open.payer()).toBe('failed');
      expect(await left()).toMatchObject({ open: 0, payments: [{ id: held.invoice.id }] });
      await service.restart();
      expect((await create()).status).toBe(400);
      expect((await held.settle()).body).toMatchObject({ status: 'settled' });
      await expect.poll(left).toEqual({ open: 0, payments: [] });
      const allow = () => onDatabase((database) => allowHolds(database, systemClock, { ...requester, reason: 'It is updated.' }));
      await allow();
      await allow();
      expect([(await create()).status, await offered()]).toEqual([201, true]);
      expect(await client.get('/v1/operator/actions')).toMatchObject([
        { kind: 'allow_hold_invoices', subject: 'service', reason: 'It is updated.' },
        { kind: 'stop_hold_invoices', subject: 'service', reason: 'An update.' },
      ]);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  TIMING,
);
