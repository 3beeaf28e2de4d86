import { randomBytes } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import type { Restore } from '../../src/features/restore/restore-object.ts';
import { type HoldInvoice, holdInvoice, TIMING } from '../hold-invoices/harness.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { rewindOf } from '../support/rewind.ts';

async function complete({ client }: FakeNodeApp): Promise<Restore> {
  const read = (): Promise<Restore> => client.get('/v1/operator/restore');
  await vi.waitUntil(async () => (await read()).read_back.status === 'complete', { timeout: 30_000, interval: 20 });
  return read();
}

/** What the customer of a hold invoice relies on. */
const kept = ({ status, id, hash, memo, pass_thru, payment_request, status_url, num_msat }: Json) => ({
  status,
  id,
  hash,
  memo,
  pass_thru,
  payment_request,
  status_url,
  num_msat,
});

const holdsIn = ({ not_recovered }: Restore) => not_recovered.filter((text) => text.includes('old invoices'));

onFakeNode(
  'hold invoices that were created after the backup',
  (service) => {
    const { client, net } = service;
    const { save, rewind } = rewindOf(service);
    const folder = () => join(service.dataDir, 'backups', 'recovery-log');
    const files = () => readdirSync(folder()).filter((name) => name.endsWith('.log'));
    const repeat = ({ wallet: { id }, hash }: Pick<HoldInvoice, 'wallet' | 'hash'>, fields: object = {}) =>
      client.request('POST', `/v1/wallet/${id}/invoice`, {
        key: client.secretKey,
        json: { num_satoshis: 5, hold_hash: hash, ...fields },
      });

    /** The wallet is in the backup. */
    let wallet: TestWallet;
    beforeEach(async () => {
      wallet = await client.wallet();
      await save();
    });

    it('have their wallets, ids and states again after the database was lost', async () => {
      const fields = { num_satoshis: 5, memo: 'tea', passThru: { order: 7 } };
      const make = async () => holdInvoice(service, fields, wallet);
      const [open, held, settled, cancelled, returned, late] = [
        await make(),
        await make(),
        await make(),
        await make(),
        await make(),
        await make(),
      ];
      for (const hold of [held, settled, returned, late]) await hold.pay();
      for (const hold of [held, settled, returned, late]) await hold.until('held');
      expect((await settled.settle()).body).toMatchObject({ status: 'settled' });
      await cancelled.cancel();
      await returned.cancel();
      const before = await Promise.all([open, held, settled, cancelled, returned].map((hold) => hold.read()));
      // The ledger of the lost service did not see this one.
      await rewind(() => void net.connect().settleHoldInvoice(late.preimage));
      const restore = await complete(service);
      expect(holdsIn(restore)).toEqual([]);
      await Promise.all([held.until('held'), settled.until('settled'), late.until('settled')]);
      const after = await Promise.all([open, held, settled, cancelled, returned].map((hold) => hold.read()));
      expect(after.map(kept)).toEqual(before.map(kept));
      expect(await held.balance()).toBe(10_000);
      expect((await held.settle()).body).toMatchObject({ status: 'settled' });
      expect([await held.balance(), held.payer(), returned.payer()]).toEqual([15_000, 'succeeded', 'failed']);
      await open.pay();
      await open.until('held');
      await open.cancel();
      expect(await service.suspenseMsat()).toBe(0);
      expect(await service.problems()).toEqual([]);
    });

    it('are returned to a request that repeats their creation, with a new key', async () => {
      const hold = await holdInvoice(service, undefined, wallet);
      await rewind();
      const repeated = await repeat(hold);
      expect(repeated).toMatchObject({ status: 201, body: { id: hold.invoice.id, payment_request: hold.invoice.payment_request } });
      expect((await repeat(hold)).body.id).toBe(hold.invoice.id);
      await hold.pay();
      await hold.until('held');
      expect((await repeat(hold)).body).toMatchObject({ id: hold.invoice.id, status: 'held' });
      expect((await hold.settle()).body).toMatchObject({ status: 'settled' });
      expect(await hold.balance()).toBe(5000);
      expect(await service.problems()).toEqual([]);
    });

    it('are not given to another wallet, nor to a request with other contents', async () => {
      const hold = await holdInvoice(service, undefined, wallet);
      await rewind();
      const taken = { status: 409, body: { type: 'hold_hash_taken' } };
      expect(await repeat(hold, { num_satoshis: 6 })).toMatchObject(taken);
      expect(await repeat(hold, { memo: 'other' })).toMatchObject(taken);
      expect(await repeat({ ...hold, wallet: await client.wallet() })).toMatchObject(taken);
      expect((await repeat(hold)).status).toBe(201);
    });

    it('of another program are never taken over, also if a request of a wallet had its hash', async () => {
      const preimage = randomBytes(32).toString('hex');
      const hash = paymentHashOf(preimage);
      const { paymentRequest } = (await net.connect().createHoldInvoice({
        paymentHash: hash,
        amountMsat: 5000 as never,
        description: '',
        expirySeconds: 86_400,
      })) as { paymentRequest: string };
      const order = { wallet, hash };
      expect(await repeat(order)).toMatchObject({ status: 409 });
      await rewind();
      await complete(service);
      expect(await repeat(order)).toMatchObject({ status: 409, body: { type: 'hold_hash_taken' } });
      await net.outside.pay({ paymentRequest });
      await net.connect().settleHoldInvoice(preimage);
      await expect.poll(() => service.suspenseMsat(), { timeout: 10_000 }).toBe(5000);
      expect(await service.problems()).toEqual([]);
    });

    it('are found although the last line of the log was cut off, and a damaged one is reported', async () => {
      const hold = await holdInvoice(service, undefined, wallet);
      await rewind(() => {
        const [name = ''] = files().slice(-1);
        const [header, ...lines] = readFileSync(join(folder(), name), 'utf8').split('\n');
        const damaged = lines.map((line) => (line === '' ? line : `${line.slice(0, 40)}AAAA${line.slice(44)}`));
        writeFileSync(join(folder(), `recovery-${'1'.repeat(13)}-00000000.log`), [header, ...damaged].join('\n'));
        appendFileSync(join(folder(), name), 'dG9ybg');
      });
      const restore = await complete(service);
      expect((await hold.read()).id).toBe(hold.invoice.id);
      expect(holdsIn(restore).join(' ')).toMatch(/^\d+ lines of the recovery log .* could not be read/);
      rmSync(join(folder(), `recovery-${'1'.repeat(13)}-00000000.log`));
    });

    it('are named as lost if the log is missing', async () => {
      const hold = await holdInvoice(service, undefined, wallet);
      await hold.pay();
      await hold.until('held');
      await rewind(() => rmSync(folder(), { recursive: true }));
      const restore = await complete(service);
      expect(holdsIn(restore).join(' ')).toMatch(/^Hold invoices that were created from .* are lost: the recovery log .* begins later/);
      expect(await repeat(hold)).toMatchObject({ status: 409, body: { type: 'hold_hash_taken' } });
    });
  },
  {},
  { ...TIMING, readBackMs: 20, resumeMs: 50 },
);
