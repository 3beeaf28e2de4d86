import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { rowToInvoice } from '../../src/core/invoices/invoice.ts';
import * as sql from '../../src/core/invoices/invoices.sql.ts';
import { firstIdAt } from '../../src/core/kernel/ids.ts';
import type { Wallet, Wallets } from '../../src/core/wallets/wallets.ts';
import { cutOut } from '../../src/features/transactions/cut.ts';
import type { ListQuery } from '../../src/features/transactions/list.ts';
import { accountScope, type ScopeDependencies, walletScope } from '../../src/features/transactions/scope.ts';
import { onBothDatabases } from '../support/ledger.ts';

const NOW = 1_900_000_000;
const YEAR = 31_536_000;
const OPEN: ListQuery = { status: 'open', type: undefined, from: undefined, to: undefined };
const WALLET: Wallet = {
  id: 'wal_1',
  accountId: 'acc_1',
  ledgerAccount: 5,
  nodeId: 'lnd_1',
  userLabel: '',
  status: 'active',
  createdAt: 1,
  updatedAt: 1,
};

const WRITE_WALLET = statement(
  'test_wallet',
  `INSERT INTO wallet (id, account_id, ledger_account, node_id, user_label, status, created_at, updated_at)
   SELECT $1, $2, $3, id, '', 'active', 1, 1 FROM lightning_node`,
);

interface Made {
  readonly madeAt: number;
  readonly expiresAt: number;
  readonly wallet?: string;
}

/** A database with a wallet of each of two accounts and these invoices, whose ids have the order of the list. */
async function withInvoices(database: Database, made: readonly Made[]) {
  await database.transaction(async (tx) => {
    for (const [i, account] of ['acc_1', 'acc_2'].entries()) {
      await tx.run(statement('test_account', 'INSERT INTO account (id, created_at) VALUES ($1, 1)'), account);
      await tx.run(statement('test_ledger_account', `INSERT INTO ledger_account (kind) VALUES ('wallet')`));
      await tx.run(WRITE_WALLET, `wal_${i + 1}`, account, 5 + i);
    }
    for (const [i, { madeAt, expiresAt, wallet = 'wal_1' }] of made.entries()) {
      const id = `lntx_${firstIdAt(madeAt * 1000)}${String(i).padStart(14, '0')}`;
      const hash = String(i).padStart(64, '0');
      const owner = [wallet, wallet === 'wal_1' ? 5 : 6, 'lnd_1', 'pubkey', 'ln_deposit'];
      const times = [expiresAt - madeAt, expiresAt, madeAt];
      await tx.send(sql.insertOpen, id, ...owner, hash, 'lnbc', 1000, '', null, ...times, 'preimage', null, 1_000_000);
    }
  });
  const deps: ScopeDependencies = {
    database,
    clock: { nowMs: () => NOW * 1000 },
    invoices: {
      find: async () => undefined,
      findByHash: async () => undefined,
      findMany: async (ids) => (ids.length === 0 ? [] : (await database.all(sql.findMany, ids)).map(rowToInvoice)),
    },
  };
  const scopes = [
    walletScope(deps, async () => [], WALLET, 0),
    accountScope({ ...deps, wallets: { find: async () => WALLET } as unknown as Wallets }, 'acc_1'),
  ];
  return async (limit = 50) => {
    const cuts = await Promise.all(scopes.map((scope) => cutOut(scope, OPEN, undefined, { limit, offset: 0, after: undefined })));
    return cuts.map(({ items, total, capped }) => {
      const times = items.map((line) => ('invoice' in line ? line.invoice.createdAt - NOW : Number.NaN));
      return { times, total, capped };
    });
  };
}

onBothDatabases('open invoices', (open) => {
  it('lists those of the own wallets that have not expired, newest first', async () => {
    const list = await withInvoices(await open(), [
      { madeAt: NOW - YEAR + 10, expiresAt: NOW + 10 },
      { madeAt: NOW - 300, expiresAt: NOW + 1 },
      { madeAt: NOW - 200, expiresAt: NOW },
      { madeAt: NOW - 150, expiresAt: NOW - 1 },
      { madeAt: NOW - 100, expiresAt: NOW + 60, wallet: 'wal_2' },
      { madeAt: NOW - 50, expiresAt: NOW + 60 },
    ]);
    for (const listed of await list()) expect(listed).toEqual({ times: [-50, -300, -YEAR + 10], total: 3, capped: false });
  });

  it('finds an open invoice that is older than thousands of expired ones', async () => {
    const expired = Array.from({ length: 2500 }, (_, i) => ({ madeAt: NOW - 5000 + i, expiresAt: NOW - 1000 }));
    const list = await withInvoices(await open(), [{ madeAt: NOW - 6000, expiresAt: NOW + 60 }, ...expired]);
    for (const listed of await list()) expect(listed).toEqual({ times: [-6000], total: 1, capped: false });
  });
});
