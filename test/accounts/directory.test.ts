import { expect, it } from 'vitest';
import { createAccounts, type Key } from '../../src/core/accounts/accounts.ts';
import { operatorGuards } from '../../src/core/accounts/directory.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { startSession } from '../../src/core/accounts/sessions.ts';
import type { Database } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { createFees } from '../../src/core/fees/fees.ts';
import { createLedger, requireGuards } from '../../src/core/ledger/ledger.ts';
import { createLimits } from '../../src/core/limits/limits.ts';
import { transferBetween } from '../../src/core/payments/transfer.ts';
import { createWallets } from '../../src/core/wallets/wallets.ts';
import { amount, onBothDatabases, problemsOf, testDeposit } from '../support/ledger.ts';
import { loginsOn, typeOf, typesOf } from './logins-on.ts';

type Row = Record<string, string | number | null>;
const changes: Statement<Row> = statement(
  'test_changes',
  'SELECT account_id, kind, changes, reason, requested_by, actor, origin FROM operator_record ORDER BY id',
);
const roles: Statement<Row> = statement('test_roles', 'SELECT role FROM account ORDER BY id');
const expireKey = statement('test_expire_key', 'UPDATE access_key SET expires_at = 1 WHERE id = $1');

const CREATE = { changes: {}, reason: '', isInvited: false };

async function withOperator(database: Database) {
  const on = loginsOn(database);
  const operator = await on.newAccount();
  const create = (by: Key, fields: object = {}) => on.directory.create({ ...CREATE, by, ...fields }, () => []);
  const change = (id: string, fields: object, by = operator) => on.directory.change(id, { by, changes: fields, reason: 'a test' });
  async function newOperator(): Promise<Key> {
    const { secretKey = '' } = await create(operator, { changes: { role: 'operator' } });
    return (await on.accounts.find(secretKey)) as Key;
  }
  return { ...on, operator, create, change, newOperator };
}

onBothDatabases('the first start', (open) => {
  it('creates one account at several instances that start at the same time, and stores its keys before they count', async () => {
    const database = await open();
    const stored: string[] = [];
    const starts = Array.from({ length: 5 }, () => {
      const { accounts } = loginsOn(database);
      return accounts.bootstrap(undefined, async ({ secretKey }) => void stored.push(secretKey));
    });
    const created = (await Promise.all(starts)).filter((keys) => keys !== undefined);
    expect(created).toHaveLength(1);
    expect(stored.at(-1)).toBe(created[0]?.secretKey);
    expect(await database.all(roles)).toEqual([{ role: 'operator' }]);
    expect(await loginsOn(database).accounts.find(created[0]?.secretKey ?? '')).toMatchObject({ kind: 'secret_api' });
  });

  it('creates no account if its keys cannot be stored', async () => {
    const on = loginsOn(await open());
    const full = () => Promise.reject(new Error('the disk is full'));
    await expect(on.accounts.bootstrap(undefined, full)).rejects.toThrow('the disk is full');
    expect(await on.database.all(roles)).toEqual([]);
    expect(await on.accounts.bootstrap(undefined, async () => undefined)).toBeDefined();
  });

  it('creates the account of a chosen key once, and rejects one that is no secret API key or can be guessed', async () => {
    const on = loginsOn(await open());
    const chosen = newKeyText('secret_api');
    const start = (key: string) => on.accounts.bootstrap(key, async () => undefined);
    for (const wrong of ['', 'sak_short', newKeyText('public_api'), newKeyText('wallet_admin'), 'x'.repeat(40)])
      await expect(start(wrong)).rejects.toThrow('BOOTSTRAP_SECRET_KEY must be sak_ followed by');
    expect((await start(chosen))?.secretKey).toBe(chosen);
    expect(await start(chosen)).toBeUndefined();
    // A revoked key stays revoked: it is still known.
    const key = (await on.accounts.find(chosen)) as Key;
    await on.database.transaction((tx) => tx.run(expireKey, key.id));
    expect(await start(chosen)).toBeUndefined();
    expect(await createAccounts(on.database, on.clock).find(chosen)).toBeUndefined();
    expect(await on.database.all(roles)).toHaveLength(1);
  });
});

