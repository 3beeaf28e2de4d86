import { expect, it } from 'vitest';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { createSetupLink, createStartLink } from '../../src/core/accounts/setup-links.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import type { Clock } from '../../src/core/kernel/clock.ts';
import { createLoginModules } from '../../src/features/logins/login-modules.ts';
import { createPasswords } from '../../src/features/logins/passwords.ts';
import { onBothDatabases } from '../support/ledger.ts';

const secretKey = Buffer.alloc(32, 7);
const readLinks = statement<Record<string, never>>('test_setup_links', 'SELECT * FROM setup_link');

async function operatorOf(database: Database) {
  let nowMs = 1_800_000_000_000;
  const clock: Clock = { nowMs: () => nowMs };
  const accounts = createAccounts(database, clock);
  const keys = await accounts.bootstrap(undefined, async () => {});
  const member = await accounts.bootstrap(newKeyText('secret_api'), async () => {});
  const passwords = createPasswords(async (password) => Buffer.alloc(32, password));
  const { setups } = createLoginModules({ database, clock, secretKey, publicUrl: 'https://wallets.example.com', passwords });
  const setUp = (token: string, email = 'ada@example.com') => setups.setPassword({ token, email, password: 'a long password' }, '');
  const start = async (key: Uint8Array = secretKey) => (await createStartLink(database, clock, key))?.token ?? '';
  return {
    clock,
    accountId: keys?.accountId,
    memberId: member?.accountId ?? '',
    setUp,
    start,
    advance: (seconds: number) => (nowMs += seconds * 1000),
  };
}

onBothDatabases('the setup link of a start', (open, dialect) => {
  it('is for the operator, is replaced by that of a later start, and works once', async () => {
    const database = await open();
    const { accountId, setUp, start, advance } = await operatorOf(database);
    const first = await start();
    expect(first).toMatch(/^[\w-]{43}$/);
    advance(301);
    const second = await start();
    await expect(setUp(first)).rejects.toMatchObject({ type: 'unauthorized' });
    expect(await setUp(second)).toMatchObject({ session: { account_id: accountId } });
    await expect(setUp(second)).rejects.toMatchObject({ type: 'unauthorized' });
  });

  it('is no longer created once an operator can log in, but while only a member can', async () => {
    const database = await open();
    const { memberId, clock, setUp, start } = await operatorOf(database);
    const { token } = await database.transaction((tx) => createSetupLink(tx, clock, memberId));
    await setUp(token);
    await setUp(await start(), 'operator@example.com');
    expect(await createStartLink(database, clock, secretKey)).toBeUndefined();
  });

  it('expires after seven days', async () => {
    const { setUp, start, advance } = await operatorOf(await open());
    const link = await start();
    advance(7 * 86_400);
    await expect(setUp(link)).rejects.toMatchObject({ type: 'unauthorized' });
  });

  it('is stored only as a hash', async () => {
    const database = await open();
    const { start } = await operatorOf(database);
    const token = await start();
    const rows = JSON.stringify(await database.all(readLinks), (_, value) =>
      value?.type === 'Buffer' ? String.fromCharCode(...value.data) : value,
    );
    expect(rows).not.toContain(token);
  });

  if (dialect === 'sqlite') {
    it('is replaced also within the second in which it was created', async () => {
      const { start } = await operatorOf(await open());
      expect(new Set([await start(), await start(), await start()]).size).toBe(3);
    });
  } else {
    it('is the same for instances that start at about the same time, so that each printed link works', async () => {
      const { start, advance, setUp } = await operatorOf(await open());
      const links = await Promise.all([start(), start(), start(), start()]);
      advance(299);
      links.push(await start());
      expect(new Set(links).size).toBe(1);
      advance(1);
      expect(await start()).not.toBe(links[0]);
      await expect(setUp(links[0] ?? '')).rejects.toMatchObject({ type: 'unauthorized' });
    });

    it('is replaced by that of an instance with another SECRET_KEY, and replaces a link that an operator created', async () => {
      const database = await open();
      const { accountId = '', clock, start, setUp } = await operatorOf(database);
      const [one, other] = [await start(), await start(Buffer.alloc(32, 8))];
      await expect(setUp(one)).rejects.toMatchObject({ type: 'unauthorized' });
      const { token } = await database.transaction((tx) => createSetupLink(tx, clock, accountId));
      await expect(setUp(other)).rejects.toMatchObject({ type: 'unauthorized' });
      const last = await start();
      await expect(setUp(token)).rejects.toMatchObject({ type: 'unauthorized' });
      expect(await setUp(last)).toMatchObject({ session: { account_id: accountId } });
    });
  }
});
