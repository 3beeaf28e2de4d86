import { expect, it } from 'vitest';
import type { Key, KeyOwner } from '../../src/core/accounts/accounts.ts';
import { createKeyring, type KeyOrder, replaceLostKey } from '../../src/core/accounts/keyring.ts';
import type { Database } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { createWallets } from '../../src/core/wallets/wallets.ts';
import { amount, onBothDatabases } from '../support/ledger.ts';
import { itemsOf, loginsOn, typeOf, typesOf } from './logins-on.ts';

type Row = Record<string, string | number | null>;
const revoke = statement('test_revoke_key', 'UPDATE access_key SET revoked_at = 1 WHERE id = $1');
const secretKeys: Statement<Row> = statement('test_secret_keys', `SELECT id FROM access_key WHERE kind = 'secret_api' ORDER BY id`);

const freeze = statement('test_freeze', "UPDATE account SET status = 'frozen' WHERE id = $1");

const ORDER: KeyOrder = { kind: 'secret_api', label: 'shop', expiresAt: undefined, limits: undefined };
const BUDGET = { budget: { amountMsat: amount(5_000), period: 'day' }, maxPaymentMsat: undefined } as const;

async function withKeys(database: Database) {
  const on = loginsOn(database);
  const owner = await on.newAccount();
  const ofAccount: KeyOwner = { accountId: owner.accountId, walletId: undefined };
  const keyring = createKeyring(database, on.clock);
  /** Creates a key and returns it as a requesting key. */
  async function newKey(order: Partial<KeyOrder> = {}, by = owner): Promise<Key> {
    const { key } = await keyring.create(by, ofAccount, { ...ORDER, ...order });
    return (await on.accounts.find(key)) as Key;
  }
  const wallets = createWallets({ database, accounts: on.accounts, clock: on.clock, isNodeAvailable: async () => true });
  const newWallet = async (of = owner): Promise<KeyOwner> => ({
    accountId: of.accountId,
    walletId: (await wallets.create(of.accountId, '')).wallet.id,
  });
  return { ...on, owner, ofAccount, keyring, newKey, newWallet };
}

onBothDatabases('a new key', (open) => {
  it('is found by its text, and its text is not stored', async () => {
    const { keyring, owner, ofAccount, accounts } = await withKeys(await open());
    const { key: text, ...key } = await keyring.create(owner, ofAccount, { ...ORDER, limits: BUDGET });
    expect(await accounts.find(text)).toMatchObject({ id: key.id, kind: 'secret_api', limits: { lineageId: key.id, ...BUDGET } });
    expect(key).toMatchObject({ user_label: 'shop', status: 'active', hint: `sak_…${text.slice(-4)}`, replaced_by: null });
    expect(await keyring.find(ofAccount, key.id)).toEqual(key);
    expect(JSON.stringify(key)).not.toContain(text.split('_')[1]);
  });

  it('is not created when its account or wallet has the maximum of active keys, and each of these can be rotated', async () => {
    const { database, clock, owner, ofAccount, newWallet } = await withKeys(await open());
    const keyring = createKeyring(database, clock, 3);
    const made = await keyring.create(owner, ofAccount, ORDER);
    await keyring.create(owner, ofAccount, { ...ORDER, expiresAt: clock.seconds + 60 });
    expect(await typeOf(keyring.create(owner, ofAccount, ORDER))).toBe('too_many_keys');
    await keyring.rotate(owner, ofAccount, made.id, 0);
    expect(await typeOf(keyring.create(owner, ofAccount, ORDER))).toBe('too_many_keys');
    // A new wallet has a key of each kind.
    const wallet = await newWallet();
    const order = { ...ORDER, kind: 'wallet_read' } as const;
    expect(await typeOf(keyring.create(owner, wallet, order))).toBe('too_many_keys');
    await keyring.revoke(owner, wallet, (await itemsOf(keyring.list(wallet))).find(({ kind }) => kind === 'wallet_read')?.id ?? '');
    await keyring.create(owner, wallet, order);
  });

  it('keeps the number of keys in their overlap bounded', async () => {
    const { database, clock, owner, ofAccount } = await withKeys(await open());
    const keyring = createKeyring(database, clock, 2);
    let { id } = await keyring.create(owner, ofAccount, ORDER);
    for (let active = 2; active < 4; active++) ({ id } = await keyring.rotate(owner, ofAccount, id, 600));
    expect(await typeOf(keyring.rotate(owner, ofAccount, id, 600))).toBe('too_many_keys');
  });

  it('is not created by a key that was revoked in the meantime, nor if its rows cannot be written', async () => {
    const { database, keyring, newKey, owner, ofAccount } = await withKeys(await open());
    const by = await newKey();
    await database.transaction((tx) => tx.run(revoke, by.id));
    expect(await typeOf(keyring.create(by, ofAccount, ORDER))).toBe('unauthorized');
    const missed = { statement: revoke, parameters: ['key_unknown'], onMiss: new Error('the outcome was not stored') };
    await expect(keyring.create(owner, ofAccount, ORDER, () => [missed])).rejects.toThrow('the outcome was not stored');
    await expect(keyring.rotate(owner, ofAccount, owner.id, 0, () => [missed])).rejects.toThrow('the outcome was not stored');
    expect(await keyring.find(ofAccount, owner.id)).toMatchObject({ status: 'active', replaced_by: null });
    expect(await database.all(secretKeys)).toHaveLength(2);
  });

  it('expires no later than the key that requests it', async () => {
    const { clock, newKey, keyring, owner, ofAccount } = await withKeys(await open());
    const soon = clock.seconds + 3600;
    const by = await newKey({ expiresAt: soon });
    const create = (expiresAt: number | undefined) => typeOf(keyring.create(by, ofAccount, { ...ORDER, expiresAt }));
    expect([await create(undefined), await create(soon + 1), await create(soon), await create(soon - 1)]).toEqual([
      'forbidden',
      'forbidden',
      'done',
      'done',
    ]);
    expect(await typeOf(keyring.rotate(by, ofAccount, owner.id, 0))).toBe('forbidden');
    expect(await typeOf(keyring.rotate(by, ofAccount, by.id, 60))).toBe('done');
  });
});

