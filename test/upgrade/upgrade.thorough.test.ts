import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { freshUrls, silentLog } from '../support/ledger.ts';
import { processSettings, runSatchel, runVerify, startProcess } from '../support/process.ts';
import { loadData, SECRETS, STORED, storeData } from './stored-data.ts';

/*
 * Every release upgrades the databases of all earlier ones. With `STORE_DATA=1`, before a release, the first test stores the data of this version
 * in test/upgrade/stored.
 */

const root = join(import.meta.dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const stored = readdirSync(STORED).flatMap((name) => /^(.+)\.db\.gz$/.exec(name)?.[1] ?? []);
const listBalances = statement<{ id: string; balance_msat: number }>(
  'test_wallet_balances',
  'SELECT w.id, a.balance_msat FROM wallet w JOIN ledger_account a ON a.id = w.ledger_account ORDER BY w.id',
);

const work = mkdtempSync(join(tmpdir(), 'satchel-upgrade-'));
const folderOfThis = process.env.STORE_DATA ? STORED : work;
const LIGHTNING_URL = 'fake:?seed=upgrade';
afterAll(() => rmSync(work, { recursive: true, force: true }));

it('stores the data of this version', async () => {
  const dataDir = join(work, 'storing');
  mkdirSync(dataDir);
  const settings = { ...(await processSettings(dataDir, '')), LIGHTNING_URL };
  await storeData(settings, dataDir, folderOfThis, version);
});

it('has stored data of each released version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const released = [...changelog.matchAll(/^## \[(\d\S*)\]/gm)].map(([, one]) => one);
  expect(stored.toSorted()).toEqual(released.toSorted());
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const urls = freshUrls(dialect);
  const files = [...stored.map((name) => [name, STORED] as const), [version, folderOfThis] as const];
  describe.each(files)(`a database of version %s (${dialect})`, (name, folder) => {
    it('is upgraded with all its money, serves what it served, and pays', async () => {
      const url = await urls();
      const dataDir = mkdtempSync(join(work, 'data-'));
      const { balances, answers } = await loadData(folder, name, url, dataDir);
      const settings = { ...(await processSettings(dataDir, url)), ...SECRETS, LIGHTNING_URL };
      expect((await runSatchel(['migrate'], settings)).code).toBe(0);
      expect((await runVerify(settings)).output).toContain('The ledger is clean.');
      const database = await openDatabase(url, { readOnly: true, log: silentLog });
      const upgraded = (await database.all(listBalances)).map(({ id, balance_msat }) => [id, balance_msat]);
      await database.close();
      expect(Object.fromEntries(upgraded)).toEqual(balances);

      const service = await startProcess(settings);
      for (const [path, answer] of Object.entries(answers)) expect(await service.client.get(path)).toMatchObject(answer);
      const wallet = await service.client.wallet(1000);
      const { payment_request } = await service.client.post('/playground/invoice', { num_satoshis: 100 });
      const paid = await service.client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request });
      expect(paid).toMatchObject({ status: 'settled', balance_after_msat: 900_000 });
      await service.stop();
      expect((await runVerify(settings)).output).toContain('The ledger is clean.');
    });
  });
}
