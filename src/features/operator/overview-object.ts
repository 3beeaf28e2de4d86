import { type Static, Type } from 'typebox';
import { type NodeConnection, statusOf } from '../../core/connection/connection.ts';
import type { SqlReader } from '../../core/db/database.ts';
import { unixSeconds, withTimeout } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { listBackupRuns, readLastBackup } from '../backup/last-backup.ts';
import type { NodeComparison } from '../reconcile/reconciliation-object.ts';
import { lastReport } from '../reconcile/requests.ts';
import { type LedgerTotals, readTotals } from '../reconcile/totals.ts';
import { coverPercent } from './cover-object.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';
import { amount, time } from './operator-route.ts';

const SHOWN_BACKUPS = 10;
const MAX_DELIVERIES = 10_000;

const PendingFields = {
  pending_payments: Type.Integer({ description: 'The number of pending payments' }),
  in_flight_msat: amount('What pending payments hold: their amounts and fee reserves'),
  oldest_pending_at: time('When the oldest pending payment was created; null if none is pending'),
};

const NodeFigures = namedObject('NodeFigures', {
  id: Type.String({ description: 'The id of the node, `lnd_…`' }),
  alias: nullable(Type.String({ description: 'The name that it last reported; null before it was reached' })),
  network: nullable(Type.String({ description: '`bitcoin`, `testnet`, `signet` or `regtest`' })),
  software: nullable(Type.String({ description: 'Its program and version' })),
  pubkey: nullable(Type.String({ description: 'Its public key in hex; null before it was reached' })),
  created_at: Type.Integer({ description: 'When it was added to the ledger, in Unix seconds' }),
  status: oneOf(['ready', 'cannot_send', 'unavailable'], {
    description:
      '`cannot_send`: it answers and cannot send payments now. `unavailable`: it does not answer, or its credential lacks a permission',
  }),
  status_reason: nullable(Type.String({ description: 'Why it cannot send or did not answer; null if it is ready' })),
  draining: Type.Boolean({ description: 'Whether it gets no new wallets' }),
  num_wallets: Type.Integer({ description: 'The number of its wallets' }),
  channels: nullable(
    Type.Object({
      active: Type.Integer({ description: 'Channels that can be used' }),
      inactive: Type.Integer({ description: 'Channels whose peer is offline' }),
    }),
    { description: 'The channels that it last reported; null if it does not count them' },
  ),
  answer_ms: nullable(
    Type.Integer({ description: 'How long the node took to report about itself at `answered_at`, in milliseconds, rounded' }),
  ),
  median_answer_ms: nullable(Type.Integer({ description: 'The median of its last answers to this instance, at most 21' })),
  answered_at: time(
    'When the node last reported about itself to this instance; null if it has not. `channels`, `block_height` and `is_synced` are of then',
  ),
  block_height: nullable(
    Type.Integer({ description: 'The height of the newest block that the node has read; null if it does not report it' }),
  ),
  is_synced: nullable(Type.Boolean({ description: 'Whether the node reports that it has read the blockchain up to the newest block' })),
  assets_msat: nullable(amount('The last measured balance of its channels')),
  assets_at: time('When that was measured; null before the first measurement'),
  held_msat: amount('What it holds for the ledger: for wallets, suspense and fees'),
  own_msat: nullable(amount('What it has beyond that: `assets_msat` − `held_msat`')),
  position_msat: nullable(
    amount('What it holds for wallets of other nodes, at the last reconciliation; negative if they hold money of its wallets'),
  ),
  baseline_msat: nullable(amount('Its own money at the baseline')),
  difference_msat: nullable(
    amount('The difference that the last reconciliation found; null if the node did not answer. Negative: money is leaving or missing'),
  ),
  reconciled_at: time('When the last reconciliation with it ended'),
  incomplete_reason: nullable(Type.String({ description: 'Why the last reconciliation is incomplete; null if it is complete' })),
  ...PendingFields,
  last_booked_at: time('When money that came in or went out through it was last booked'),
  open_alerts: Type.Integer({ description: 'The number of open alerts about it' }),
});