onBothDatabases('a rotation', (open) => {
  it('keeps kind, label, limits, expiry and lineage over several replacements', async () => {
    const { keyring, newKey, owner, ofAccount, clock } = await withKeys(await open());
    const first = await newKey({ label: 'till', limits: BUDGET, expiresAt: clock.seconds + 3600 });
    const second = await keyring.rotate(owner, ofAccount, first.id, 0);
    const third = await keyring.rotate(owner, ofAccount, second.id, 600);
    for (const key of [second, third])
      expect(key).toMatchObject({
        kind: 'secret_api',
        user_label: 'till',
        lineage_id: first.id,
        budget_msat: BUDGET.budget.amountMsat,
        budget_period: 'day',
        max_payment_msat: null,
        expires_at: clock.seconds + 3600,
      });
    const statusOf = async (id: string) => (await keyring.find(ofAccount, id)).status;
    expect([await statusOf(first.id), await statusOf(second.id), await statusOf(third.id)]).toEqual(['revoked', 'active', 'active']);
    clock.seconds += 600;
    expect(await statusOf(second.id)).toBe('expired');
  });

  it('does not prolong a key that expires during the overlap', async () => {
    const { keyring, newKey, owner, ofAccount, clock } = await withKeys(await open());
    const key = await newKey({ expiresAt: clock.seconds + 60 });
    await keyring.rotate(owner, ofAccount, key.id, 3600);
    expect((await keyring.find(ofAccount, key.id)).expires_at).toBe(clock.seconds + 60);
  });

  it('replaces a key once, also by two requests at the same time', async () => {
    const { database, keyring, newKey, owner, ofAccount } = await withKeys(await open());
    const key = await newKey();
    const rotate = () => createKeyring(database, { nowMs: Date.now }).rotate(owner, ofAccount, key.id, 0);
    const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);
    expect(typesOf(outcomes).toSorted()).toEqual(['done', 'key_unusable', 'key_unusable']);
    expect(await database.all(secretKeys)).toHaveLength(3);
    expect((await keyring.find(ofAccount, key.id)).replaced_by).toMatch(/^key_/);
  });

  it('is refused for public, expired and revoked keys, and for those of another owner', async () => {
    const { keyring, newKey, newAccount, newWallet, owner, ofAccount, clock } = await withKeys(await open());
    const keys = await itemsOf(keyring.list(ofAccount));
    const publicKey = keys.find(({ kind }) => kind === 'public_api')?.id ?? '';
    const [expired, revoked] = [await newKey({ expiresAt: clock.seconds + 1 }), await newKey()];
    await keyring.revoke(owner, ofAccount, revoked.id);
    clock.seconds += 1;
    for (const id of [publicKey, expired.id, revoked.id])
      expect(await typeOf(keyring.rotate(owner, ofAccount, id, 0))).toBe('key_unusable');
    const [wallet, stranger] = [await newWallet(), await newAccount()];
    for (const [of, id] of [[ofAccount, stranger.id] as const, [wallet, owner.id] as const, [ofAccount, 'key_unknown'] as const])
      for (const call of [() => keyring.rotate(owner, of, id, 0), () => keyring.revoke(owner, of, id), () => keyring.find(of, id)])
        expect(await typeOf(call())).toBe('not_found');
  });
});

