import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { isNode } from '../../src/features/operator/nodes.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { NODE_ID } from '../support/modules.ts';
import { execute, operatorOn } from './operator-on.ts';

type Row = Record<string, string | number | null>;
const addAccount: Statement<{ id: number }> = statement(
  'test_node_account',
  `INSERT INTO ledger_account (id, kind) VALUES (-1, 'node') RETURNING id`,
);
const addNode = statement(
  'test_add_node',
  `INSERT INTO lightning_node (id, ledger_account, state, created_at) VALUES ('lnd_second', -1, 'active', 1)`,
);
const nodeRows: Statement<Row> = statement(
  'test_node_rows',
  `SELECT id, state, (SELECT count(*) FROM wallet WHERE node_id = lightning_node.id) AS wallets FROM lightning_node ORDER BY ledger_account DESC`,
);
const nodeOf: Statement<Row> = statement('test_node_of', 'SELECT node_id FROM wallet WHERE id = $1');
const updates: Statement<Row> = statement('test_updates', `SELECT type FROM event WHERE type = 'wallet_updated'`);

async function onTwoNodes(database: Database) {
  const rig = await operatorOn(database);
  await database.transaction(async (tx) => {
    await tx.first(addAccount);
    await tx.run(addNode);
  });
  return {
    ...rig,
    states: async () => (await database.all(nodeRows)).map(({ id, state, wallets }) => [id, state, wallets]),
    nodeOf: async (id: string) => (await database.first(nodeOf, id))?.node_id,
  };
}

onBothDatabases('an action on a node', (open) => {
  it('drains and activates it, as often as it is requested', async () => {
    const { act, states } = await onTwoNodes(await open());
    expect(await states()).toEqual([
      [NODE_ID, 'active', 1],
      ['lnd_second', 'active', 0],
    ]);
    for (let i = 0; i < 2; i++) {
      expect(await act({ kind: 'drain', subject: 'lnd_second' })).toMatchObject({
        state: 'done',
        answer: 'lnd_second gets no new wallets.',
      });
      expect((await states())[1]).toEqual(['lnd_second', 'draining', 0]);
      expect(await act({ kind: 'activate', subject: 'lnd_second' })).toMatchObject({
        state: 'done',
        answer: 'lnd_second gets new wallets.',
      });
      expect((await states())[1]).toEqual(['lnd_second', 'active', 0]);
    }
  });

  it('is not executed again by an instance that read it before it ended', async () => {
    const { act, request, deps, states, wallet, nodeOf } = await onTwoNodes(await open());
    const drain = await request({ kind: 'drain', subject: 'lnd_second' });
    const move = await request({ kind: 'move', subject: wallet.id, target: 'lnd_second' });
    for (const action of [move, drain]) await execute(deps, action);
    await act({ kind: 'activate', subject: 'lnd_second' });
    await act({ kind: 'move', subject: wallet.id, target: NODE_ID });
    for (const action of [move, drain]) await execute(deps, action);
    expect((await states())[1]).toEqual(['lnd_second', 'active', 0]);
    expect(await nodeOf(wallet.id)).toBe(NODE_ID);
  });

  it('is refused for a node that the ledger does not have', async () => {
    const { act, healthy } = await onTwoNodes(await open());
    for (const kind of ['drain', 'activate'] as const)
      expect(await act({ kind, subject: 'lnd_0' })).toMatchObject({
        state: 'refused',
        answer: 'There is no node lnd_0.',
        ended_at: expect.any(Number),
      });
    expect([await isNode(healthy, 'lnd_second'), await isNode(healthy, 'lnd_0')]).toEqual([true, false]);
  });
});

onBothDatabases('the move of a wallet', (open) => {
  it('changes its node and nothing else, and tells the readers of events', async () => {
    const { act, wallet, nodeOf, states, balanceMsat, healthy } = await onTwoNodes(await open());
    const before = await balanceMsat(wallet);
    const moved = await act({ kind: 'move', subject: wallet.id, target: 'lnd_second' });
    expect(moved).toMatchObject({ state: 'done', answer: `${wallet.id} was moved from ${NODE_ID} to lnd_second.` });
    expect([await nodeOf(wallet.id), await balanceMsat(wallet)]).toEqual(['lnd_second', before]);
    expect(await states()).toEqual([
      [NODE_ID, 'active', 0],
      ['lnd_second', 'active', 1],
    ]);
    expect(await healthy.all(updates)).toHaveLength(1);
    expect(await problemsOf(healthy)).toEqual([]);
  });

  it('is refused to an unknown, draining or the same node, and for an unknown wallet', async () => {
    const { act, wallet, nodeOf, healthy } = await onTwoNodes(await open());
    await act({ kind: 'drain', subject: 'lnd_second' });
    for (const [subject, target, answer] of [
      ['wal_0', 'lnd_second', 'There is no wallet wal_0.'],
      [wallet.id, 'lnd_0', 'There is no node lnd_0.'],
      [wallet.id, NODE_ID, `${wallet.id} is on ${NODE_ID} already.`],
      [wallet.id, 'lnd_second', 'lnd_second is draining. Activate it first, or choose another node.'],
    ] as const)
      expect(await act({ kind: 'move', subject, target })).toMatchObject({ state: 'refused', answer });
    expect(await nodeOf(wallet.id)).toBe(NODE_ID);
    expect(await healthy.all(updates)).toEqual([]);
  });

  it('is refused while a payment of the wallet is pending, and possible afterwards', async () => {
    const { act, wallet, nodeOf, net, pendingPayment, deps } = await onTwoNodes(await open());
    const payment = await pendingPayment();
    const move = () => act({ kind: 'move', subject: wallet.id, target: 'lnd_second' });
    expect(await move()).toMatchObject({ state: 'refused', answer: expect.stringContaining('has pending payments (1)') });
    net.outside.resolveHold(payment.paymentHash, 'cancel');
    await deps.payments.stop();
    await deps.payments.resumePending();
    await expect.poll(async () => (await deps.payments.find(payment.id))?.state).toBe('failed');
    expect(await move()).toMatchObject({ state: 'done' });
    expect(await nodeOf(wallet.id)).toBe('lnd_second');
  });
});
