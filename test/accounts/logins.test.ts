import { expect, it } from 'vitest';
import type { Key } from '../../src/core/accounts/accounts.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { loginsOn, typeOf, typesOf } from './logins-on.ts';

const PASSWORD = 'a long password';

type Row = Record<string, string | number | null>;
const activeSessions: Statement<Row> = statement(
  'test_active_sessions',
  'SELECT id, method FROM session WHERE revoked_at IS NULL ORDER BY id',
);
const passwordsOf: Statement<Row> = statement('test_passwords', 'SELECT email, password_hash FROM account ORDER BY id');
const setPasswords = statement('test_set_passwords', 'UPDATE account SET password_hash = $1');

onBothDatabases('a login with e-mail and password', (open) => {
  it('starts a session that acts for its account, and records the browser', async () => {
    const on = loginsOn(await open());
    const account = await on.newAccount();
    await on.setUp(account, 'ada@example.com');
    const { session, secret } = await on.logins.logIn({ email: 'ada@example.com', password: PASSWORD }, 'Mozilla/5.0');
    expect(session).toMatchObject({ account_id: account.accountId, method: 'password', user_agent: 'Mozilla/5.0', status: 'active' });
    expect(await on.sessions.find(secret)).toMatchObject({ kind: 'secret_api', accountId: account.accountId, isSession: true });
  });

  it('is refused for an e-mail without an account, an account without a password and a wrong password alike', async () => {
    const on = loginsOn(await open());
    const [account, other] = [await on.newAccount(), await on.newAccount()];
    await on.setUp(account, 'ada@example.com');
    const change = { by: account, changes: { email: 'bob@example.com' }, reason: '' };
    await on.directory.change(other.accountId, change);
    const attempts = [
      on.logins.logIn({ email: 'ada@example.com', password: 'another password' }, ''),
      on.logins.logIn({ email: 'bob@example.com', password: PASSWORD }, ''),
      on.logins.logIn({ email: 'eve@example.com', password: PASSWORD }, ''),
    ];
    for (const outcome of await Promise.allSettled(attempts))
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { type: 'unauthorized', message: 'The e-mail or the password is wrong.' },
      });
  });

  it('replaces an imported hash of bcrypt by one of its own', async () => {
    const database = await open();
    const on = loginsOn(database);
    await on.setUp(await on.newAccount(), 'ada@example.com');
    const password = 'correct horse battery staple';
    await database.transaction((tx) => tx.run(setPasswords, '$2y$10$YiUBKriJtUNQTu7RgIPGpe6uSwO93EMS/eKWL0aqrzvw.LaodSvni'));
    expect(await typeOf(on.logins.logIn({ email: 'ada@example.com', password: 'wrong' }, ''))).toBe('unauthorized');
    expect((await database.first(passwordsOf))?.password_hash).toMatch(/^\$2y/);
    // Both have read the imported hash. One of them may lose, but the account never keeps it.
    const login = () => typeOf(on.logins.logIn({ email: 'ada@example.com', password }, ''));
    expect(await Promise.all([login(), login()])).toContain('done');
    expect((await database.first(passwordsOf))?.password_hash).toMatch(/^scrypt/);
    expect(await login()).toBe('done');
  });

  it('is refused if the password is changed between its check and the start of the session', async () => {
    const database = await open();
    const on = loginsOn(database);
    const session = await on.setUp(await on.newAccount(), 'ada@example.com');
    // Both instances have read the old hash before one of them changes it.
    const [one, two] = [loginsOn(database), loginsOn(database)];
    const outcomes = await Promise.allSettled([
      one.logins.changePassword(session, { current: PASSWORD, next: 'the next password' }),
      two.logins.changePassword(session, { current: PASSWORD, next: 'the other password' }),
    ]);
    expect(typesOf(outcomes).toSorted()).toEqual(['done', 'forbidden']);
    const changed = typesOf(outcomes)[0] === 'done' ? 'the next password' : 'the other password';
    expect(await typeOf(on.logins.logIn({ email: 'ada@example.com', password: changed }, ''))).toBe('done');
    expect(await typeOf(on.logins.logIn({ email: 'ada@example.com', password: PASSWORD }, ''))).toBe('unauthorized');
  });

  it('leaves no session with the old password when the password changes at the same time', async () => {
    const database = await open();
    const on = loginsOn(database);
    const session = await on.setUp(await on.newAccount(), 'ada@example.com');
    const instances = Array.from({ length: 4 }, () => loginsOn(database));
    const logIns = instances.map(({ logins }) => logins.logIn({ email: 'ada@example.com', password: PASSWORD }, ''));
    const changing = on.logins.changePassword(session, { current: PASSWORD, next: 'the next password' });
    await Promise.allSettled([...logIns, changing]);
    await changing;
    // A login before the change was ended by it; one after it was refused.
    expect(await database.all(activeSessions)).toEqual([{ id: session.id, method: 'setup_link' }]);
  });
});

onBothDatabases('a change of the password', (open) => {
  it('needs the present password, a valid session and no other one', async () => {
    const on = loginsOn(await open());
    const account = await on.newAccount();
    const session = await on.setUp(account, 'ada@example.com');
    const change = (by: Key, current: string) => typeOf(on.logins.changePassword(by, { current, next: 'the next password' }));
    expect(await change(session, 'wrong password')).toBe('forbidden');
    expect(await change(await on.newAccount(), PASSWORD)).toBe('forbidden');
    await on.sessions.revoke(session, session.id);
    expect(await change(session, PASSWORD)).toBe('unauthorized');
    // The secret API key of the account may change it, and keeps no session.
    expect(await change(account, PASSWORD)).toBe('done');
    expect(await on.database.all(activeSessions)).toEqual([]);
  });
});

