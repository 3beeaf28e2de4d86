import { expect, it } from 'vitest';
import { createAccounts, type Key, keyGuard } from '../../src/accounts/accounts.ts';
import type { Database } from '../../src/db/database.ts';
import { statement } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { transferBetween } from '../../src/payments/transfer.ts';
import { createWallets } from '../../src/wallets/wallets.ts';
import { onBothDatabases } from '../support/databases.ts';
import { amount, problemsOf } from '../support/ledgers.ts';

const revoke = statement('test_revoke', 'UPDATE access_key SET revoked_at = 1 WHERE id = $1');

async function accountWithWallets(database: Database) {
  const clock = systemClock;
  const accounts = createAccounts(database, clock);
  const ledger = createLedger(database, clock);
  const wallets = createWallets(database, accounts, clock);
  const keys = await accounts.bootstrap(undefined, async () => {});
  const [one, two] = await Promise.all([wallets.create(keys?.accountId ?? '', ''), wallets.create(keys?.accountId ?? '', '')]);
  await ledger.post({ transfers: [{ id: newId(), from: 1, to: one.wallet.ledgerAccount, amountMsat: amount(1_000) }] });
  const key = (await accounts.find(one.accessKeys.wallet_admin)) as Key;
  const send = (by: Key) =>
    transferBetween(
      { database, ledger, clock },
      {
        source: one.wallet,
        destination: two.wallet,
        amountMsat: amount(100),
        memo: undefined,
        passThru: undefined,
        guards: [keyGuard(by)],
      },
    );
  return {
    accounts,
    ledger,
    key,
    send,
    text: one.accessKeys.wallet_admin,
    source: one.wallet,
    other: (await accounts.find(two.accessKeys.wallet_admin)) as Key,
  };
}

onBothDatabases('a revoked key', (open) => {
  it('A3: moves no money from that moment, though reads may know it for a second longer', async () => {
    const database = await open();
    const { accounts, ledger, key, send, text, source } = await accountWithWallets(database);
    await send(key);
    await database.transaction((tx) => tx.run(revoke, key.id));
    expect(await accounts.find(text)).toEqual(key);
    await expect(send(key)).rejects.toMatchObject({ type: 'unauthorized' });
    expect((await ledger.balance(source.ledgerAccount)).balanceMsat).toBe(900);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('does not disturb those who share its batch', async () => {
    const database = await open();
    const { key, other, send } = await accountWithWallets(database);
    await database.transaction((tx) => tx.run(revoke, key.id));
    const outcomes = await Promise.allSettled([send(other), send(key), send(other)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