onBothDatabases('a change of an account', (open) => {
  it('is recorded with its fields, its reason and its author, and with nothing else', async () => {
    const { database, operator, create, change, directory } = await withOperator(await open());
    const { account } = await create(operator, { changes: { max_wallets: 3 }, reason: 'new' });
    await change(account.id, { status: 'frozen', email: 'ada@example.com' });
    await directory.createSetupLink(account.id, { by: operator, origin: '192.0.2.1', reason: 'lost' }, () => []);
    const recorded = (await database.all(changes)).map((row) => ({ ...row, changes: JSON.parse(String(row.changes)) }));
    const author = { account_id: account.id, requested_by: `${operator.id} of ${operator.accountId}`, actor: operator.accountId };
    const created = [{ field: 'max_wallets', before: null, after: '3' }];
    const changed = [
      { field: 'status', before: 'active', after: 'frozen' },
      { field: 'email', before: null, after: 'ada@example.com' },
    ];
    expect(recorded).toEqual([
      { ...author, kind: 'create_account', changes: created, reason: 'new', origin: null },
      { ...author, kind: 'change_account', changes: changed, reason: 'a test', origin: null },
      { ...author, kind: 'create_setup_link', changes: [], reason: 'lost', origin: '192.0.2.1' },
    ]);
  });

  it('changes only the fields that are set', async () => {
    const { operator, create, change } = await withOperator(await open());
    const { account } = await create(operator, { changes: { max_wallets: 3, email: 'ada@example.com' } });
    expect(await change(account.id, { status: 'frozen' })).toEqual({ ...account, status: 'frozen' });
    expect(await change(account.id, { max_wallets: 0 })).toEqual({ ...account, status: 'frozen', max_wallets: 0 });
    expect(await change(account.id, {})).toEqual({ ...account, status: 'frozen', max_wallets: 0 });
  });

  it('leaves no trace if its rows cannot be written', async () => {
    const { database, operator, change, directory, create } = await withOperator(await open());
    const { account } = await create(operator);
    const missed = { statement: expireKey, parameters: ['key_unknown'], onMiss: new Error('the outcome was not stored') };
    const request = { by: operator, changes: { status: 'frozen' }, reason: '' } as const;
    await expect(directory.change(account.id, request, [missed])).rejects.toThrow('the outcome was not stored');
    await expect(directory.create({ ...CREATE, by: operator }, () => [missed])).rejects.toThrow('the outcome was not stored');
    await expect(directory.createSetupLink(account.id, { by: operator, reason: '' }, () => [missed])).rejects.toThrow('the outcome');
    expect(await directory.find(account.id)).toEqual(account);
    expect(await directory.list().count(100)).toBe(2);
    expect(await database.all(changes)).toHaveLength(1);
    expect(await typeOf(change(account.id, request.changes))).toBe('done');
  });

  it('needs an active operator whose key is valid, at the moment of the change', async () => {
    const { database, operator, create, change, newOperator, newAccount, directory } = await withOperator(await open());
    const [member, other] = [await newAccount(), await newOperator()];
    expect(await typeOf(change(member.accountId, { max_wallets: 1 }, member))).toBe('forbidden');
    await change(other.accountId, { status: 'frozen' });
    expect(await typeOf(create(other))).toBe('forbidden');
    await change(other.accountId, { status: 'active', role: 'member' });
    expect(await typeOf(directory.createSetupLink(member.accountId, { by: other, reason: '' }, () => []))).toBe('forbidden');
    await change(other.accountId, { role: 'operator' });
    await database.transaction((tx) => tx.run(expireKey, other.id));
    expect(await typeOf(create(other))).toBe('unauthorized');
    expect(await typeOf(create(operator))).toBe('done');
    expect(await typeOf(change('acc_unknown', { max_wallets: 1 }))).toBe('not_found');
    expect(await typeOf(directory.createSetupLink('acc_unknown', { by: operator, reason: '' }, () => []))).toBe('not_found');
  });
});

