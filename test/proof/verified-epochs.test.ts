import { expect, it } from 'vitest';
import type { Database, SqlValue } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { takeEpoch } from '../../src/features/proof/take-epoch.ts';
import { readProof } from '../../src/features/proof/wallet-proof.ts';
import { onBothDatabases, problemsOf, silentLog } from '../support/ledger.ts';
import { dropWallet, manyWallets, move, type TestedWallet } from './many-wallets.ts';

const forever = new AbortController().signal;
const HOUR_MS = 3_600_000;

onBothDatabases('satchel verify and the proof of liabilities', (open) => {
  it('finds no problem in an epoch, also when money has moved since', async () => {
    const { database, ledger, take, wallets } = await started(open);
    expect(await problemsOf(database)).toEqual([]);
    await take();
    await take();
    const [a, b] = wallets as [TestedWallet, TestedWallet];
    await move(ledger, a.ledgerAccount, b.ledgerAccount, 100);
    await move(ledger, b.ledgerAccount, a.ledgerAccount, 30);
    expect(await problemsOf(database)).toEqual([]);
  });

  for (const [what, sql, problem] of [
    [
      'a leaf that owes less',
      `UPDATE proof_leaf SET balance_msat = balance_msat - 1 WHERE wallet_id = $1`,
      'another balance than the entry',
    ],
    ['a leaf that was dropped', `DELETE FROM proof_leaf WHERE wallet_id = $1`, 'has no leaf'],
    [
      'a leaf of another chain',
      `UPDATE proof_leaf SET head = tree_hash FROM proof_epoch WHERE wallet_id = $1`,
      'an entry that its chain does not have',
    ],
    [
      'a root that was exchanged',
      `UPDATE proof_epoch SET root = tree_hash WHERE epoch = 1 AND $1 <> ''`,
      'does not follow from the epoch before',
    ],
    [
      'a total that was exchanged',
      `UPDATE proof_epoch SET total_msat = total_msat - 1 WHERE epoch = 2 AND $1 <> ''`,
      'its root does not match',
    ],
  ] as const) {
    it(`V5: finds ${what}`, async () => {
      const { database, take, wallets } = await started(open);
      await take();
      await take();
      await change(database, what, sql, wallets[0]?.id ?? '');
      expect((await problemsOf(database)).join('\n')).toContain(problem);
    });
  }

  it('finds a wallet that was left out, although the published tree is consistent without it', async () => {
    const { database, take, wallets } = await started(open);
    await dropWallet(database, wallets[3] as TestedWallet);
    // The dropped wallet is empty; otherwise the sum would show that it is missing.
    await take();
    await change(database, 'bring_back', BRING_BACK, wallets[3]?.id ?? '', wallets[3]?.ledgerAccount ?? 0);
    expect((await problemsOf(database)).filter((problem) => problem.includes('epoch 1'))).toEqual([
      `proof of liabilities, epoch 1: ${wallets[3]?.id} has no leaf`,
    ]);
  });

  it('finds leaves that are older than their epoch', async () => {
    const { database, ledger, wallets } = await started(open);
    await takeEpoch({ database, clock: { nowMs: () => systemClock.nowMs() + HOUR_MS }, log: silentLog }, forever);
    const [a, b] = wallets as [TestedWallet, TestedWallet];
    await move(ledger, a.ledgerAccount, b.ledgerAccount, 100);
    expect((await problemsOf(database)).join('\n')).toContain('was made before it and is in no leaf');
  });

  it('finds leaves of two moments: a transfer is in the leaf of only one of its wallets', async () => {
    const { database, ledger, take, wallets } = await started(open);
    const [a, b] = wallets as [TestedWallet, TestedWallet];
    await take();
    const before = await readProof(database, b);
    await move(ledger, a.ledgerAccount, b.ledgerAccount, 100);
    await take();
    // The operator owes 100 less, in every leaf of that wallet.
    await change(
      database,
      'older_leaf',
      'UPDATE proof_leaf SET balance_msat = $2, head = $3 WHERE wallet_id = $1',
      b.id,
      before.balance_msat,
      Buffer.from(before.head, 'hex'),
    );
    const problems = await problemsOf(database);
    expect(problems.filter((problem) => problem.includes('only one of its two wallets'))).toHaveLength(1);
  });
});

const BRING_BACK = `INSERT INTO wallet (id, account_id, ledger_account, node_id, user_label, status, created_at, updated_at)
  SELECT $1, max(account.id), $2, max(lightning_node.id), '', 'active', 1700000000, 1700000000 FROM account, lightning_node`;

async function started(open: () => Promise<Database>) {
  const database = await open();
  const ledger = createLedger(database, systemClock);
  const take = () => takeEpoch({ database, clock: systemClock, log: silentLog }, forever);
  return { database, ledger, take, wallets: await manyWallets(database, ledger, [1000, 2000, 300, 0, 50]) };
}

/** Changes that a person with access to the database might make. */
async function change(database: Database, name: string, sql: string, ...parameters: SqlValue[]): Promise<void> {
  expect(await database.transaction((tx) => tx.run(statement(`test_${name}`, sql), ...parameters))).toBeGreaterThan(0);
}
