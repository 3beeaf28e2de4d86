import { readFileSync, truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAlbyhub } from '../../../src/features/import/albyhub/albyhub.ts';
import { makePlan } from '../../../src/features/import/plan.ts';
import type { SourceHistoryRow } from '../../../src/features/import/source.ts';
import { collect } from '../collect.ts';
import { HUB_BALANCES, HUB_COPIES, hubFile } from './database.ts';

const CHOICES = {
  node: { pubkey: '0369e08c4bb8efa0020b810879adee5633ad9c8df151ea5a574e13620da98bf928', network: 'regtest' },
  hasHistory: true,
  negative: 'refuse',
  allowedMismatches: new Map(),
} as const;
/** Ids of apps of the fixture. */
const [ALICE, BOB, CHILD, BOX, SLOW, HOLDER, EMPTY] = ['2', '3', '5', '6', '7', '8', '9'];
const IDS = HUB_BALANCES.map(({ id }) => String(id)).sort();
const OPEN = "description = 'open invoice'";

/** Reads a whole source, and what would be imported from it. */
async function readFrom(from: string) {
  const source = await openAlbyhub(from);
  try {
    const [wallets, history] = [await collect(source.wallets()), await collect(source.history())];
    return { wallets, history, problems: await collect(source.problems()), plan: await makePlan(source, CHOICES) };
  } finally {
    await source.close();
  }
}