onBothDatabases('operators', (open) => {
  it('who demote or freeze each other at the same time leave one active operator', async () => {
    const { operator, newOperator, change, directory } = await withOperator(await open());
    const operators = [operator, await newOperator(), await newOperator()];
    const outcomes = await Promise.allSettled(
      operators.flatMap((by) => operators.map((of) => change(of.accountId, by === of ? { status: 'frozen' } : { role: 'member' }, by))),
    );
    const active = [];
    for (const { accountId } of operators) if (await directory.isOperator(accountId)) active.push(accountId);
    expect(active).toHaveLength(1);
    expect(new Set(typesOf(outcomes))).toEqual(new Set(['done', 'forbidden', 'last_operator']));
  });

  it('execute nothing after their demotion, also if it commits while their request runs', async () => {
    const { operator, newOperator, change, create, directory } = await withOperator(await open());
    const other = await newOperator();
    const before = Number(await directory.list().count(100));
    const outcomes = await Promise.allSettled([
      change(other.accountId, { role: 'member' }),
      ...Array.from({ length: 5 }, () => create(other)),
    ]);
    const made = typesOf(outcomes.slice(1)).filter((type) => type === 'done').length;
    expect(typesOf(outcomes)[0]).toBe('done');
    expect(new Set(typesOf(outcomes.slice(1)))).not.toContain('unauthorized');
    expect(await directory.list().count(100)).toBe(before + made);
    expect(await typeOf(create(other))).toBe('forbidden');
    expect(await typeOf(create(operator))).toBe('done');
  });

  it('are required by guards in the transaction of their request', async () => {
    const { database, newAccount, newOperator, change } = await withOperator(await open());
    const [member, other] = [await newAccount(), await newOperator()];
    const check = (by: Key) => typeOf(database.transaction((tx) => requireGuards(tx, operatorGuards(by))));
    expect([await check(other), await check(member)]).toEqual(['done', 'forbidden']);
    await change(other.accountId, { status: 'frozen' });
    expect(await check(other)).toBe('forbidden');
    await change(other.accountId, { status: 'active' });
    await database.transaction((tx) => tx.run(expireKey, other.id));
    expect(await check(other)).toBe('unauthorized');
  });
});

onBothDatabases('a new operator', (open) => {
  it('keeps no session that began with a Lightning wallet, as an operator needs an authenticator app for it', async () => {
    const { database, clock, sessions, newAccount, change } = await withOperator(await open());
    const { accountId } = await newAccount();
    const start = (method: 'lnurl_auth' | 'passkey') =>
      database.transaction((tx) => startSession(tx, clock, { accountId, method, userAgent: '' }));
    await start('lnurl_auth');
    await start('passkey');
    const active = async () =>
      (await sessions.list(accountId).readPage({ limit: 10, order: 'desc' })).items
        .filter(({ status }) => status === 'active')
        .map(({ method }) => method)
        .toSorted();
    await change(accountId, { max_wallets: 5 });
    expect(await active()).toEqual(['lnurl_auth', 'passkey']);
    await change(accountId, { role: 'operator' });
    expect(await active()).toEqual(['passkey']);
    // An operator with an authenticator app may begin one, and keeps it when other fields change.
    await start('lnurl_auth');
    await change(accountId, { role: 'operator', max_wallets: 6 });
    expect(await active()).toEqual(['lnurl_auth', 'passkey']);
  });
});

onBothDatabases('a frozen account', (open) => {
  it('sends nothing once its change has returned, whatever else its batch contains', async () => {
    const { database, accounts, clock, change, newAccount } = await withOperator(await open());
    const ledger = createLedger(database, clock);
    const wallets = createWallets({ database, accounts, clock, isNodeAvailable: async () => true });
    const [one, two] = [await newAccount(), await newAccount()];
    const walletOf = async ({ accountId }: Key) => (await wallets.create(accountId, '')).wallet;
    const [source, target, other, rest] = [await walletOf(one), await walletOf(one), await walletOf(two), await walletOf(two)];
    for (const { ledgerAccount } of [source, other]) await ledger.post({ transfers: [testDeposit(ledgerAccount, 10_000)] });
    const order = { amountMsat: amount(1_000), memo: undefined, passThru: undefined, guards: [] };
    const send = (from: typeof source, to: typeof source) =>
      typeOf(
        transferBetween(
          { database, ledger, fees: createFees({ database, clock }), limits: createLimits({ database, clock }), clock },
          { ...order, source: from, destination: to },
        ),
      );
    const racing = Array.from({ length: 8 }, () => send(source, target));
    await change(one.accountId, { status: 'frozen' });
    const after = await Promise.all([send(source, target), send(other, rest), send(source, target)]);
    expect(after).toEqual(['wallet_inactive', 'done', 'wallet_inactive']);
    const sent = (await Promise.all(racing)).filter((type) => type === 'done').length;
    expect((await ledger.balance(target.ledgerAccount)).balanceMsat).toBe(1_000 * sent);
    await change(one.accountId, { status: 'active' });
    expect(await send(source, target)).toBe('done');
    expect(await problemsOf(database)).toEqual([]);
  });
});