export const OverviewObject = namedObject('OperatorOverview', {
  at: Type.Integer({ description: 'When the ledger was read, in Unix seconds' }),
  assets_msat: nullable(amount('The sum of the last measured balances of the nodes; null before each node was measured')),
  assets_at: time('The oldest of these measurements'),
  liabilities_msat: amount('What is owed to all wallets, including what pending payments hold'),
  suspense_msat: amount('What arrived for no wallet and was neither credited nor returned'),
  num_suspense: Type.Integer({ description: 'The number of such payments' }),
  service_fees_msat: amount('The fees that the service earned'),
  operator_costs_msat: amount('What the operator bears: routing beyond reserves, and late successes'),
  owed_msat: amount('`liabilities_msat` + `suspense_msat`'),
  cover_percent: nullable(
    Type.Integer({
      description: '`assets_msat` in percent of `owed_msat`, rounded down. Null: the assets are unknown, or nothing is owed',
    }),
  ),
  own_msat: nullable(amount('What is left for the operator: `assets_msat` − `liabilities_msat` − `suspense_msat`')),
  difference_msat: nullable(amount('The sum of the differences of all nodes; null if one is unknown')),
  num_wallets: Type.Integer({ description: 'The number of wallets' }),
  last_backup_at: time('When the newest backup was written and checked; null if there is none'),
  last_backup_bytes: nullable(Type.Integer({ description: 'Its size; null if there is none' })),
  backups: Type.Array(
    Type.Object({
      started_at: Type.Integer({ description: 'When it was started, in Unix seconds' }),
      ended_at: Type.Integer({ description: 'When it ended, in Unix seconds' }),
      status: oneOf(['checked', 'failed'], { description: '`checked`: it was written, and read again completely' }),
      bytes: nullable(Type.Integer({ description: 'The size of the file; null if it failed' })),
      failure: nullable(Type.String({ description: 'Why it failed, with the remedy where one is known; null if it was checked' })),
    }),
    { description: `The last backups, newest first, at most ${SHOWN_BACKUPS}. A failed backup is listed only if it was scheduled` },
  ),
  webhooks: Type.Object(
    {
      active: Type.Integer({ description: 'Active webhooks' }),
      disabled: Type.Integer({ description: 'Webhooks that the service disabled, because their receivers failed for days or are gone' }),
      waiting: Type.Integer({ description: `Deliveries of active webhooks that were not delivered yet, at most ${MAX_DELIVERIES}` }),
      retrying: Type.Integer({ description: `The waiting deliveries that have failed at least once, at most ${MAX_DELIVERIES}` }),
      failed_24h: Type.Integer({
        description: `The deliveries that the service gave up in the last 24 hours, at most ${MAX_DELIVERIES}. Deliveries that are still being retried are not counted`,
      }),
    },
    { description: 'The webhooks of all accounts' },
  ),
  ...PendingFields,
  open_alerts: Type.Integer({ description: 'The number of open alerts' }),
  alerts_by_kind: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'The kind of the alert' }),
      count: Type.Integer({ description: 'The number of open alerts of this kind' }),
    }),
    { description: 'The open alerts by kind' },
  ),
  nodes: Type.Array(NodeFigures, { description: 'The nodes, in the order in which they were added' }),
});

const DAY_MS = 86_400_000;

async function countWebhooks({ database, clock }: OperatorModules) {
  const counted = await database.first(sql.countWebhooks, MAX_DELIVERIES);
  const failed = await database.first(sql.countFailedDeliveries, clock.nowMs() - DAY_MS, MAX_DELIVERIES);
  return { ...(counted ?? { active: 0, disabled: 0, waiting: 0, retrying: 0 }), failed_24h: failed?.n ?? 0 };
}

