import { expect, it } from 'vitest';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Database } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { findRecord, listRecords } from '../../src/features/operator/action-object.ts';
import { type Action, findAction, type NewAction, openActions, requestAction } from '../../src/features/operator/actions.ts';
import { changeFiatRate } from '../../src/features/operator/fiat-rate.ts';
import { changeOnce, type OperatorRouteModules } from '../../src/features/operator/operator-route.ts';
import type { Credential } from '../../src/http/auth/access.ts';
import type { IdempotentHandler, OutcomeWriter } from '../../src/http/idempotent.ts';
import { onBothDatabases } from '../support/ledger.ts';

type Row = Record<string, string | number | null>;
const touch = statement('test_touch', 'UPDATE operator_action SET answer = answer WHERE id = $1');
const endAs = statement('test_end', 'UPDATE operator_action SET state = $2, ended_at = 5, answer = $3 WHERE id = $1');
const countRows: Statement<Row> = statement('test_count_actions', 'SELECT count(*) AS n FROM operator_action');

const CREDIT: NewAction = {
  kind: 'credit',
  subject: 'ab'.repeat(32),
  target: 'wal_1',
  requestedBy: 'bob@desk',
  reason: 'the payer called',
};

const request = (database: Database, action: NewAction = CREDIT, now = 1) => database.transaction((tx) => requestAction(tx, action, now));

async function allOpen(database: Database): Promise<Action[]> {
  const actions: Action[] = [];
  for await (const action of openActions(database)) actions.push(action);
  return actions;
}

async function end(database: Database, id: string, state: 'done' | 'refused', answer = ''): Promise<void> {
  await database.transaction((tx) => tx.run(endAs, id, state, answer));
}

