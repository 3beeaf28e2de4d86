import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import { totpCode } from '../../src/features/logins/totp.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { loginsOn, typeOf, typesOf } from './logins-on.ts';

const PASSWORD = 'a long password';
const EMAIL = 'ada@example.com';

onBothDatabases('the code of an authenticator app', (open) => {
  async function withApp() {
    const database = await open();
    const on = loginsOn(database);
    const account = await on.newAccount();
    const session = await on.setUp(account, EMAIL);
    const app = await on.addApp(session);
    const logIn = (code?: string, at = on) => typeOf(at.logins.logIn({ email: EMAIL, password: PASSWORD, code }, ''));
    return { ...on, ...app, account, session, logIn };
  }

  it('is accepted once, and none of an earlier step after it', async () => {
    const { logIn, codeAt, clock } = await withApp();
    clock.seconds += 90;
    const [before, present, after] = [codeAt(-1), codeAt(0), codeAt(1)];
    expect(await logIn(present)).toBe('done');
    expect([await logIn(present), await logIn(before)]).toEqual(['code_required', 'code_required']);
    // The clock of a phone may be half a minute ahead.
    expect(await logIn(after)).toBe('done');
    clock.seconds += 30;
    expect(await logIn(codeAt(0))).toBe('code_required');
    clock.seconds += 30;
    expect(await logIn(codeAt(0))).toBe('done');
  });

  it('is accepted by one of several instances at the same time', async () => {
    const { logIn, codeAt, clock, database } = await withApp();
    clock.seconds += 60;
    const instances = Array.from({ length: 4 }, () => loginsOn(database, { clock }));
    const outcomes = await Promise.all(instances.map((one) => logIn(codeAt(0), one)));
    expect(outcomes.toSorted()).toEqual(['code_required', 'code_required', 'code_required', 'done']);
  });

  it('is not accepted for a day after ten wrong ones, of which the owner gets an event; recovery codes are', async () => {
    const { logIn, codeAt, clock, database, account, recoveryCodes, secondFactors, session } = await withApp();
    const pauses = statement<{ account_id: string; data: string }>(
      'test_pauses',
      "SELECT account_id, data FROM event WHERE type = 'codes_paused'",
    );
    clock.seconds += 60;
    for (let wrong = 0; wrong < 9; wrong++) expect(await logIn('000000')).toBe('code_required');
    expect(await logIn(codeAt(0))).toBe('done');
    clock.seconds += 60;
    for (let wrong = 0; wrong < 9; wrong++) expect(await logIn('000000')).toBe('code_required');
    expect(await typeOf(secondFactors.remove(session, { password: PASSWORD, code: '000000' }))).toBe('code_required');
    const until = clock.seconds + 86_400;
    expect(await database.all(pauses)).toEqual([{ account_id: account.accountId, data: `{"codes":{"paused_until":${until}}}` }]);
    for (const code of [codeAt(0), codeAt(0), '000000']) expect(await logIn(code)).toBe('code_required');
    clock.seconds += 86_399;
    expect(await logIn(codeAt(0))).toBe('code_required');
    clock.seconds += 1;
    expect(await logIn(codeAt(0))).toBe('done');
    for (let wrong = 0; wrong < 10; wrong++) await logIn('000000');
    clock.seconds += 60;
    expect(await logIn(codeAt(0))).toBe('code_required');
    // A recovery code ends the pause.
    expect([await logIn(recoveryCodes[0]), await logIn(codeAt(0))]).toEqual(['done', 'done']);
    expect(await database.all(pauses)).toHaveLength(2);
  });

  it('is refused two steps away, with other characters, and with that of another account', async () => {
    const { logIn, codeAt, clock, newAccount, setUp, addApp } = await withApp();
    const other = await addApp(await setUp(await newAccount(), 'bob@example.com'));
    clock.seconds += 300;
    const wrong = [codeAt(2), codeAt(-2), '', ' ', `${codeAt(0)} `, codeAt(0).slice(1), other.codeAt(0), 'x'.repeat(12)];
    for (const code of wrong) expect(await logIn(code), code).toBe('code_required');
    expect(await logIn(codeAt(0))).toBe('done');
  });

  it('counts only from its confirmation on, and a seed that was not confirmed is replaced', async () => {
    const on = loginsOn(await open());
    const session = await on.setUp(await on.newAccount(), EMAIL);
    const { seed: first } = await on.secondFactors.begin(session, PASSWORD);
    expect(await typeOf(on.logins.logIn({ email: EMAIL, password: PASSWORD }, ''))).toBe('done');
    const { seed: second } = await on.secondFactors.begin(session, PASSWORD);
    expect(Buffer.from(first).equals(Buffer.from(second))).toBe(false);
    expect(await typeOf(on.secondFactors.confirm(session, '000000'))).toBe('validation_failed');
    expect(await on.recoveryCodes.count(session.accountId)).toBeUndefined();
    const { codeAt } = await on.addApp(session);
    expect(await typeOf(on.secondFactors.begin(session, PASSWORD))).toBe('validation_failed');
    expect(await typeOf(on.secondFactors.confirm(session, codeAt(1)))).toBe('validation_failed');
    expect(await typeOf(on.logins.logIn({ email: EMAIL, password: PASSWORD }, ''))).toBe('code_required');
  });

  it('is confirmed once by two requests at the same time, so that the shown recovery codes are those that count', async () => {
    const on = loginsOn(await open());
    const session = await on.setUp(await on.newAccount(), EMAIL);
    const { seed } = await on.secondFactors.begin(session, PASSWORD);
    const step = Math.floor(on.clock.seconds / 30);
    const confirm = (steps: number) => on.secondFactors.confirm(session, totpCode(seed, step + steps));
    const outcomes = await Promise.allSettled([confirm(0), confirm(1)]);
    expect(typesOf(outcomes).toSorted()).toEqual(['done', 'validation_failed']);
    const shown = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    expect(await typeOf(on.logins.logIn({ email: EMAIL, password: PASSWORD, code: shown[0] }, ''))).toBe('done');
  });

  it('is not confirmed by a session that has ended', async () => {
    const on = loginsOn(await open());
    const session = await on.setUp(await on.newAccount(), EMAIL);
    await on.secondFactors.begin(session, PASSWORD);
    await on.sessions.revoke(session, session.id);
    expect(await typeOf(on.secondFactors.confirm(session, '000000'))).toBe('unauthorized');
  });
});

