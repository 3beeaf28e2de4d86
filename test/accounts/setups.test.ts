import { expect, it } from 'vitest';
import { onBothDatabases } from '../support/ledger.ts';
import { loginsOn, typeOf } from './logins-on.ts';

onBothDatabases('recovery codes', (open) => {
  const EMAIL = 'ada@example.com';

  it('log in once each, without the password, and are stored as hashes', async () => {
    const on = loginsOn(await open());
    const account = await on.newAccount();
    await on.setUp(account, EMAIL);
    expect(await on.recoveryCodes.count(account.accountId)).toBe(undefined);
    const codes = await on.recoveryCodes.renew(account, 'a long password');
    expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
    const [first = ''] = codes;
    const logIn = (code: string, email = EMAIL) => on.logins.logInWithRecoveryCode({ email, code }, '');
    const { session } = await logIn(first);
    expect(session).toMatchObject({ account_id: account.accountId, method: 'setup_link' });
    const refused = [logIn(first), logIn('wrong'), logIn(codes[1] ?? '', 'eve@example.com')];
    expect(await Promise.all(refused.map(typeOf))).toEqual(['unauthorized', 'unauthorized', 'unauthorized']);
    expect(await on.recoveryCodes.count(account.accountId)).toBe(9);
    // Both send the same code at once: one of them logs in.
    const both = await Promise.all([typeOf(logIn(codes[2] ?? '')), typeOf(logIn(codes[2] ?? ''))]);
    expect(both.sort()).toEqual(['done', 'unauthorized']);
  });

  it('replace the earlier ones, need the owner, and end with a setup link', async () => {
    const on = loginsOn(await open());
    const account = await on.newAccount();
    await on.setUp(account, EMAIL);
    const [old = ''] = await on.recoveryCodes.renew(account, 'a long password');
    const [code = ''] = await on.recoveryCodes.renew(account, 'a long password');
    const logIn = (one: string) => typeOf(on.logins.logInWithRecoveryCode({ email: EMAIL, code: one }, ''));
    expect(await logIn(old)).toBe('unauthorized');
    expect(await typeOf(on.recoveryCodes.renew(account, 'another password'))).toBe('forbidden');
    expect(await typeOf(on.recoveryCodes.renew(account, undefined))).toBe('password_required');
    await on.setUp(account, EMAIL);
    expect(await logIn(code)).toBe('unauthorized');
    expect(await on.recoveryCodes.count(account.accountId)).toBe(undefined);
  });
});
