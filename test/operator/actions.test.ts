import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { findRecord, listRecords } from '../../src/features/operator/action-object.ts';
import { type Action, findAction, type NewAction, openActions, requestAction } from '../../src/features/operator/actions.ts';
import { changeFiatRate } from '../../src/features/operator/fiat-rate-routes.ts';
import { onBothDatabases } from '../support/ledger.ts';

type Row = Record<string, string | number | null>;
const touch = statement('test_touch', 'UPDATE operator_action SET answer = answer WHERE id = $1');
const endAs = statement('test_end', 'UPDATE operator_action SET state = $2, ended_at = 5, answer = $3 WHERE id = $1');
const countRows: Statement<Row> = statement('test_count_actions', 'SELECT count(*) AS n FROM operator_action');
const never: Statement<{ id: string }> = statement('test_never', `SELECT id FROM account WHERE id = 'unknown' AND $1 = $1`);

const CREDIT: NewAction = {
  kind: 'credit',
  subject: 'ab'.repeat(32),
  target: 'wal_1',
  requestedBy: 'bob@desk',
  reason: 'the payer called',
};

const request = (database: Database, action: NewAction = CREDIT, now = 1) => requestAction(database, action, now);

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
    const { action, isNew } = await request(database, { ...CREDIT, preimage: 'cd'.repeat(32) }, 1_700_000_000);
    expect([isNew, action.id]).toEqual([true, expect.stringMatching(/^opa_[0-9A-Za-z]{22}$/)]);
    expect(await findAction(database, action.id)).toEqual({
      kind: 'credit',
      subject: CREDIT.subject,
      target: 'wal_1',
      preimage: 'cd'.repeat(32),
      id: action.id,
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
    expect(new Set(requests.map(({ action }) => action.id)).size).toBe(1);
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
    for (const action of others) ids.push((await request(database, action)).action.id);
    expect(new Set(ids).size).toBe(4);
    // Who requests it and why makes no difference: the money moves once.
    const again = await request(database, { ...CREDIT, requestedBy: 'eve@desk', reason: 'the same' }, 99);
    expect(again).toMatchObject({ isNew: false, action: { id: ids[0], requested_by: 'bob@desk', requested_at: 1 } });
  });

  it('is new after an identical one was refused, and not after one was done', async () => {
    const database = await open();
    const first = (await request(database)).action.id;
    await end(database, first, 'refused', 'There is no wallet.');
    const second = await request(database);
    expect(second.isNew).toBe(true);
    await end(database, second.action.id, 'done');
    expect(await request(database)).toMatchObject({ isNew: false, action: { id: second.action.id, state: 'done' } });
  });

  it('on a node or a wallet is new once an identical one has ended', async () => {
    const database = await open();
    for (const kind of ['drain', 'activate', 'move'] as const) {
      const action = { ...CREDIT, kind, subject: 'lnd_1', target: kind === 'move' ? 'lnd_2' : '' };
      const first = await request(database, action);
      expect((await request(database, action)).isNew).toBe(false);
      await end(database, first.action.id, 'done');
      expect((await request(database, action)).isNew).toBe(true);
    }
  });

  it('is not stored if a guard rejects it or its rows cannot be written', async () => {
    const database = await open();
    const guard = { statement: never, id: 'acc_1', onMiss: () => new Refusal('forbidden') };
    const rejected = requestAction(database, CREDIT, 1, { guards: [guard] });
    await expect(rejected).rejects.toMatchObject({ type: 'forbidden' });
    const missed = { statement: touch, parameters: ['opa_unknown'], onMiss: new Error('the outcome was not stored') };
    await expect(requestAction(database, CREDIT, 1, { extraRows: () => [missed] })).rejects.toThrow('the outcome was not stored');
    expect(await database.first(countRows)).toEqual({ n: 0 });
    // The rows of a request get the id of the action; an identical request writes none.
    const ids: string[] = [];
    const extraRows = (id: string) => {
      ids.push(id);
      return [];
    };
    for (let i = 0; i < 2; i++) await requestAction(database, CREDIT, 1, { extraRows });
    expect(ids).toEqual([(await allOpen(database))[0]?.id]);
  });
});

onBothDatabases('the record of actions', (open) => {
  it('has the actions and the changes of the fiat rate, newest first', async () => {
    const database = await open();
    const first = (await request(database)).action;
    const set = await changeFiatRate(database, { currency: 'EUR', per_btc: '61234.50', set_at: 2 }, 'eve@desk');
    const last = (await request(database, { ...CREDIT, kind: 'drain', subject: 'lnd_1', target: '' })).action;
    const removed = await changeFiatRate(database, { currency: null, per_btc: null, set_at: 3 }, 'eve@desk');
    const { items, total } = await listRecords(database, 10, 0);
    expect([total, items.map(({ id }) => id)]).toEqual([4, [removed, last.id, set, first.id]]);
    expect(items[0]).toMatchObject({ kind: 'remove_fiat_rate', status: 'done', requested_by: 'eve@desk', requested_at: 3, ended_at: 3 });
    expect(items[2]).toMatchObject({
      kind: 'set_fiat_rate',
      subject: 'EUR',
      target: '61234.50',
      answer: '1 BTC is shown as 61234.50 EUR.',
    });
    expect((await listRecords(database, 2, 1)).items).toEqual(items.slice(1, 3));
    for (const one of items) expect(await findRecord(database, one.id)).toEqual(one);
    expect(await findRecord(database, 'opa_unknown')).toBeUndefined();
  });
});
