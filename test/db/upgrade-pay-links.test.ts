import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { statement } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { defaultLinkRow, defaultPayLinkId } from '../../src/lnurl/pay/default-link.ts';
import { createWallets } from '../../src/wallets/wallets.ts';
import { freshUrls, MIGRATIONS, silentLog } from '../support/ledger.ts';

const insertOwner = statement('test_old_owner', `INSERT INTO account (id, created_at) VALUES ('acc_1', 1)`);
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
    await database.transaction((tx) => tx.run(insertOwner));
    const parts = { database, accounts: createAccounts(database, systemClock), clock: systemClock, isNodeAvailable: async () => true };
    const wallets = createWallets(parts);
    const { wallet: old } = await wallets.create('acc_1', 'old');

    await migrate(database, MIGRATIONS);
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