onBothDatabases('the last secret API key', (open) => {
  it('that can manage keys is not revoked, also not by several requests at the same time', async () => {
    const { database, keyring, newKey, owner, ofAccount, clock } = await withKeys(await open());
    const limited = await newKey({ limits: BUDGET });
    const expiring = await newKey({ expiresAt: clock.seconds + 3600 });
    expect(await typeOf(keyring.revoke(owner, ofAccount, owner.id))).toBe('last_key');
    const other = await newKey();
    const outcomes = await Promise.allSettled([
      createKeyring(database, clock).revoke(owner, ofAccount, owner.id),
      createKeyring(database, clock).revoke(other, ofAccount, other.id),
    ]);
    expect(typesOf(outcomes).toSorted()).toEqual(['done', 'last_key']);
    const left = typesOf(outcomes)[0] === 'done' ? other : owner;
    for (const { id } of [limited, expiring]) expect(await typeOf(keyring.revoke(left, ofAccount, id))).toBe('done');
    expect(await typeOf(keyring.revoke(left, ofAccount, left.id))).toBe('last_key');
  });

  it('is replaced by a command if it is lost, without a change of the others', async () => {
    const { database, keyring, owner, ofAccount, accounts, clock } = await withKeys(await open());
    const made = await replaceLostKey(database, clock, owner.accountId);
    expect(await accounts.find(made?.text ?? '')).toMatchObject({ id: made?.id, accountId: owner.accountId, limits: undefined });
    expect((await keyring.find(ofAccount, owner.id)).status).toBe('active');
    expect(await replaceLostKey(database, clock, 'acc_unknown')).toBeUndefined();
    expect(await database.all(secretKeys)).toHaveLength(2);
  });
});

onBothDatabases('a revocation', (open) => {
  it('has one effect and one event, however often it is requested', async () => {
    const { database, keyring, newKey, owner, ofAccount, clock } = await withKeys(await open());
    const { id } = await newKey();
    const first = await keyring.revoke(owner, ofAccount, id);
    clock.seconds += 60;
    const outcomes = await Promise.all([keyring.revoke(owner, ofAccount, id), keyring.revoke(owner, ofAccount, id)]);
    expect(outcomes).toEqual([first, first]);
    const events = await database.all(statement<Row>('test_revoked_events', `SELECT type FROM event WHERE type = 'key_revoked'`));
    expect(events).toHaveLength(1);
  });

  it('is refused for a public key', async () => {
    const { keyring, owner, ofAccount } = await withKeys(await open());
    const keys = await itemsOf(keyring.list(ofAccount));
    for (const { id } of keys.filter(({ kind }) => kind === 'public_api'))
      expect(await typeOf(keyring.revoke(owner, ofAccount, id))).toBe('key_unusable');
  });
});

onBothDatabases('the list of keys', (open) => {
  it('has pages of the keys of one owner, newest first', async () => {
    const { keyring, newKey, newWallet, owner, ofAccount } = await withKeys(await open());
    const ids = [owner.id];
    for (let i = 0; i < 4; i++) ids.unshift((await newKey()).id);
    const wallet = await newWallet();
    const all = await itemsOf(keyring.list(ofAccount));
    expect(all.filter(({ kind }) => kind === 'secret_api').map(({ id }) => id)).toEqual(ids);
    expect(await keyring.list(ofAccount).count(100)).toBe(6);
    const page = await keyring.list(ofAccount).readPage({ limit: 2, order: 'desc', after: all[0]?.id });
    expect(page).toEqual({ items: all.slice(1, 3), next: all[2]?.id });
    const walletKeys = await itemsOf(keyring.list(wallet));
    expect([walletKeys.length, new Set(walletKeys.map(({ wallet_id: id }) => id))]).toEqual([5, new Set([wallet.walletId])]);
  });
});

onBothDatabases('a request that manages keys', (open) => {
  it('is rejected if the account was frozen after its authentication', async () => {
    const { database, keyring, owner, ofAccount, newKey } = await withKeys(await open());
    const key = await newKey();
    const by = { ...owner, isManaging: true };
    expect((await keyring.create(by, ofAccount, ORDER)).status).toBe('active');
    await database.transaction((tx) => tx.run(freeze, owner.accountId));
    for (const change of [
      () => keyring.create(by, ofAccount, ORDER),
      () => keyring.rotate(by, ofAccount, key.id, 60),
      () => keyring.revoke(by, ofAccount, key.id),
    ])
      expect(await typeOf(change())).toBe('account_restricted');
    expect((await keyring.find(ofAccount, key.id)).status).toBe('active');
  });
});
