import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { computeFlowHours } from '../../src/features/operator/flows.ts';
import { readLiquidity } from '../../src/features/operator/liquidity.ts';
import { onFakeNode } from '../support/app.ts';
import { onBothDatabases } from '../support/ledger.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const NOW = 1_700_000_000 - (1_700_000_000 % HOUR) + 600;
const signal = new AbortController().signal;
const clock = { nowMs: () => NOW * 1000 };

const insert = statement(
  'test_insert_booking',
  `INSERT INTO wallet_transaction (position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat, placed_at_ms,
     label, other_account) VALUES ($1, $2, 'wal_1', 10, 'acc_1', $3, 'settled', $4, 1, 1, $5, '', $6)`,
);

/** Nodes with the ledger accounts 1, 0 and so on, and what they answer. */
function modulesWith(database: Database, answers: readonly (object | Error)[]) {
  const all = answers.map((_, index) => ({ nodeId: `lnd_${index}`, ledgerAccount: 1 - index }));
  const list = (nodeId: string) => answers[Number(nodeId.slice(4))];
  const last = new Map<string, object>();
  const operator = {
    channels: async (nodeId: string) => {
      const answer = list(nodeId);
      if (answer instanceof Error) throw answer;
      last.set(nodeId, answer ?? {});
      return answer;
    },
    lastChannels: (nodeId: string) => last.get(nodeId),
  };
  return { modules: { database, clock, connections: { all }, operator } as unknown as Parameters<typeof readLiquidity>[0], last };
}

const channels = (spendable_msat: number, receivable_msat: number) => ({
  ...{ status: 'known', status_reason: null, at: NOW },
  ...{ spendable_msat, receivable_msat },
});

onBothDatabases('liquidity', (open) => {
  let position = 0;
  const book = (
    database: Database,
    daysAgo: number,
    amountMsat: number,
    other = 1,
    type = amountMsat > 0 ? 'ln_deposit' : 'ln_withdrawal',
  ) =>
    database.transaction((tx) =>
      tx.run(insert, ++position, `wtx_${position}`, type, amountMsat, 1000 * (NOW - daysAgo * DAY - 2 * HOUR), other),
    );

  it('lasts as many whole days as what can be received, divided by a seventh of the receipts of the last seven days', async () => {
    const database = await open();
    await book(database, 9, 900_000);
    await book(database, 6, 500_000);
    await book(database, 3, 130_000);
    await book(database, 2, -60_000);
    await book(database, 2, -10_000, 1, 'network_fee');
    await book(database, 1, 70_000);
    await computeFlowHours({ database, clock }, signal);
    const { modules } = modulesWith(database, [channels(95_000, 1_099_999)]);
    const expected = { received_day_msat: 100_000, sent_day_msat: 10_000, receiving_days: 10, sending_days: 9 };
    expect(await readLiquidity(modules)).toMatchObject({
      ...{ num_nodes: 1, num_counted: 1, spendable_msat: 95_000, receivable_msat: 1_099_999, ...expected },
      nodes: [{ ln_node_id: 'lnd_0', status: 'known', at: NOW, ...expected }],
    });
  });

  it('is not shown in days with less than a week of data, and not before the hours are computed', async () => {
    const database = await open();
    await book(database, 6.5, 500_000);
    const { modules } = modulesWith(database, [channels(1_000, 1_000)]);
    const unknown = { received_day_msat: null, sent_day_msat: null, receiving_days: null, sending_days: null };
    expect(await readLiquidity(modules)).toMatchObject(unknown);
    await computeFlowHours({ database, clock }, signal);
    expect(await readLiquidity(modules)).toMatchObject({ ...unknown, receivable_msat: 1_000 });
  });

  it('has no number of days when nothing came in, and says so with a rate of 0', async () => {
    const database = await open();
    await book(database, 8, 500_000);
    await computeFlowHours({ database, clock }, signal);
    const { modules } = modulesWith(database, [channels(1_000, 1_000)]);
    expect(await readLiquidity(modules)).toMatchObject({
      received_day_msat: 0,
      receiving_days: null,
      sent_day_msat: 0,
      sending_days: null,
    });
  });

  it('counts only nodes that list their channels, each with its own rate, and keeps the last amounts of the others with their time', async () => {
    const database = await open();
    await book(database, 8, 7, 1);
    await book(database, 8, 7, 0);
    await book(database, 2, 70_000, 1);
    await book(database, 2, 700_000, 0);
    await computeFlowHours({ database, clock }, signal);
    const answers: (object | Error)[] = [channels(5_000, 20_000), channels(7_000, 400_000)];
    const { modules } = modulesWith(database, answers);
    const all = await readLiquidity(modules);
    expect(all).toMatchObject({
      num_counted: 2,
      spendable_msat: 12_000,
      receivable_msat: 420_000,
      received_day_msat: 110_000,
      receiving_days: 3,
    });
    expect(all.nodes.map((node) => node.receiving_days)).toEqual([2, 4]);
    answers[1] = new Refusal('node_unavailable', 'the port is closed');
    expect(await readLiquidity(modules)).toMatchObject({
      ...{ num_nodes: 2, num_counted: 1, spendable_msat: 5_000, receivable_msat: 20_000, received_day_msat: 10_000, receiving_days: 2 },
      nodes: [{}, { status: 'unavailable', status_reason: 'the port is closed', at: NOW, spendable_msat: 7_000, receivable_msat: 400_000 }],
    });
  });

  it('is unknown for a node that never listed its channels', async () => {
    const database = await open();
    const { modules } = modulesWith(database, [new Refusal('node_unavailable', 'down')]);
    expect(await readLiquidity(modules)).toMatchObject({
      ...{ num_counted: 0, spendable_msat: null, receivable_msat: null, receiving_days: null },
      nodes: [{ status: 'unavailable', at: null, spendable_msat: null, receivable_msat: null }],
    });
  });
});

onFakeNode('the liquidity of the service', ({ client, neighbour }) => {
  it('is what the channels of the nodes list', async () => {
    const liquidity = await client.get('/v1/operator/liquidity');
    const list = await client.get(`/v1/operator/nodes/${liquidity.nodes[0].ln_node_id}/channels`);
    const amounts = { spendable_msat: list.spendable_msat, receivable_msat: list.receivable_msat };
    expect(liquidity).toMatchObject({ ...amounts, num_nodes: 1, num_counted: 1, receiving_days: null, nodes: [amounts] });
  });

  it('is for operators alone', async () => {
    expect((await neighbour.request('GET', '/v1/operator/liquidity', { key: neighbour.secretKey })).status).toBe(403);
  });
});
