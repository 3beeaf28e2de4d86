import { expect, it } from 'vitest';
import { createAccounts, type Key, keyGuard } from '../../src/core/accounts/accounts.ts';
import { createKeyring } from '../../src/core/accounts/keyring.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { createFees } from '../../src/core/fees/fees.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { createLimits } from '../../src/core/limits/limits.ts';
import { transferBetween } from '../../src/core/payments/transfer.ts';
import { createWallets } from '../../src/core/wallets/wallets.ts';
import { amount, onBothDatabases, problemsOf, testDeposit } from '../support/ledger.ts';

const expire = statement('test_expire', 'UPDATE access_key SET expires_at = $2 WHERE id = $1');
const deactivate = statement('test_deactivate', `UPDATE wallet SET status = 'inactive' WHERE id = $1`);
const revoke = statement('test_revoke', 'UPDATE access_key SET revoked_at = 1 WHERE id = $1');

async function accountWithWallets(database: Database) {
  const clock = systemClock;
  const accounts = createAccounts(database, clock);
  const ledger = createLedger(database, clock);
  const wallets = createWallets({ database, accounts, clock, isNodeAvailable: async () => true });
  const keys = await accounts.bootstrap(undefined, async () => {});
  const [one, two] = await Promise.all([wallets.create(keys?.accountId ?? '', ''), wallets.create(keys?.accountId ?? '', '')]);
  await ledger.post({ transfers: [testDeposit(one.wallet.ledgerAccount, 1_000)] });
  const key = (await accounts.find(one.accessKeys.wallet_admin)) as Key;
  const send = (by: Key) =>
    transferBetween(
      { database, ledger, fees: createFees({ database, clock }), limits: createLimits({ database, clock }), clock },
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
    /** The account's secret API key. */
    owner: (await accounts.find(keys?.secretKey ?? '')) as Key,
    secrets: [keys?.secretKey ?? '', one.accessKeys.wallet_admin, two.accessKeys.wallet_read],
    source: one.wallet,
    other: (await accounts.find(two.accessKeys.wallet_admin)) as Key,
  };
}

onBothDatabases('a revoked key', (open) => {
  it('A3: moves no money from that moment, although a cached read may accept it for one more second', async () => {
    const database = await open();
    const { accounts, ledger, key, send, text, source } = await accountWithWallets(database);
    await send(key);
    await database.transaction((tx) => tx.run(revoke, key.id));
    expect([key, undefined]).toContainEqual(await accounts.find(text));
    await expect(send(key)).rejects.toMatchObject({ type: 'unauthorized' });
    expect((await ledger.balance(source.ledgerAccount)).balanceMsat).toBe(900);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('does not affect other postings of its batch', async () => {
    const database = await open();
    const { key, other, send } = await accountWithWallets(database);
    await database.transaction((tx) => tx.run(revoke, key.id));
    const outcomes = await Promise.allSettled([send(other), send(key), send(other)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

onBothDatabases('an expired key', (open) => {
  it('A3: moves no money from its expiry on, although a cached read may accept it for one more second', async () => {
    const database = await open();
    const { accounts, key, other, send, text } = await accountWithWallets(database);
    const expiresAt = (seconds: number) => database.transaction((tx) => tx.run(expire, key.id, Math.floor(Date.now() / 1000) + seconds));
    await expiresAt(3600);
    await send(key);
    await expiresAt(-1);
    expect([key, undefined]).toContainEqual(await accounts.find(text));
    const outcomes = await Promise.allSettled([send(other), send(key)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(send(key)).rejects.toMatchObject({ type: 'unauthorized' });
    // An instance that has not cached it finds it revoked.
    expect(await createAccounts(database, systemClock).find(text)).toBeUndefined();
  });
});

onBothDatabases('a rotated key', (open) => {
  it('stays valid for the overlap and then moves no money, unlike its replacement', async () => {
    const database = await open();
    const { accounts, key, send, owner } = await accountWithWallets(database);
    const keyring = createKeyring(database, systemClock);
    const made = await keyring.rotate(owner, { accountId: key.accountId, walletId: key.walletId }, key.id, 600);
    const replacement = (await accounts.find(made.key)) as Key;
    expect(replacement).toMatchObject({ kind: key.kind, walletId: key.walletId, lineageId: key.id });
    await send(key);
    await send(replacement);
    await database.transaction((tx) => tx.run(expire, key.id, 1));
    await expect(send(key)).rejects.toMatchObject({ type: 'unauthorized' });
    await send(replacement);
    expect([await accounts.isLineageValid(key), await accounts.isLineageValid(replacement)]).toEqual([true, true]);
    await keyring.revoke(owner, { accountId: key.accountId, walletId: key.walletId }, replacement.id);
    await expect(send(replacement)).rejects.toMatchObject({ type: 'unauthorized' });
    expect(await accounts.isLineageValid(key)).toBe(false);
  });
});

onBothDatabases('an inactive wallet', (open) => {
  it('sends no money from that moment, although a cached read may show it as active for one more second', async () => {
    const database = await open();
    const { key, other, send, source } = await accountWithWallets(database);
    await send(key);
    await database.transaction((tx) => tx.run(deactivate, source.id));
    for (const by of [key, other]) await expect(send(by)).rejects.toMatchObject({ type: 'wallet_inactive' });
    expect(await problemsOf(database)).toEqual([]);
  });
});

onBothDatabases('A4: the database', (open) => {
  it('contains no key in clear text, and no hash of a part of a key', async () => {
    const database = await open();
    const { owner, source, secrets } = await accountWithWallets(database);
    const keyring = createKeyring(database, systemClock);
    const limits = undefined;
    const order = { kind: 'wallet_admin', label: 'a', expiresAt: undefined, limits } as const;
    secrets.push((await keyring.create(owner, { accountId: source.accountId, walletId: source.id }, order)).key);
    const everything = statement<Record<string, string>>('test_everything', 'SELECT * FROM access_key');
    const rows = await database.all(everything);
    expect(rows).toHaveLength(2 + 2 * 5 + 1);
    const dump = JSON.stringify(rows.map((row) => ({ ...row, secret_hash: Buffer.from(row.secret_hash as never).toString('latin1') })));
    for (const secret of secrets) {
      expect(dump).not.toContain(secret.split('_')[1]);
      expect(dump).toContain(JSON.stringify(secret.slice(-4)));
    }
  });
});
