import { expect, it } from 'vitest';
import { createAccounts, type Key, keyGuard } from '../../src/core/accounts/accounts.ts';
import { createKeyring } from '../../src/core/accounts/keyring.ts';
import { createSessions, startSession } from '../../src/core/accounts/sessions.ts';
import { createSetupLink } from '../../src/core/accounts/setup-links.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { createFees } from '../../src/core/fees/fees.ts';
import { systemClock as clock } from '../../src/core/kernel/clock.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { createLimits } from '../../src/core/limits/limits.ts';
import { transferBetween } from '../../src/core/payments/transfer.ts';
import { createWallets } from '../../src/core/wallets/wallets.ts';
import { createLoginModules } from '../../src/features/logins/login-modules.ts';
import { createPasswords } from '../../src/features/logins/passwords.ts';
import { amount, onBothDatabases, problemsOf, testDeposit } from '../support/ledger.ts';

const secretKey = Buffer.alloc(32, 1);
const revoke = statement('test_revoke_session', 'UPDATE session SET revoked_at = 1 WHERE id = $1');
const expire = statement('test_expire_session', 'UPDATE session SET expires_at = $2 WHERE id = $1');

async function accountWithSession(database: Database) {
  const accounts = createAccounts(database, clock);
  const keys = await accounts.bootstrap(undefined, async () => {});
  const accountId = keys?.accountId ?? '';
  const sessions = createSessions(database, clock);
  const start = () => database.transaction((tx) => startSession(tx, clock, { accountId, method: 'password', userAgent: 'test' }));
  const { session, secret } = await start();
  return { accounts, accountId, sessions, start, session, secret, key: (await sessions.find(secret)) as Key };
}

onBothDatabases('a session', (open) => {
  it('A6: moves no money from its revocation or expiry on, and other postings of the batch do', async () => {
    const database = await open();
    const { accounts, accountId, sessions, start, key } = await accountWithSession(database);
    const ledger = createLedger(database, clock);
    const wallets = createWallets({ database, accounts, clock, isNodeAvailable: async () => true });
    const [one, two] = [await wallets.create(accountId, ''), await wallets.create(accountId, '')];
    await ledger.post({ transfers: [testDeposit(one.wallet.ledgerAccount, 1_000)] });
    const order = { source: one.wallet, destination: two.wallet, amountMsat: amount(100), memo: undefined, passThru: undefined };
    const send = (by: Key) =>
      transferBetween(
        { database, ledger, fees: createFees({ database, clock }), limits: createLimits({ database, clock }), clock },
        { ...order, guards: [keyGuard(by)] },
      );
    const [other, third] = [(await sessions.find((await start()).secret)) as Key, (await sessions.find((await start()).secret)) as Key];
    await send(key);
    await database.transaction((tx) => tx.run(revoke, key.id));
    await database.transaction((tx) => tx.run(expire, third.id, Math.floor(Date.now() / 1000) - 1));
    const outcomes = await Promise.allSettled([send(other), send(key), send(third), send(other)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await expect(createKeyring(database, clock).list({ accountId, walletId: undefined }).count(10)).resolves.toBe(2);
    await expect(wallets.create(accountId, '', { guards: [keyGuard(key)] })).rejects.toMatchObject({ type: 'unauthorized' });
    expect((await ledger.balance(one.wallet.ledgerAccount)).balanceMsat).toBe(700);
    // Another instance has not cached it.
    expect(await createSessions(database, clock).find('')).toBeUndefined();
    expect(await problemsOf(database)).toEqual([]);
  });

  it('is refused by another instance at once if it has not cached it, and by its own within a second', async () => {
    const database = await open();
    const { sessions, secret, session, key } = await accountWithSession(database);
    const elsewhere = createSessions(database, clock);
    expect(await elsewhere.find(secret)).toMatchObject({ id: session.id });
    await sessions.revoke(key, session.id);
    expect(await createSessions(database, clock).find(secret)).toBeUndefined();
    await expect.poll(() => elsewhere.find(secret)).toBeUndefined();
  });

  it('is one of at most 20 of its account; the oldest ends', async () => {
    const database = await open();
    const { sessions, start, accountId, session } = await accountWithSession(database);
    for (let i = 0; i < 20; i++) await start();
    const { items: listed } = await sessions.list(accountId).readPage({ limit: 50, order: 'desc' });
    expect(listed).toHaveLength(21);
    expect(listed.filter(({ status }) => status === 'active')).toHaveLength(20);
    expect(listed.at(-1)).toMatchObject({ id: session.id, status: 'revoked' });
  });

  it('has a secret that is stored only as a hash', async () => {
    const database = await open();
    const { secret } = await accountWithSession(database);
    expect(secret).toMatch(/^[0-9A-Za-z]{43}$/);
    const [row] = await database.all(statement<Record<string, never>>('test_session', 'SELECT * FROM session'));
    expect(JSON.stringify({ ...row, secret_hash: Buffer.from(row?.secret_hash ?? []).toString('latin1') })).not.toContain(secret);
  });
});

onBothDatabases('a login', (open) => {
  it('does the same work for an unknown e-mail, an account without a password and a wrong password', async () => {
    const database = await open();
    const { accountId } = await accountWithSession(database);
    const derived: object[] = [];
    const passwords = createPasswords(async (password, _salt, options) => {
      derived.push(options);
      return Buffer.alloc(32, password);
    });
    const { logins, setups } = createLoginModules({ database, clock, secretKey, publicUrl: 'https://wallets.example.com', passwords });
    const attempt = async (email: string, password: string) => {
      derived.length = 0;
      const outcome = await logins.logIn({ email, password }, '').catch((error) => error.message);
      return { outcome, derived: [...derived] };
    };
    const unknown = await attempt('ada@example.com', 'wrong');
    const { token } = await database.transaction((tx) => createSetupLink(tx, clock, accountId));
    await setups.setPassword({ token, email: 'ada@example.com', password: 'a long password' }, '');
    expect(await attempt('ada@example.com', 'wrong')).toEqual(unknown);
    expect(unknown).toMatchObject({ outcome: 'The e-mail or the password is wrong.', derived: [{ N: 32768, r: 8, p: 3 }] });
    expect((await attempt('ada@example.com', 'a long password')).outcome).toMatchObject({ session: { method: 'password' } });
  });

  it('accepts a setup link once, also when two people use it at the same time', async () => {
    const database = await open();
    const { accountId } = await accountWithSession(database);
    const passwords = createPasswords(async (password) => Buffer.alloc(32, password));
    const { setups } = createLoginModules({ database, clock, secretKey, publicUrl: 'https://wallets.example.com', passwords });
    const { token } = await database.transaction((tx) => createSetupLink(tx, clock, accountId));
    const setUp = () => setups.setPassword({ token, email: 'ada@example.com', password: 'a long password' }, '');
    const outcomes = await Promise.allSettled([setUp(), setUp()]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});
