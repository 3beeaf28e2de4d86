import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledgerNodes } from '../../src/core/connection/binding.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { freshUrls, ledgerWith, MIGRATIONS, problemsOfLedger, silentLog } from '../support/ledger.ts';

const OLD = ['0001-schema.sql', '0002-sending.sql'];
const FACTS = [
  ['node', JSON.stringify({ network: 'regtest', pubkey: '02aa' })],
  ['node_id', 'lnd_old'],
  ['node_event_position', 'event 7'],
  ['node_remainder', '{}'],
] as const;

const insertFact = statement('test_old_fact', 'INSERT INTO service_fact (name, value) VALUES ($1, $2)');
const insertOwner = statement('test_old_owner', `INSERT INTO account (id, created_at) VALUES ('acc_1', 1)`);
const insertWallet = statement(
  'test_old_wallet',
  `INSERT INTO wallet (id, account_id, ledger_account, user_label, status, created_at, updated_at)
   VALUES ('wal_1', 'acc_1', $1, '', 'active', 1, 1)`,
);
const readTransfers = statement('test_read_transfers', 'SELECT * FROM ledger_transfer ORDER BY position');
const readWallet = statement<{ node_id: string }>('test_read_wallet', 'SELECT node_id FROM wallet');
const readFacts = statement<{ name: string }>('test_read_facts', 'SELECT name FROM service_fact ORDER BY name');
const readPosition = statement('test_read_position', 'SELECT event_position FROM lightning_node');

describe.each(['sqlite', 'postgres'] as const)('an upgrade to several nodes (%s)', (dialect) => {
  const urls = freshUrls(dialect);

  it('keeps transfers, the node and its position, and gives the wallets to that node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-migrations-'));
    for (const file of OLD) copyFileSync(join(MIGRATIONS, file), join(folder, file));
    const database = await openDatabase(await urls(), { log: silentLog });
    await migrate(database, folder);
    rmSync(folder, { recursive: true });
    const { ledger, accounts } = await ledgerWith(database, [1000, 2000]);
    await ledger.drain();
    await database.transaction(async (tx) => {
      for (const [name, value] of FACTS) await tx.run(insertFact, name, value);
      await tx.run(insertOwner);
      await tx.run(insertWallet, accounts[0] ?? 0);
    });
    const before = await database.all(readTransfers);
    expect(before).toHaveLength(2);

    await migrate(database, MIGRATIONS);
    expect(await database.all(readTransfers)).toEqual(before);
    expect(await ledgerNodes(database)).toMatchObject([
      { id: 'lnd_old', ledgerAccount: 1, identity: { pubkey: '02aa', network: 'regtest' }, state: 'active' },
    ]);
    expect(await database.all(readPosition)).toEqual([{ event_position: 'event 7' }]);
    expect(await database.all(readWallet)).toEqual([{ node_id: 'lnd_old' }]);
    expect((await database.all(readFacts)).map(({ name }) => name)).toEqual(['invoice_expiry_since', 'node_remainder lnd_old']);
    const upgraded = createLedger(database, systemClock);
    expect((await upgraded.balance(1)).balanceMsat).toBe(-3000);
    await upgraded.drain();
    expect(await problemsOfLedger(database)).toEqual([]);
    await database.close();
  });
});