onBothDatabases('a request of an operator', (open) => {
  it('is stored with who made it, when and why, and is executed later', async () => {
    const database = await open();
    const { id, isNew } = await request(database, { ...CREDIT, preimage: 'cd'.repeat(32) }, 1_700_000_000);
    expect([isNew, id]).toEqual([true, expect.stringMatching(/^opa_[0-9A-Za-z]{22}$/)]);
    const action = await findAction(database, id);
    expect(action).toEqual({
      kind: 'credit',
      subject: CREDIT.subject,
      target: 'wal_1',
      preimage: 'cd'.repeat(32),
      id,
      state: 'requested',
      requested_by: 'bob@desk',
      reason: 'the payer called',
      requested_at: 1_700_000_000,
      ended_at: null,
      answer: '',
      evidence: null,
      amount_msat: null,
      transfer_id: null,
      ledger_account: null,
      payment_id: null,
    });
    expect(await allOpen(database)).toEqual([action]);
    expect(await findAction(database, 'opa_unknown')).toBeUndefined();
  });

  it('returns the same action for identical requests at the same time', async () => {
    const database = await open();
    const requests = await Promise.all(Array.from({ length: 8 }, () => request(database)));
    expect(new Set(requests.map(({ id }) => id)).size).toBe(1);
    expect(requests.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it('differs from a request with another subject, kind or target', async () => {
    const database = await open();
    const others = [
      CREDIT,
      { ...CREDIT, subject: 'cd'.repeat(32) },
      { ...CREDIT, kind: 'return' as const },
      { ...CREDIT, target: 'wal_2' },
    ];
    const ids = [];
    for (const action of others) ids.push((await request(database, action)).id);
    expect(new Set(ids).size).toBe(4);
    // Who requests it and why makes no difference: the money moves once.
    const again = await request(database, { ...CREDIT, requestedBy: 'eve@desk', reason: 'the same' }, 99);
    expect(again).toEqual({ isNew: false, id: ids[0] });
    expect(await findAction(database, again.id)).toMatchObject({ requested_by: 'bob@desk', requested_at: 1 });
  });

  it('is new after an identical one was refused, and not after one was done', async () => {
    const database = await open();
    const first = (await request(database)).id;
    await end(database, first, 'refused', 'There is no wallet.');
    const second = await request(database);
    expect(second.isNew).toBe(true);
    await end(database, second.id, 'done');
    expect(await request(database)).toEqual({ isNew: false, id: second.id });
  });

  it('on a node or a wallet is new once an identical one has ended', async () => {
    const database = await open();
    for (const kind of ['drain', 'activate', 'move'] as const) {
      const action = { ...CREDIT, kind, subject: 'lnd_1', target: kind === 'move' ? 'lnd_2' : '' };
      const first = await request(database, action);
      expect((await request(database, action)).isNew).toBe(false);
      await end(database, first.id, 'done');
      expect((await request(database, action)).isNew).toBe(true);
    }
  });

  it('is stored together with the outcome of its request, or not at all', async () => {
    const database = await open();
    const accounts = createAccounts(database, systemClock);
    const { secretKey = '' } = (await accounts.bootstrap(newKeyText('secret_api'), async () => undefined)) ?? {};
    const key = await accounts.find(secretKey);
    const requestAs = (accountId: string | undefined, rows: OutcomeWriter['rows']) => {
      const runIdempotent: unknown = (...[, , , { make }]: Parameters<IdempotentHandler>) =>
        make({ rows, saveExisting: async () => undefined });
      const credential = { key: { ...key, accountId } } as Credential;
      const modules = { database, runIdempotent } as OperatorRouteModules;
      return changeOnce(modules, {} as never, {} as never, { credential }, async (tx) => (await requestAction(tx, CREDIT, 1)).id);
    };
    const missed = { statement: touch, parameters: ['opa_unknown'], onMiss: new Error('the outcome was not stored') };
    await expect(requestAs(key?.accountId, () => [missed])).rejects.toThrow('the outcome was not stored');
    await expect(requestAs('acc_unknown', () => [])).rejects.toMatchObject({ type: 'forbidden' });
    expect(await database.first(countRows)).toEqual({ n: 0 });
    // The rows of a request get the id of the action. An identical request gets the same one.
    const ids: string[] = [];
    for (let i = 0; i < 2; i++)
      await requestAs(key?.accountId, (id) => {
        ids.push(id);
        return [];
      });
    const [{ id } = { id: '' }] = await allOpen(database);
    expect(ids).toEqual([id, id]);
  });
});

onBothDatabases('the record of actions', (open) => {
  it('has the actions and the changes of the fiat rate, newest first', async () => {
    const database = await open();
    const first = await request(database);
    const change = (rate: Omit<Parameters<typeof changeFiatRate>[1], 'requester'>) =>
      database.transaction((tx) => changeFiatRate(tx, { ...rate, requester: { requestedBy: 'eve@desk', reason: '' } }));
    const set = await change({ currency: 'EUR', per_btc: '61234.50', set_at: 2 });
    const last = await request(database, { ...CREDIT, kind: 'drain', subject: 'lnd_1', target: '' });
    const removed = await change({ currency: null, per_btc: null, set_at: 3 });
    const list = listRecords(database);
    const { items } = await list.readPage({ limit: 10, order: 'desc' });
    expect([await list.count(10), items.map(({ id }) => id)]).toEqual([4, [removed, last.id, set, first.id]]);
    expect(items[0]).toMatchObject({ kind: 'remove_fiat_rate', status: 'done', requested_by: 'eve@desk', requested_at: 3, ended_at: 3 });
    expect(items[2]).toMatchObject({
      kind: 'set_fiat_rate',
      subject: 'EUR',
      target: '61234.50',
      answer: '1 BTC is shown as 61234.50 EUR.',
    });
    expect(await list.readPage({ limit: 2, order: 'desc', after: removed })).toEqual({ items: items.slice(1, 3), next: set });
    expect((await list.readPage({ limit: 2, order: 'asc', after: first.id })).items).toEqual([items[2], items[1]]);
    for (const one of items) expect(await findRecord(database, one.id)).toEqual(one);
    expect(await findRecord(database, 'opa_unknown')).toBeUndefined();
  });
});
