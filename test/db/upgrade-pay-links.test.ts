import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { createWallets, defaultPayLinkId } from '../../src/core/wallets/wallets.ts';
import { defaultLinkRow } from '../../src/features/lnurl/pay/pay-links.ts';
import { freshUrls, MIGRATIONS, silentLog } from '../support/ledger.ts';

const insertOwner = statement('test_old_owner', `INSERT INTO account (id, created_at) VALUES ('acc_1', 1)`);
const openLedgerAccount = statement<{ id: number }>(
  'test_old_ledger_account',
  `INSERT INTO ledger_account (kind) VALUES ('wallet') RETURNING id`,
);
const insertWallet = statement(
  'test_old_wallet',
  `INSERT INTO wallet (id, account_id, ledger_account, user_label, status, created_at, updated_at, node_id)
   VALUES ($1, 'acc_1', $2, 'old', 'active', $3, $3, (SELECT id FROM lightning_node))`,
);
const readLink = statement('test_read_link', 'SELECT * FROM pay_link WHERE id = $1');
const readMetadata = statement('test_read_metadata', 'SELECT * FROM pay_metadata');

describe.each(['sqlite', 'postgres'] as const)('an upgrade to pay links (%s)', (dialect) => {
  const urls = freshUrls(dialect);

  it('gives the wallets that exist the same pay link as new wallets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-migrations-'));
    for (const file of readdirSync(MIGRATIONS).filter((name) => name < '0006')) copyFileSync(join(MIGRATIONS, file), join(folder, file));
    const database = await openDatabase(await urls(), { log: silentLog });
    await migrate(database, folder);
    rmSync(folder, { recursive: true });
    const old = { id: `wal_${newId()}`, createdAt: 1_700_000_000 };
    await database.transaction(async (tx) => {
      await tx.run(insertOwner);
      await tx.run(insertWallet, old.id, (await tx.first(openLedgerAccount))?.id ?? 0, old.createdAt);
    });

    await migrate(database, MIGRATIONS);
    const parts = { database, accounts: createAccounts(database, systemClock), clock: systemClock, isNodeAvailable: async () => true };
    const now = createWallets({ ...parts, rowsOf: (wallet) => [defaultLinkRow(wallet)] });
    const { wallet: made } = await now.create('acc_1', 'made');
    const [before, after] = await Promise.all(
      [old, made].map(async ({ id, createdAt }) => {
        const [row] = await database.all(readLink, defaultPayLinkId(id));
        expect(row).toMatchObject({ wallet_id: id, account_id: 'acc_1', created_at: createdAt, updated_at: createdAt });
        return { ...row, id: '', wallet_id: '', created_at: 0, updated_at: 0 };
      }),
    );
    expect(before).toEqual(after);
    expect(await database.all(readMetadata)).toHaveLength(1);
    expect(defaultPayLinkId(`wal_${newId()}`)).toMatch(/^lnurlp_[0-9A-Za-z]{22}$/);
    await database.close();
  });
});
