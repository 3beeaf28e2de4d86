import { randomBytes } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { findInvoiceByHash, type Invoice, openInvoiceParameters } from '../../src/core/invoices/invoice.ts';
import { insertOpen } from '../../src/core/invoices/invoices.sql.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import type { Restore } from '../../src/features/restore/restore-object.ts';
import { type HoldInvoice, holdInvoice, TIMING } from '../hold-invoices/harness.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { silentLog } from '../support/ledger.ts';
import { rewindOf } from '../support/rewind.ts';

async function complete({ client }: FakeNodeApp): Promise<Restore> {
  const read = (): Promise<Restore> => client.get('/v1/operator/restore');
  await vi.waitUntil(async () => (await read()).read_back.status === 'complete', { timeout: 150_000, interval: 20 });
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
const unknownIn = ({ not_recovered }: Restore) => not_recovered.filter((text) => text.includes('satchel held list'));

onFakeNode(
  'hold invoices that were created after the backup',
  (service, dialect) => {
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
      const node = net.connect();
      for (const { paymentHash } of node.listHeldPayments ? await node.listHeldPayments() : []) await node.cancelInvoice(paymentHash);
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

    it.runIf(dialect === 'postgres')('are stored once when several instances recover them at the same moment', async () => {
      const invoice = await holdInvoice(service, undefined, wallet);
      const instances = await Promise.all([1, 2, 3].map(() => openDatabase(service.databaseUrl, { log: silentLog })));
      try {
        const stored = await findInvoiceByHash(instances[0] as Database, invoice.hash);
        for (let n = 0; n < 100; n += 1) {
          const id = `${stored?.id.slice(0, -3)}${100 + n}`;
          const recovered = { ...stored, id, paymentHash: randomBytes(32).toString('hex') } as Invoice;
          const insert = (database: Database) =>
            database.transaction((tx) => tx.run(insertOpen, ...openInvoiceParameters(recovered, Number.MAX_SAFE_INTEGER)));
          expect((await Promise.all(instances.map(insert))).sort()).toEqual([0, 0, 1]);
        }
      } finally {
        for (const database of instances) await database.close();
      }
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
      await expect.poll(() => service.suspenseMsat()).toBe(5000);
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
      // Times are whole seconds, and the log begins after the one of the backup.
      await vi.waitUntil(() => Date.now() >= 1000 * (hold.invoice.created_at + 1), { interval: 20 });
      await rewind(() => rmSync(folder(), { recursive: true }));
      const restore = await complete(service);
      expect(holdsIn(restore).join(' ')).toMatch(/^Hold invoices that were created from .* are lost: the recovery log .* begins later/);
      expect(await repeat(hold)).toMatchObject({ status: 409, body: { type: 'hold_hash_taken' } });
    });

    it('and are held without an entry in the log are named, listed, and settled by an operator for their wallet', async () => {
      const [known, lost, returned] = [
        await holdInvoice(service, undefined, wallet),
        await holdInvoice(service),
        await holdInvoice(service),
      ];
      for (const hold of [known, lost, returned]) await hold.pay();
      for (const hold of [known, lost, returned]) await hold.until('held');
      await rewind(() => rmSync(folder(), { recursive: true }));
      const restore = await complete(service);
      const [{ id: node }] = (await client.get('/v1/operator/overview')).nodes;
      expect(unknownIn(restore)).toEqual([expect.stringContaining(`The node ${node} held 3 payments that the ledger does not know`)]);
      const path = `/v1/operator/nodes/${node}/unknown-holds`;
      const suspenseMsat = await service.suspenseMsat();
      const list = async () => (await client.get(path)).map(({ id }: Json) => id).toSorted();
      expect(await list()).toEqual([known, lost, returned].map(({ hash }) => hash).toSorted());
      for (const { hash, preimage } of [known, lost])
        await client.post(`${path}/${hash}/settle`, { preimage, reason: 'the swap provider has the preimage' });
      await client.post(`${path}/${returned.hash}/cancel`, { reason: 'nobody has the preimage' });
      await expect.poll(() => service.suspenseMsat(), { timeout: 10_000 }).toBe(suspenseMsat + 10_000);
      await client.post(`/v1/operator/suspense/${known.hash}/credit`, { wallet_id: wallet.id, reason: 'its wallet' });
      expect([await known.balance(), returned.payer(), await list()]).toEqual([5_000, 'failed', []]);
      expect(await service.problems()).toEqual([]);
    });

    it('are not listed for operators before they are stored again, nor afterwards', async () => {
      const hold = await holdInvoice(service, undefined, wallet);
      await hold.pay();
      await hold.until('held');
      await rewind(() => net.always('findHoldInvoice', { unavailable: true }));
      const [{ id: node }] = (await client.get('/v1/operator/overview')).nodes;
      const path = `/v1/operator/nodes/${node}/unknown-holds`;
      expect(await client.get(path)).toEqual([]);
      net.always('findHoldInvoice', undefined);
      const json = { preimage: hold.preimage, reason: 'a test' };
      const settled = await client.request('POST', `${path}/${hold.hash}/settle`, { key: client.secretKey, json });
      expect(settled).toMatchObject({ status: 409, body: { message: expect.stringContaining(hold.invoice.id) } });
      expect(unknownIn(await complete(service))).toEqual([]);
      expect(await client.get(path)).toEqual([]);
      expect((await hold.settle()).body).toMatchObject({ status: 'settled' });
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  { ...TIMING, readBackMs: 20, resumeMs: 50 },
);
