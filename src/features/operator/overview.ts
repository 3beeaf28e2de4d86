import type { NodeConnection } from '../../core/connection/connection.ts';
import { unixSeconds, withTimeout } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { NodeInfo } from '../../core/lightning/node.ts';
import type { NodeComparison } from '../reconcile/reconciliation-object.ts';
import { lastReport } from '../reconcile/requests.ts';
import { lastMeasured, listSamples } from '../reconcile/samples.ts';
import { type LedgerTotals, readTotals } from '../reconcile/totals.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';

/** The figures of all nodes. Amounts are msat, times Unix seconds. */
export interface Overview {
  /** When the ledger was read. */
  readonly at: number;
  /** The sum of the last measured balances; undefined before each node was measured. */
  readonly assetsMsat: number | undefined;
  /** The oldest of these measurements. */
  readonly assetsAt: number | undefined;
  readonly totals: LedgerTotals;
  readonly wallets: number;
  readonly unmatchedSettlements: number;
  readonly pending: PendingTotals;
  readonly openAlerts: readonly { readonly kind: string; readonly n: number }[];
  readonly nodes: readonly NodeOverview[];
}

export interface PendingTotals {
  readonly payments: number;
  /** The sum of their holds. */
  readonly heldMsat: number;
  /** When the oldest one was created. */
  readonly oldestAt: number | undefined;
}

export interface NodeOverview {
  readonly id: string;
  readonly createdAt: number;
  readonly state: NodeState;
  readonly isDraining: boolean;
  readonly info: NodeInfo | undefined;
  readonly pubkey: string | undefined;
  readonly wallets: number;
  readonly measured: Awaited<ReturnType<typeof lastMeasured>>;
  /** The money that it holds for the ledger. */
  readonly heldMsat: number;
  readonly pending: PendingTotals;
  /** When the ledger last booked money that came in or went out through it. */
  readonly lastBookedAt: number | undefined;
  /** The comparison in the last reconciliation; undefined if there was none. */
  readonly comparison: NodeComparison | undefined;
  readonly openAlerts: number;
}

export interface NodeState {
  readonly status: 'ready' | 'cannot_send' | 'unavailable';
  /** Why it cannot send, or why it did not answer. */
  readonly reason: string | undefined;
}

/** The periods of the history of balances, and the hours between two samples of each. */
const PERIODS = {
  day: { days: 1, stepHours: 1 },
  week: { days: 7, stepHours: 1 },
  month: { days: 30, stepHours: 6 },
  year: { days: 365, stepHours: 24 },
} as const;
export type HistoryPeriod = keyof typeof PERIODS;
export const HISTORY_PERIODS = Object.keys(PERIODS) as HistoryPeriod[];

/** Returns samples of assets and liabilities, oldest first. */
export function readHistory({ database, clock }: OperatorModules, period: HistoryPeriod) {
  const { days, stepHours } = PERIODS[period];
  return listSamples(database, unixSeconds(clock) - days * 86_400, stepHours);
}

const NO_PENDING: PendingTotals = { payments: 0, heldMsat: 0, oldestAt: undefined };
/** A node that does not answer must not delay the page. */
const ANSWER_MS = 2000;

/** Reads the figures of the ledger, of the last reconciliation, and whether each node answers. */
export async function readOverview(deps: OperatorModules): Promise<Overview> {
  const { database, alerts, connections, clock } = deps;
  const states = Promise.all(connections.all.map(stateOf));
  const [totals, report, rows, pendingRows] = [
    await database.snapshot(readTotals),
    await lastReport(database),
    await database.all(sql.listNodes),
    await database.all(sql.pendingByNode),
  ];
  const pending = new Map(pendingRows.map((row) => [row.node_id, pendingOf(row)]));
  const alerted = await alerts.listOpen();
  const read = {
    totals,
    comparisons: report?.nodes ?? [],
    pending,
    rows: new Map(rows.map((row) => [row.id, row])),
    alerted: alerted.map(({ subject }) => subject),
  };
  const known = await states;
  const nodes = await Promise.all(
    connections.all.map((one, index) => nodeOverview(deps, read, one, known[index] ?? { status: 'unavailable', reason: undefined })),
  );
  const measured = nodes.flatMap((one) => one.measured ?? []);
  const isMeasured = measured.length === nodes.length;
  return {
    at: unixSeconds(clock),
    assetsMsat: isMeasured ? measured.reduce((sum, { assets_msat }) => sum + assets_msat, 0) : undefined,
    assetsAt: isMeasured ? Math.min(...measured.map(({ assets_at }) => assets_at)) : undefined,
    totals,
    wallets: rows.reduce((sum, { wallets }) => sum + wallets, 0),
    unmatchedSettlements: (await database.first(sql.countUnmatchedSettlements, 1))?.n ?? 0,
    pending: [...pending.values()].reduce(addPending, NO_PENDING),
    openAlerts: await alerts.countOpen(),
    nodes,
  };
}

interface ReadFigures {
  readonly totals: LedgerTotals;
  /** Of the last reconciliation. */
  readonly comparisons: readonly NodeComparison[];
  readonly pending: ReadonlyMap<string, PendingTotals>;
  readonly rows: ReadonlyMap<string, sql.NodeRow>;
  /** The subjects of the open alerts. */
  readonly alerted: readonly string[];
}

async function nodeOverview(
  { database }: OperatorModules,
  { totals, comparisons, pending, rows, alerted }: ReadFigures,
  connection: NodeConnection,
  state: NodeState,
): Promise<NodeOverview> {
  const { nodeId, ledgerAccount, createdAt } = connection;
  const row = rows.get(nodeId);
  const newest = await database.first(sql.newestOfNode, ledgerAccount);
  return {
    id: nodeId,
    createdAt,
    state,
    isDraining: row?.state === 'draining',
    info: connection.info(),
    pubkey: row?.pubkey ?? undefined,
    wallets: row?.wallets ?? 0,
    measured: await lastMeasured(database, nodeId),
    heldMsat: totals.heldByNode.get(ledgerAccount) ?? 0,
    pending: pending.get(nodeId) ?? NO_PENDING,
    lastBookedAt: newest && Math.floor(newest.created_at_ms / 1000),
    comparison: comparisons.find(({ ln_node_id }) => ln_node_id === nodeId),
    openAlerts: alerted.filter((subject) => subject === nodeId).length,
  };
}

/** Asks the node whether it answers. @returns its state after two seconds at the latest */
async function stateOf(connection: NodeConnection): Promise<NodeState> {
  try {
    const { cannotSend } = await withTimeout(
      ANSWER_MS,
      connection.readInfo(),
      () => new Error(`no response within ${ANSWER_MS / 1000} seconds`),
    );
    return { status: cannotSend ? 'cannot_send' : 'ready', reason: cannotSend };
  } catch (error) {
    return { status: 'unavailable', reason: errorMessage(error) };
  }
}

function pendingOf({ n, held_msat, oldest_at }: sql.PendingOfNodeRow): PendingTotals {
  return { payments: n, heldMsat: held_msat, oldestAt: oldest_at };
}

function addPending(a: PendingTotals, b: PendingTotals): PendingTotals {
  const oldest = [a.oldestAt, b.oldestAt].filter((at) => at !== undefined);
  return {
    payments: a.payments + b.payments,
    heldMsat: a.heldMsat + b.heldMsat,
    oldestAt: oldest.length === 0 ? undefined : Math.min(...oldest),
  };
}
