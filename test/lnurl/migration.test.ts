import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MIGRATIONS, migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { statement } from '../../src/db/statement.ts';
import { freshUrls, silentLog } from '../support/databases.ts';

/** Id, amount, uses, uses that are left as the former version counted them, and the claims: state and correction. */
const LINKS: [id: string, maxMsat: number, uses: number, usesLeft: number, claims: [state: string, correction: string | null][]][] = [
  ['lnurlw_unclaimed', 1_000, 1, 1, []],
  ['lnurlw_paid', 100_000, 2, 1, [['succeeded', null]]],
  ['lnurlw_failed', 100_100, 1, 1, [['failed', null]]],
  // A failure released the use, another claim took it, and then the first one succeeded.
  [
    'lnurlw_overused',
    50_000_000,
    1,
    0,
    [
      ['succeeded', 'charged'],
      ['pending', null],
    ],
  ],
  // The same, and then the other claim failed and released a use that was not there.
  [
    'lnurlw_released',
    50_000_000,
    1,
    1,
    [
      ['failed', 'borne'],
      ['failed', null],
    ],
  ],
];

const EXPECTED = [
  { id: 'lnurlw_failed', fee_limit_msat: 1_001, uses_left: 1, overused: 0 },
  { id: 'lnurlw_overused', fee_limit_msat: 500_000, uses_left: 0, overused: 1 },
  { id: 'lnurlw_paid', fee_limit_msat: 1_000, uses_left: 1, overused: 0 },
  { id: 'lnurlw_released', fee_limit_msat: 500_000, uses_left: 0, overused: 0 },
  { id: 'lnurlw_unclaimed', fee_limit_msat: 1_000, uses_left: 1, overused: 0 },
];

/** The migrations before the one that adds the columns. */
function earlierMigrations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-migrations-'));
  for (const name of readdirSync(MIGRATIONS)) if (name < '0012') copyFileSync(join(MIGRATIONS, name), join(folder, name));
  return folder;
}

describe.each(['sqlite', 'postgres'] as const)('withdraw links of an earlier version (%s)', (dialect) => {
  const urls = freshUrls(dialect);
  const folder = earlierMigrations();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('get a fee limit, and uses that agree with their claims', async () => {
    const database = await openDatabase(await urls(), { log: silentLog });
    try {
      await migrate(database, folder);
      const token = "CAST('x' AS BLOB)";
      const bytes = (text: string) => (dialect === 'sqlite' ? token.replace('x', text) : `'${text}'::bytea`);
      await database.transaction(async (tx) => {
        const run = (sql: string) => tx.run(statement(`setup_${setups++}`, sql));
        await run(`INSERT INTO account (id, created_at) VALUES ('acc_1', 1)`);
        await run(`INSERT INTO wallet (id, account_id, ledger_account, user_label, status, created_at, updated_at)
          VALUES ('wal_1', 'acc_1', 1, '', 'active', 1, 1)`);
        for (const [id, maxMsat, uses, usesLeft, claims] of LINKS) {
          await run(`INSERT INTO withdraw_link (id, wallet_id, ledger_account, token_hash, balance_token_hash, max_msat, uses, uses_left,
            memo, created_at) VALUES ('${id}', 'wal_1', 1, ${bytes(`${id}1`)}, ${bytes(`${id}2`)}, ${maxMsat}, ${uses}, ${usesLeft}, '', 1)`);
          for (const [i, [state, correction]] of claims.entries()) {
            const [reason, settledAt] = [state === 'failed' ? `'TIMEOUT'` : 'NULL', state === 'succeeded' ? '1' : 'NULL'];
            await run(`INSERT INTO payment (id, wallet_id, ledger_account, node_id, transfer_id, wtx_type, state, failure_reason, payment_hash,
              payment_request, dest_pubkey, amount_msat, user_label, memo, expiry_seconds, created_at, settled_at, is_keysend, link_id, correction)
              VALUES ('${id}${i}', 'wal_1', 1, 'lnd_1', '${id}${i}', 'ln_lnurl_withdraw', '${state}', ${reason}, '${id}${i}', '', '', 1, '', '',
              1, 1, ${settledAt}, 0, '${id}', ${correction === null ? 'NULL' : `'${correction}'`})`);
          }
        }
      });
      await migrate(database, MIGRATIONS);
      const read = statement('read_links', 'SELECT id, fee_limit_msat, uses_left, overused FROM withdraw_link ORDER BY id');
      expect(await database.all(read)).toEqual(EXPECTED);
    } finally {
      await database.close();
    }
  });
});

let setups = 0;
