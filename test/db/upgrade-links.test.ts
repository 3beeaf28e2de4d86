import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { claimsAgainstPayments, linkDaysAgainstClaims, linksAgainstPayments } from '../../src/features/verify/records.sql.ts';
import { freshUrls, ledgerWith, MIGRATIONS, silentLog } from '../support/ledger.ts';

const DAY = 86_400;

const insertAccount = statement('test_links_account', `INSERT INTO account (id, created_at) VALUES ('acc_1', 1)`);
const insertWallet = statement(
  'test_links_wallet',
  `INSERT INTO wallet (id, account_id, ledger_account, user_label, status, created_at, updated_at, node_id)
   VALUES ('wal_1', 'acc_1', $1, '', 'active', 1, 1, (SELECT id FROM lightning_node))`,
);
const insertLink = statement(
  'test_links_link',
  `INSERT INTO withdraw_link (id, wallet_id, ledger_account, token_hash, balance_token_hash, k1_hash, balance_k1_hash, max_msat, fee_limit_msat,
     uses, uses_left, overused, memo, pass_thru, expires_at, created_at)
   VALUES ($1, 'wal_1', $2, $3, $4, $5, $6, 100000, 2000, 3, $7, $8, 'gift', '{"a":1}', 9, 7)`,
);
const insertPayment = statement(
  'test_links_payment',
  `INSERT INTO payment (id, wallet_id, ledger_account, node_id, transfer_id, wtx_type, state, failure_reason, payment_hash, payment_request,
     dest_pubkey, amount_msat, fee_msat, user_label, memo, expiry_seconds, created_at, settled_at, is_keysend, link_id, correction)
   VALUES ($1, 'wal_1', $2, 'lnd_x', $1, 'ln_lnurl_withdraw', $3, $4, $1, '', '', $5, $6, '', '', 60, $7, $8, 0, $9, $10)`,
);
// Two statements: a prepared one keeps the columns of the older schema.
const readOldLinks = statement('test_links_read_old', 'SELECT * FROM withdraw_link ORDER BY id');
const readLinks = statement('test_links_read', 'SELECT * FROM withdraw_link ORDER BY id ');
const readDays = statement('test_links_days', 'SELECT * FROM withdraw_link_day ORDER BY link_id, day_start');
const readClaims = statement('test_links_claims', 'SELECT payment_id, reserved_msat FROM withdraw_claim ORDER BY payment_id');

/** The claims of two links: state, amount, fee, time, correction. */
const CLAIMS = [
  ['lntx_1', 'lnurlw_1', 'succeeded', 50_000, 700, DAY + 5, null],
  ['lntx_2', 'lnurlw_1', 'pending', 40_000, null, DAY + 6, null],
  ['lntx_3', 'lnurlw_1', 'failed', 30_000, null, 2 * DAY, null],
  ['lntx_4', 'lnurlw_2', 'succeeded', 20_000, 0, 2 * DAY - 1, 'charged'],
  ['lntx_5', 'lnurlw_2', 'failed', 10_000, null, 2 * DAY - 1, 'borne'],
] as const;

async function fill(database: Database): Promise<void> {
  const { ledger, accounts } = await ledgerWith(database, [1000]);
  await ledger.drain();
  const [account = 0] = accounts;
  const hashesOf = (n: number) => [0, 1, 2, 3].map((place) => Uint8Array.of(n, place));
  await database.transaction(async (tx) => {
    await tx.run(insertAccount);
    await tx.run(insertWallet, account);
    await tx.run(insertLink, 'lnurlw_1', account, ...hashesOf(1), 1, 0);
    await tx.run(insertLink, 'lnurlw_2', account, ...hashesOf(2), 2, 1);
    for (const [id, link, state, amountMsat, feeMsat, createdAt, correction] of CLAIMS) {
      const [reason, settledAt] = [state === 'failed' ? 'TIMEOUT' : null, state === 'succeeded' ? createdAt : null];
      await tx.run(insertPayment, id, account, state, reason, amountMsat, feeMsat, createdAt, settledAt, link, correction);
    }
  });
}

describe.each(['sqlite', 'postgres'] as const)('an upgrade to daily limits of withdraw links (%s)', (dialect) => {
  const urls = freshUrls(dialect);

  it('keeps the links, and counts the claims that were made before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-migrations-'));
    for (const file of readdirSync(MIGRATIONS)) if (file < '0005') copyFileSync(join(MIGRATIONS, file), join(folder, file));
    const database = await openDatabase(await urls(), { log: silentLog });
    await migrate(database, folder);
    rmSync(folder, { recursive: true });
    await fill(database);
    const before = await database.all(readOldLinks);
    await migrate(database, MIGRATIONS);
    const added = { daily_limit_msat: null, user_label: '', revoked_at: null };
    expect(await database.all(readLinks)).toEqual(before.map((link) => ({ ...link, ...added })));
    const day = (link_id: string, day_start: number, claims: number, rest: object) => ({
      link_id,
      day_start,
      claims,
      pending_msat: 0,
      spent_msat: 0,
      claimed_msat: 0,
      ...rest,
    });
    expect(await database.all(readDays)).toEqual([
      day('lnurlw_1', DAY, 2, { pending_msat: 42_000, spent_msat: 50_700, claimed_msat: 50_000 }),
      day('lnurlw_1', 2 * DAY, 0, {}),
      // The wallet was not charged for the claim that the operator bore.
      day('lnurlw_2', DAY, 2, { spent_msat: 20_000, claimed_msat: 30_000 }),
    ]);
    expect(await database.all(readClaims)).toEqual(
      CLAIMS.map(([payment_id, , , amountMsat]) => ({ payment_id, reserved_msat: amountMsat + 2_000 })),
    );
    for (const check of [linksAgainstPayments, linkDaysAgainstClaims, claimsAgainstPayments]) expect(await database.all(check)).toEqual([]);
    await database.close();
  });
});