onBothDatabases('a setup link', (open) => {
  it('is used once, also at two instances at the same time', async () => {
    const database = await open();
    const on = loginsOn(database);
    const { accountId } = await on.newAccount();
    const token = await on.newLink(accountId);
    const setUp = (email: string) => loginsOn(database).setups.setPassword({ token, email, password: PASSWORD }, '');
    const outcomes = await Promise.allSettled([setUp('one@example.com'), setUp('two@example.com'), setUp('three@example.com')]);
    expect(typesOf(outcomes).toSorted()).toEqual(['done', 'unauthorized', 'unauthorized']);
    expect(await database.all(activeSessions)).toHaveLength(1);
  });

  it('is replaced by a newer link, expires after seven days, and is unknown with another token', async () => {
    const on = loginsOn(await open());
    const { accountId } = await on.newAccount();
    const old = await on.newLink(accountId);
    const token = await on.newLink(accountId);
    const setUp = (with_: string) => typeOf(on.setups.setPassword({ token: with_, email: 'ada@example.com', password: PASSWORD }, ''));
    expect([await setUp(old), await setUp(''), await setUp('x'.repeat(43))]).toEqual(Array(3).fill('unauthorized'));
    on.clock.seconds += 7 * 86_400;
    expect(await setUp(token)).toBe('unauthorized');
    on.clock.seconds -= 1;
    expect(await setUp(token)).toBe('done');
  });

  it('remains usable after a missing e-mail, and is used up by the e-mail of another account without naming the reason', async () => {
    const on = loginsOn(await open());
    const [account, other] = [await on.newAccount(), await on.newAccount()];
    await on.setUp(account, 'ada@example.com');
    const token = await on.newLink(other.accountId);
    const setUp = (email: string | undefined) => typeOf(on.setups.setPassword({ token, email, password: PASSWORD }, ''));
    expect(await setUp(undefined)).toBe('validation_failed');
    const used = await on.setups.setPassword({ token, email: 'ada@example.com', password: PASSWORD }, '').catch((error) => error);
    expect((await on.database.all(passwordsOf)).map(({ email }) => email)).toEqual(['ada@example.com', null]);
    const unknown = await on.setups.setPassword({ token, email: 'bob@example.com', password: PASSWORD }, '').catch((error) => error);
    expect([used.type, used.message]).toEqual(['unauthorized', unknown.message]);
    const next = await on.newLink(other.accountId);
    expect(await typeOf(on.setups.setPassword({ token: next, email: 'bob@example.com', password: PASSWORD }, ''))).toBe('done');
  });

  it('gives one e-mail to one of two accounts that set it at the same time', async () => {
    const database = await open();
    const on = loginsOn(database);
    const tokens = [await on.newLink((await on.newAccount()).accountId), await on.newLink((await on.newAccount()).accountId)];
    const setUps = tokens.map((token) =>
      loginsOn(database).setups.setPassword({ token, email: 'ada@example.com', password: PASSWORD }, ''),
    );
    expect(typesOf(await Promise.allSettled(setUps)).toSorted()).toEqual(['done', 'unauthorized']);
    expect(await database.all(activeSessions)).toHaveLength(1);
  });

  it('keeps the e-mail of the account if none is sent, and removes the other ways to log in', async () => {
    const on = loginsOn(await open());
    const account = await on.newAccount();
    const session = await on.setUp(account, 'ada@example.com');
    await on.addApp(session);
    expect(await on.recoveryCodes.count(account.accountId)).toBe(10);
    const token = await on.newLink(account.accountId);
    const { session: next } = await on.setups.setPassword({ token, email: undefined, password: 'the next password' }, '');
    expect(await on.recoveryCodes.count(account.accountId)).toBeUndefined();
    expect(await on.database.all(activeSessions)).toEqual([{ id: next.id, method: 'setup_link' }]);
    expect(await typeOf(on.logins.logIn({ email: 'ada@example.com', password: 'the next password' }, ''))).toBe('done');
    expect(await typeOf(on.logins.logIn({ email: 'ada@example.com', password: PASSWORD }, ''))).toBe('unauthorized');
  });
});

onBothDatabases('ten minutes after a login', (open) => {
  it('the password is needed to add a way to log in, and an API key always needs it', async () => {
    const on = loginsOn(await open());
    const account = await on.newAccount();
    const session = await on.setUp(account, 'ada@example.com');
    const begin = (by: Key, password?: string) => typeOf(on.walletLogins.beginLink(by, { password, name: 'phone' }));
    expect(await begin(session)).toBe('done');
    expect(await begin(account)).toBe('password_required');
    on.clock.seconds += 599;
    expect(await begin(session)).toBe('done');
    on.clock.seconds += 1;
    expect([await begin(session), await begin(session, PASSWORD), await begin(account, PASSWORD)]).toEqual([
      'password_required',
      'done',
      'done',
    ]);
    expect([await begin(session, 'wrong'), await begin(account, '')]).toEqual(['forbidden', 'forbidden']);
  });
});