describe.each(['sqlite', 'postgres'] as const)('the database of Alby Hub (%s)', (dialect) => {
  const read = async (...changes: string[]) => readFrom(await HUB_COPIES[dialect](...changes));
  const remarksOf = ({ wallets }: Awaited<ReturnType<typeof read>>, id: string | undefined) =>
    wallets.find((one) => one.id === id)?.remarks;

  it('has the balances that its own query returned, and rows that add up to them', async () => {
    const { wallets, history, problems, plan } = await read();
    expect([plan.source_version, problems]).toEqual(['migration 202604081200_app_last_settled_transaction', []]);
    expect(wallets.map(({ id }) => id)).toEqual(IDS);
    for (const { id, name, balance_msat } of HUB_BALANCES) {
      const planned = plan.wallets.find(({ source_id }) => source_id === String(id));
      expect([name, (planned?.computed_balance_msat ?? 0) - (planned?.held_msat ?? 0)]).toEqual([name, balance_msat]);
      expect(planned).toMatchObject({ action: 'import', label: name, source_balance_msat: planned?.computed_balance_msat, problems: [] });
    }
    const rowsOf = (wallet: string | undefined, ...fields: (keyof SourceHistoryRow)[]) =>
      history.filter(({ walletId }) => walletId === wallet).map((row) => fields.map((field) => row[field]));
    expect(rowsOf(ALICE, 'state', 'kind', 'amountMsat', 'feeMsat')).toEqual([
      ['settled', 'lightning', 100_000_000, 0],
      ['settled', 'lightning', -1_000_500, 1_234],
      ['settled', 'lightning', -77_777, 0],
      ['failed', 'lightning', -5_000_000, 0],
      ['settled', 'lightning', -5_000_000, 3_000],
      ['failed', 'lightning', -6_000_000, 0],
      ['settled', 'internal', -2_500_000, 0],
      ['settled', 'internal', 250_000, 0],
      ['settled', 'lightning', -123_000, 500],
      ['settled', 'internal', -60_000, 0],
    ]);
    // Its node has charged 16,000 msat for the first one.
    expect(rowsOf(BOX, 'amountMsat', 'feeMsat', 'data')).toEqual([
      [4_000_000, 0, { metadata: { payer_data: { name: 'Zoë' } } }],
      [21_000, 0, { metadata: { user_labels: { kind: 'gift' } } }],
    ]);
    expect(rowsOf(SLOW, 'state', 'amountMsat', 'feeMsat')).toEqual([
      ['settled', 9_000_000, 0],
      ['pending', -2_000_000, 20_000],
    ]);
    expect(rowsOf(HOLDER, 'state', 'data')).toEqual([
      ['settled', { hold: true }],
      ['failed', { hold: true, failureReason: 'Hold invoice was cancelled' }],
      ['failed', { hold: true }],
    ]);
    expect(history.filter(({ state }) => state === 'open').map(({ walletId, memo }) => [walletId, memo])).toEqual([
      [BOB, 'open invoice'],
      [BOB, ''],
      [BOB, 'expires at once'],
    ]);
    expect(history.find(({ memo }) => memo === 'open invoice')).toMatchObject({
      createdAt: 1_795_874_750,
      expiresAt: 2_426_594_750,
      paymentHash: expect.stringMatching(/^9e69d6[0-9a-f]{58}$/),
      preimage: expect.stringMatching(/^[0-9a-f]{64}$/),
      paymentRequest: expect.stringMatching(/^lnbcrt12340n1/),
    });
  });

  it('names what is not imported, with the reason', async () => {
    const all = await read();
    expect(all.plan.not_imported.map(({ what, count }) => [what, count])).toEqual([
      ['app 1, Shop plugin', 2],
      ['app 4, Alby Go', 0],
      ['transactions of the owner of the hub', 8],
      ['transactions of deleted apps', 1],
      ['connections of apps (NWC)', 8],
    ]);
    expect(all.plan.not_imported[0]?.reason).toMatch(/not isolated.* stays in the node of the hub/);
    expect(all.plan.not_imported.at(-1)?.reason).toMatch(/derive from the seed of the hub: create new ones/);
    expect(remarksOf(all, ALICE)).toEqual([]);
    expect(remarksOf(all, BOB)).toEqual(['the Lightning address bob@getalby.com is not imported: Alby serves it']);
    expect(remarksOf(all, CHILD)).toEqual(['the budget of its app is not imported: 10000 sat, renewal monthly. Set limits']);
    expect(remarksOf(all, BOX)).toEqual(['its app may not pay: the wallet is inactive']);
    expect(remarksOf(all, HOLDER)).toEqual([expect.stringMatching(/^open hold invoices are not imported \(1\)/)]);
    expect(all.wallets.filter(({ isInactive }) => isInactive).map(({ id }) => id)).toEqual([BOX]);
  });

  it('names nothing that it does not have', async () => {
    const { plan } = await read(
      'DELETE FROM transactions WHERE app_id IS NULL OR app_id IN (1, 10)',
      'DELETE FROM apps WHERE isolated = false',
    );
    expect(plan.not_imported.map(({ what }) => what)).toEqual(['connections of apps (NWC)']);
  });

  it('has no open invoice that ended a week before the newest transaction, that is a hold invoice, or that has no text or hash', async () => {
    const { history } = await read(
      `UPDATE transactions SET expires_at = '2026-11-21 14:05:49+00:00' WHERE ${OPEN}`,
      "UPDATE transactions SET payment_request = '' WHERE description = 'expires at once'",
      "UPDATE transactions SET hold = true WHERE type = 'incoming' AND state = 'PENDING' AND description = ''",
    );
    expect(history.filter(({ state }) => state === 'open')).toEqual([]);
    const late = await read(
      `UPDATE transactions SET expires_at = '2026-11-21 14:05:50+00:00' WHERE ${OPEN}`,
      "UPDATE transactions SET payment_hash = '' WHERE description = 'expires at once'",
    );
    expect(late.history.filter(({ state }) => state === 'open').map(({ memo }) => memo)).toEqual(['open invoice', '']);
  });

  it('leaves out an empty app that has done nothing for a year before the newest transaction, and no other', async () => {
    const old = "'2025-11-28 14:05:49+00:00'";
    const aged = await read(
      `UPDATE apps SET created_at = ${old}`,
      `UPDATE transactions SET created_at = ${old} WHERE app_id <> 11`,
      "UPDATE transactions SET state = 'FAILED' WHERE app_id IN (8, 11)",
      // It has nothing but a pending payment.
      "UPDATE transactions SET state = 'FAILED' WHERE app_id = 7 AND state = 'SETTLED'",
    );
    expect(aged.wallets.filter(({ leftOut }) => leftOut === 'it is empty, and was not used for a year').map(({ id }) => id)).toEqual([
      HOLDER,
      EMPTY,
    ]);
    const inUse = await read(`UPDATE apps SET created_at = '2025-11-28 14:05:50+00:00'`);
    expect(inUse.wallets.filter(({ leftOut }) => leftOut !== undefined)).toEqual([]);
  });

  it('reports two invoices with one payment hash, unless the node was paid for one of them at most', async () => {
    const same = (id: number) =>
      `UPDATE transactions SET payment_hash = (SELECT payment_hash FROM transactions WHERE ${OPEN}) WHERE id = ${id}`;
    // That of the owner, and a settled one.
    expect((await read(same(34), same(30))).problems).toEqual([
      { walletId: BOX, text: expect.stringMatching(/another invoice has the payment hash 9e69d6/) },
      { walletId: BOB, text: expect.stringMatching(/another invoice has the payment hash 9e69d6/) },
    ]);
    // A failed one, an open hold invoice, an internal one, a payment, and two without a hash.
    const noHash = "UPDATE transactions SET payment_hash = '' WHERE id IN (28, 30)";
    expect((await read(same(36), same(37), same(23), same(17), noHash)).problems).toEqual([]);
  });

  it('is refused while a payer waits for a hold invoice', async () => {
    const { plan, history } = await read("UPDATE transactions SET state = 'ACCEPTED' WHERE description = 'open hold invoice'");
    expect(plan.wallets.filter(({ action }) => action === 'refused').map(({ source_id, problems }) => [source_id, problems])).toEqual([
      [
        HOLDER,
        [expect.stringMatching(/^a payer waits for the hold invoice with the payment hash c0d8f4.*: settle or cancel it in the hub$/)],
      ],
    ]);
    expect(history.find(({ memo }) => memo === 'open hold invoice')?.state).toBe('failed');
  });

  it('is refused with payments in flight, and has no open invoices, if its node is a part of the hub', async () => {
    const { plan, history } = await read("UPDATE user_configs SET value = 'LDK' WHERE key = 'LNBackendType'");
    expect(plan.wallets.filter(({ action }) => action === 'refused').map(({ source_id, problems }) => [source_id, problems])).toEqual([
      [SLOW, [expect.stringMatching(/^the payment c00dcb.* is pending in the node of the hub \(LDK\).*: wait for its end$/)]],
    ]);
    expect(history.some(({ state }) => state === 'open')).toBe(false);
    expect(plan.not_imported.find(({ what }) => what === 'open invoices')).toMatchObject({ count: 4 });
    const settled = await read(
      "UPDATE user_configs SET value = 'LDK' WHERE key = 'LNBackendType'",
      "UPDATE transactions SET state = 'FAILED' WHERE state = 'PENDING'",
    );
    expect(settled.plan.not_imported.some(({ what }) => what === 'open invoices')).toBe(false);
  });

  it.each(['CLN', '', undefined])('keeps its open invoices with the node %s', async (name) => {
    const change =
      name === undefined ? 'DELETE FROM user_configs' : `UPDATE user_configs SET value = '${name}' WHERE key = 'LNBackendType'`;
    const { history, problems } = await read(change);
    expect([history.filter(({ state }) => state === 'open').length, problems]).toEqual([3, []]);
  });

  it('is refused with a negative balance, and with a payment between apps that has not ended', async () => {
    const { plan } = await read(
      "UPDATE transactions SET fee_msat = 99000000 WHERE description = 'with a fee and a fraction'",
      "UPDATE transactions SET state = 'PENDING' WHERE app_id = 3 AND type = 'outgoing'",
    );
    expect(plan.wallets.filter(({ action }) => action === 'refused').map(({ source_id, problems }) => [source_id, problems])).toEqual([
      [ALICE, [expect.stringMatching(/^it has -\d+ msat\. Cover it in the source/)]],
      [BOB, [expect.stringMatching(/is pending and not a payment over Lightning: end it in the source/)]],
    ]);
  });

  it('is read in the form of Alby Hub 1.2, which has no fee of some rows and fewer columns', async () => {
    const [old, now] = [
      await read(
        'ALTER TABLE apps DROP COLUMN metadata',
        'ALTER TABLE transactions DROP COLUMN boostagram',
        'ALTER TABLE transactions DROP COLUMN failure_reason',
        'ALTER TABLE transactions DROP COLUMN hold',
        "DELETE FROM migrations WHERE id > '202407012100_transactions' AND id < '3'",
        'UPDATE transactions SET fee_msat = NULL WHERE fee_msat = 0',
        'UPDATE transactions SET fee_reserve_msat = NULL WHERE fee_reserve_msat = 0',
        "UPDATE transactions SET fee_reserve_msat = 60000 WHERE description = 'always fails'",
      ),
      await read(),
    ];
    expect(old.plan.source_version).toBe('migration 202407012100_transactions');
    const figures = ({ plan }: typeof old) => plan.wallets.map(({ remarks: _remarks, open_invoices: _open, ...figure }) => figure);
    expect(figures(old)).toEqual(figures(now));
    expect(old.history.find(({ memo }) => memo === 'always fails')?.feeMsat).toBe(0);
  });

  it.each([
    ["INSERT INTO migrations (id) VALUES ('209912310000_future')", /migration 209912310000_future, which Alby Hub 1\.24\.0 does not have/],
    ["DELETE FROM migrations WHERE id LIKE '2024070121%'", /version of Alby Hub before 1\.2, which has no isolated apps/],
    ['DROP TABLE migrations', /no table migrations of Alby Hub/],
    ['ALTER TABLE migrations RENAME COLUMN id TO number', /no table migrations of Alby Hub/],
    ['DROP TABLE transactions', /no table transactions/],
    ['DROP TABLE app_permissions', /no table app_permissions/],
    ['DROP TABLE user_configs', /no table user_configs/],
    ['ALTER TABLE apps RENAME COLUMN isolated TO separate', /apps of the source lacks the columns isolated/],
    ["UPDATE transactions SET state = 'HELD' WHERE id = 2", /transaction 2: state must be one of SETTLED, PENDING, FAILED, ACCEPTED/],
    ["UPDATE transactions SET state = 'ACCEPTED' WHERE id = 39", /transaction 39: state must be one of SETTLED, PENDING, FAILED\./],
    ["UPDATE transactions SET type = 'swap' WHERE id = 2", /transaction 2: type must be incoming or outgoing/],
  ])('is refused after %s', async (change, message) => {
    await expect(read(change)).rejects.toMatchObject({ name: 'UnusableSource', message: expect.stringMatching(message) });
  });
});

it('is refused if its file was copied in part, and is only read', async () => {
  const file = hubFile();
  const before = readFileSync(file);
  await readFrom(file);
  expect(readFileSync(file).equals(before)).toBe(true);
  truncateSync(file, 100_000);
  await expect(readFrom(file)).rejects.toThrow(/cannot be read .*copy the file with its -wal and -shm files/);
});

it('has the same plan on both databases', async () => {
  const [sqlite, postgres] = [await readFrom(await HUB_COPIES.sqlite()), await readFrom(await HUB_COPIES.postgres())];
  expect(sqlite.plan).toEqual(postgres.plan);
});