onBothDatabases('a recovery code', (open) => {
  async function withCodes() {
    const on = loginsOn(await open());
    const session = await on.setUp(await on.newAccount(), EMAIL);
    const app = await on.addApp(session);
    const logIn = (code: string) => typeOf(on.logins.logIn({ email: EMAIL, password: PASSWORD, code }, ''));
    const left = () => on.recoveryCodes.count(session.accountId);
    return { ...on, ...app, session, logIn, left };
  }

  it('is accepted once, exactly as it was shown', async () => {
    const { logIn, recoveryCodes, left } = await withCodes();
    const [first = '', second = ''] = recoveryCodes;
    expect(recoveryCodes.every((code) => /^[0-9A-Za-z]{12}$/.test(code))).toBe(true);
    const swapped = first.replace(/[a-zA-Z]/g, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
    for (const wrong of [swapped, ` ${first}`, first.slice(1)]) expect(await logIn(wrong)).toBe('code_required');
    expect([await left(), await logIn(first), await left(), await logIn(first), await left()]).toEqual([10, 'done', 9, 'code_required', 9]);
    const both = await Promise.all([logIn(second), logIn(second)]);
    expect(both.toSorted()).toEqual(['code_required', 'done']);
    expect(await left()).toBe(8);
  });

  it('is not used up by a login with a wrong password, nor by one whose session could not start', async () => {
    const { logins, recoveryCodes, left, database } = await withCodes();
    const code = recoveryCodes[0];
    expect(await typeOf(logins.logIn({ email: EMAIL, password: 'wrong', code }, ''))).toBe('unauthorized');
    const failing = loginsOn({
      ...database,
      transaction: (work) =>
        database.transaction((tx) =>
          work({
            ...tx,
            run: async (statement, ...parameters) => {
              if (statement.name === 'session_insert') throw new Error('the disk is full');
              return tx.run(statement, ...parameters);
            },
          }),
        ),
    });
    await expect(failing.logins.logIn({ email: EMAIL, password: PASSWORD, code }, '')).rejects.toThrow('the disk is full');
    expect(await left()).toBe(10);
  });

  it('stops working when the codes are renewed, which needs password and code', async () => {
    const { secondFactors, logIn, recoveryCodes, session, codeAt, clock } = await withCodes();
    const renew = (proof: { password: string; code: string }) => secondFactors.renewRecoveryCodes(session, proof);
    expect(await typeOf(renew({ password: 'wrong', code: recoveryCodes[0] ?? '' }))).toBe('forbidden');
    expect(await typeOf(renew({ password: PASSWORD, code: 'wrong' }))).toBe('code_required');
    clock.seconds += 60;
    const next = await renew({ password: PASSWORD, code: codeAt(0) });
    expect([await logIn(recoveryCodes[0] ?? ''), await logIn(next[0] ?? '')]).toEqual(['code_required', 'done']);
  });

  it('is the only code that works after the SECRET_KEY was lost', async () => {
    const { database, recoveryCodes, codeAt, clock, session } = await withCodes();
    clock.seconds += 60;
    const other = loginsOn(database, { clock, secretKey: Buffer.alloc(32, 9) });
    const logIn = (code: string) => other.logins.logIn({ email: EMAIL, password: PASSWORD, code }, '');
    await expect(logIn(codeAt(0))).rejects.toMatchObject({ type: 'code_required', message: expect.stringContaining('recovery code') });
    expect(await typeOf(logIn(recoveryCodes[0] ?? ''))).toBe('done');
    const removal = other.secondFactors.remove(session, { password: PASSWORD, code: recoveryCodes[1] ?? '' });
    expect(await typeOf(removal)).toBe('done');
    expect(await typeOf(other.addApp(session))).toBe('done');
  });

  it('is removed with the app, and one of a removed app does not come back with the next', async () => {
    const { secondFactors, addApp, recoveryCodes, session, logIn, left, clock } = await withCodes();
    await secondFactors.remove(session, { password: PASSWORD, code: recoveryCodes[0] ?? '' });
    expect(await left()).toBeUndefined();
    clock.seconds += 60;
    await addApp(session);
    expect(await logIn(recoveryCodes[1] ?? '')).toBe('code_required');
  });
});
