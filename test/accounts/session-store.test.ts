import { expect, it } from 'vitest';
import type { Key } from '../../src/core/accounts/accounts.ts';
import { createSessions, IDLE_SECONDS, revokeOtherSessions, SESSION_SECONDS, startSession } from '../../src/core/accounts/sessions.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { loginsOn, typeOf } from './logins-on.ts';

const setTimes = statement(
  'test_session_times',
  'UPDATE session SET last_used_at = $2, expires_at = $3, latest_expires_at = $4 WHERE id = $1',
);
const end = statement('test_end_session', 'UPDATE session SET latest_expires_at = $2, expires_at = $2 WHERE id = $1');

async function withAccount(database: Database) {
  const on = loginsOn(database);
  const { accountId } = await on.newAccount();
  const start = (of = accountId, userAgent = '') =>
    database.transaction((tx) => startSession(tx, on.clock, { accountId: of, method: 'passkey', userAgent }));
  const list = async () => (await on.sessions.list(accountId).readPage({ limit: 100, order: 'desc' })).items;
  return { ...on, accountId, start, list };
}

onBothDatabases('a stored session', (open) => {
  it('is found by its secret only', async () => {
    const { sessions, start, accountId } = await withAccount(await open());
    const { session, secret } = await start();
    expect(await sessions.find(secret)).toMatchObject({ id: session.id, accountId, lineageId: accountId, walletId: undefined });
    for (const wrong of ['', secret.slice(1), `${secret}x`, secret.toLowerCase().toUpperCase(), session.id])
      expect(await sessions.find(wrong), wrong).toBeUndefined();
  });

  it('lasts a day after each use that is a minute after the last, and never more than two weeks', async () => {
    const { database, sessions, start, clock, accountId } = await withAccount(await open());
    const { session, secret } = await start();
    const createdAt = clock.seconds;
    expect([session.expires_at, session.last_used_at]).toEqual([createdAt + IDLE_SECONDS, createdAt]);
    const read = async () => {
      // Each instance has a cache; a new one reads the database.
      expect(await createSessions(database, clock).find(secret)).toMatchObject({ id: session.id });
      return sessions.findById(accountId, session.id);
    };
    clock.seconds += 59;
    expect(await read()).toEqual(session);
    clock.seconds += 1;
    expect(await read()).toMatchObject({ last_used_at: createdAt + 60, expires_at: createdAt + 60 + IDLE_SECONDS });
    clock.seconds = createdAt + SESSION_SECONDS - 100;
    expect(await read()).toMatchObject({ expires_at: createdAt + SESSION_SECONDS, status: 'active' });
    clock.seconds += 100;
    expect(await sessions.findById(accountId, session.id)).toMatchObject({ status: 'expired' });
  });

  it('is accepted while its last use cannot be stored', async () => {
    const { database, start, clock, sessions, accountId } = await withAccount(await open());
    const { session, secret } = await start();
    clock.seconds += 120;
    const failing = createSessions({ ...database, transaction: () => Promise.reject(new Error('the disk is full')) }, clock);
    expect(await failing.find(secret)).toMatchObject({ id: session.id });
    expect(await sessions.findById(accountId, session.id)).toEqual(session);
  });

  it('is not prolonged once it was revoked', async () => {
    const { sessions, start, clock, accountId, database } = await withAccount(await open());
    const { session, secret } = await start();
    const key = (await sessions.find(secret)) as Key;
    await sessions.revoke(key, session.id);
    clock.seconds += 120;
    expect(await createSessions(database, clock).find(secret)).toBeUndefined();
    expect(await sessions.findById(accountId, session.id)).toMatchObject({ status: 'revoked', last_used_at: session.last_used_at });
  });

  it('names the browser in at most 200 characters, without half of a character pair', async () => {
    const { start } = await withAccount(await open());
    const { session } = await start(undefined, `${'x'.repeat(199)}😀 and more`);
    expect(session.user_agent).toBe(`${'x'.repeat(199)}\ufffd`);
    expect((await start(undefined, 'a\ud800b')).session.user_agent).toBe('a\ufffdb');
  });

  it('is revoked by a valid key or session of its account only', async () => {
    const { sessions, start, newAccount, list } = await withAccount(await open());
    const [one, two] = [await start(), await start()];
    const stranger = await newAccount();
    expect(await typeOf(sessions.revoke(stranger, one.session.id))).toBe('not_found');
    const by = (await sessions.find(two.secret)) as Key;
    expect((await sessions.revoke(by, one.session.id)).status).toBe('revoked');
    expect((await sessions.revoke(by, one.session.id)).status).toBe('revoked');
    expect((await sessions.revoke(by, two.session.id)).status).toBe('revoked');
    // It has just ended itself.
    expect(await typeOf(sessions.revoke(by, one.session.id))).toBe('unauthorized');
    expect((await list()).map(({ status }) => status)).toEqual(['revoked', 'revoked']);
  });

  it('ends with the others of its account, except the one that is kept', async () => {
    const { database, clock, start, list, newAccount, sessions } = await withAccount(await open());
    const other = await newAccount();
    const [first, kept, stranger] = [await start(), await start(), await start(other.accountId)];
    await database.transaction((tx) => revokeOtherSessions(tx, clock, kept.session.account_id, kept.session.id));
    expect((await list()).map(({ id, status }) => [id, status])).toEqual([
      [kept.session.id, 'active'],
      [first.session.id, 'revoked'],
    ]);
    expect(await sessions.findById(other.accountId, stranger.session.id)).toMatchObject({ status: 'active' });
    expect(await sessions.findById(other.accountId, kept.session.id)).toBeUndefined();
  });

  it('is one of twenty of its account also if several start at the same time', async () => {
    const { start, list } = await withAccount(await open());
    for (let i = 0; i < 18; i++) await start();
    await Promise.all(Array.from({ length: 6 }, () => start()));
    const statuses = (await list()).map(({ status }) => status);
    expect(statuses).toHaveLength(24);
    expect(statuses.filter((status) => status === 'active').length).toBeGreaterThanOrEqual(20);
    await start();
    expect((await list()).filter(({ status }) => status === 'active')).toHaveLength(20);
  });

  it('is deleted by a login a month after its end', async () => {
    const { database, clock, start, list, newAccount } = await withAccount(await open());
    const other = await newAccount();
    const [old, recent] = [(await start()).session.id, (await start()).session.id];
    const stranger = (await start(other.accountId)).session.id;
    const month = 30 * 86_400;
    await database.transaction(async (tx) => {
      for (const [id, seconds] of [[old, month + 1] as const, [recent, month] as const, [stranger, month + 1] as const])
        await tx.run(end, id, clock.seconds - seconds);
    });
    await start();
    expect((await list()).map(({ id }) => id)).not.toContain(old);
    expect((await list()).map(({ id }) => id)).toContain(recent);
    expect(await database.first(statement('test_stranger', 'SELECT id FROM session WHERE id = $1'), stranger)).toBeDefined();
  });

  it('is not found after its end by the clock of the database, which all instances share', async () => {
    const { database, clock, start, sessions } = await withAccount(await open());
    const { session, secret } = await start();
    const past = Math.floor(Date.now() / 1000) - 1;
    await database.transaction((tx) => tx.run(setTimes, session.id, past, past, past + IDLE_SECONDS));
    expect(await createSessions(database, clock).find(secret)).toBeUndefined();
    expect(await sessions.find(secret)).toBeUndefined();
  });
});