/** Reads the figures of the ledger, of the last reconciliation, and whether each node answers. */
export async function readOverview(modules: OperatorModules): Promise<Static<typeof OverviewObject>> {
  const { database, alerts, connections, clock } = modules;
  const totals = await database.snapshot(readTotals);
  const comparisons = (await lastReport(database))?.nodes ?? [];
  const rows = await database.all(sql.listNodes);
  const alertsByKind = await alerts.countOpen();
  const read = rows.flatMap((row) => {
    const connection = connections.find(row.id);
    return connection ? [nodeFigures(database, row, connection, totals, comparisons)] : [];
  });
  const nodes = await Promise.all(read);
  const oldest = rows.flatMap(({ oldest_pending_at }) => oldest_pending_at ?? []);
  const assets = sumKnown(nodes.map((one) => one.assets_msat));
  const owed = totals.customersMsat + totals.suspenseMsat;
  const [backup, runs] = await Promise.all([readLastBackup(database), listBackupRuns(database, SHOWN_BACKUPS)]);
  return {
    at: unixSeconds(clock),
    assets_msat: assets,
    assets_at: assets === null ? null : Math.min(...nodes.map((one) => one.assets_at ?? 0)),
    liabilities_msat: totals.customersMsat,
    suspense_msat: totals.suspenseMsat,
    num_suspense: (await database.first(sql.countUnmatchedLeft))?.n ?? 0,
    service_fees_msat: totals.serviceFeesMsat,
    operator_costs_msat: 0 - totals.operatorMsat,
    owed_msat: owed,
    cover_percent: coverPercent(assets, owed),
    own_msat: assets === null ? null : assets - owed,
    difference_msat: sumKnown(nodes.map((one) => one.difference_msat)),
    num_wallets: sum(rows.map((row) => row.num_wallets)),
    last_backup_at: backup?.createdAt ?? null,
    last_backup_bytes: backup?.bytes ?? null,
    backups: runs.map((run) => ({ ...run, status: run.failure === null ? 'checked' : 'failed' })),
    webhooks: await countWebhooks(modules),
    pending_payments: sum(rows.map((row) => row.pending_payments)),
    in_flight_msat: sum(rows.map((row) => row.in_flight_msat)),
    oldest_pending_at: oldest.length === 0 ? null : Math.min(...oldest),
    open_alerts: sum(alertsByKind.map(({ n }) => n)),
    alerts_by_kind: alertsByKind.map(({ kind, n }) => ({ kind, count: n })),
    nodes,
  };
}

async function nodeFigures(
  database: SqlReader,
  row: sql.NodeRow,
  connection: NodeConnection,
  totals: LedgerTotals,
  comparisons: readonly NodeComparison[],
): Promise<Static<typeof NodeFigures>> {
  const { nodeId, ledgerAccount, createdAt } = connection;
  const status = await readStatus(connection);
  const [info, answer] = [connection.info(), connection.lastAnswer()];
  const compared = comparisons.find(({ ln_node_id }) => ln_node_id === nodeId);
  const newest = await database.first(sql.newestOfNode, ledgerAccount);
  const heldMsat = totals.heldByNode.get(ledgerAccount) ?? 0;
  return {
    ...row,
    alias: info?.alias ?? null,
    network: info?.network ?? null,
    software: info?.software ?? null,
    created_at: createdAt,
    ...status,
    draining: row.draining === 1,
    channels: info?.channels ?? null,
    answer_ms: answer ? Math.round(answer.ms) : null,
    median_answer_ms: answer ? Math.round(answer.medianMs) : null,
    answered_at: answer?.at ?? null,
    block_height: info?.chain?.blockHeight ?? null,
    is_synced: info?.chain?.isSynced ?? null,
    held_msat: heldMsat,
    own_msat: row.assets_msat === null ? null : row.assets_msat - heldMsat,
    position_msat: compared?.position_msat ?? null,
    baseline_msat: compared?.baseline_msat ?? null,
    difference_msat: compared?.difference_msat ?? null,
    reconciled_at: compared?.ended_at ?? null,
    incomplete_reason: compared?.incomplete_reason ?? null,
    last_booked_at: newest ? Math.floor(newest.created_at_ms / 1000) : null,
  };
}

/** A node that does not answer must not delay the page. */
const ANSWER_MS = 2000;

/** Returns whether a node answers, after two seconds at the latest. */
async function readStatus(connection: NodeConnection) {
  try {
    return statusOf(await withTimeout(ANSWER_MS, connection.readInfo()));
  } catch (error) {
    return { status: 'unavailable' as const, status_reason: errorMessage(error) };
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns null if a value is unknown. */
function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? sum(known) : null;
}
