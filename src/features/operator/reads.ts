import type { AlertState, ListedAlert } from '../../core/alerts/alerts.ts';
import type { HeldLease, Instance } from '../../core/db/instances.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { TtlCache } from '../../core/kernel/ttl-cache.ts';
import { findReconciliation, listReconciliations, type StoredReconciliation } from '../reconcile/requests.ts';
import { type BalanceSample, listSamples } from '../reconcile/samples.ts';
import {
  type Action,
  type ActionRecord,
  actionsOf,
  findUnmatchedSettlement,
  toAction,
  toUnmatchedSettlement,
  type UnmatchedSettlement,
} from './actions.ts';
import { type ChannelList, readChannels } from './channels.ts';
import { type FiatRate, findChangedRate, readFiatRate } from './fiat-rate.ts';
import * as sql from './operator.sql.ts';
import { type Overview, readOverview } from './overview.ts';
import { findOperatorPayment, listPendingPayments, type OperatorPayment } from './pending.ts';
import type { OperatorPage, OperatorReadDependencies } from './read-dependencies.ts';

/** Money in suspense, with the actions of operators on it. */
export interface UnmatchedSettlementDetails extends UnmatchedSettlement {
  readonly actions: readonly Action[];
}

/** The periods of the history of balances, and the hours between two samples of each. */
export const HISTORY_PERIODS = ['day', 'week', 'month', 'year'] as const;
export type HistoryPeriod = (typeof HISTORY_PERIODS)[number];

const PERIODS: Readonly<Record<HistoryPeriod, { readonly days: number; readonly stepHours: number }>> = {
  day: { days: 1, stepHours: 1 },
  week: { days: 7, stepHours: 1 },
  month: { days: 30, stepHours: 6 },
  year: { days: 365, stepHours: 24 },
};

/** What operators read. */
export interface OperatorReads {
  overview(): Promise<Overview>;
  /** Returns the channels of a node as they are now; undefined for an unknown node. @throws Refusal when the node does not answer. */
  channels(nodeId: string): Promise<ChannelList | undefined>;
  /** Returns samples of assets and liabilities, oldest first. */
  history(period: HistoryPeriod): Promise<BalanceSample[]>;
  /** Returns money that arrived for no wallet, newest first; unless `isAll`, only what is left in suspense. */
  suspense(isAll: boolean, limit: number, offset: number): Promise<OperatorPage<UnmatchedSettlementDetails>>;
  findUnmatchedSettlement(paymentHash: string): Promise<UnmatchedSettlementDetails | undefined>;
  /** Returns pending payments, oldest first. */
  payments(status: 'pending' | 'stuck', limit: number, offset: number): Promise<OperatorPage<OperatorPayment>>;
  findPayment(id: string): Promise<OperatorPayment | undefined>;
  findAlert(id: string): Promise<ListedAlert | undefined>;
  alerts(state: AlertState, limit: number, offset: number): Promise<OperatorPage<ListedAlert>>;
  reconciliations(limit: number, offset: number): Promise<OperatorPage<StoredReconciliation>>;
  findReconciliation(id: string): Promise<StoredReconciliation | undefined>;
  /** Returns the actions of operators and the changes of the fiat rate, newest first. */
  actions(limit: number, offset: number): Promise<OperatorPage<ActionRecord>>;
  findAction(id: string): Promise<ActionRecord | undefined>;
  /** Returns the fiat rate; undefined if none is set. Every key and session may read it. */
  fiatRate(): Promise<FiatRate | undefined>;
  /** Returns the rate that a change has set; undefined if it removed the rate. */
  changedFiatRate(changeId: string): Promise<FiatRate | undefined>;
  /** Returns whether the ledger has this node. */
  isNode(id: string): Promise<boolean>;
  isWallet(id: string): Promise<boolean>;
  instances(): Promise<{ instances: Instance[]; leases: HeldLease[] }>;
}

/** For one second, all pages of a list and all open screens share one request to the node. */
const SHARED_CHANNELS = { maxAgeMs: 1000, maxSize: 100 };

export function createOperatorReads(deps: OperatorReadDependencies): OperatorReads {
  const { database, alerts, connections, instances, clock } = deps;
  const channelLists = new TtlCache<ChannelList>(SHARED_CHANNELS);
  const withActions = async (settlement: UnmatchedSettlement): Promise<UnmatchedSettlementDetails> => ({
    ...settlement,
    actions: await actionsOf(database, settlement.paymentHash),
  });
  return {
    overview: () => readOverview(deps),
    async channels(nodeId) {
      const connection = connections.all.find((one) => one.nodeId === nodeId);
      return connection && channelLists.get(nodeId, () => readChannels(connection, clock));
    },
    history(period) {
      const { days, stepHours } = PERIODS[period];
      const nodeIds = connections.all.map(({ nodeId }) => nodeId);
      return listSamples(database, nodeIds, unixSeconds(clock) - days * 86_400, stepHours);
    },
    async suspense(isAll, limit, offset) {
      const onlyLeft = isAll ? 0 : 1;
      const settlements = (await database.all(sql.listNewestUnmatchedSettlements, onlyLeft, limit, offset)).map(toUnmatchedSettlement);
      const total = (await database.first(sql.countUnmatchedSettlements, onlyLeft))?.n ?? 0;
      return { items: await Promise.all(settlements.map(withActions)), total };
    },
    async findUnmatchedSettlement(paymentHash) {
      const settlement = await findUnmatchedSettlement(database, paymentHash);
      return settlement && withActions(settlement);
    },
    payments: (status, limit, offset) => listPendingPayments(deps, status, limit, offset),
    findPayment: (id) => findOperatorPayment(deps, id),
    findAlert: (id) => alerts.find(id),
    async alerts(state, limit, offset) {
      const { alerts: items, total } = await alerts.list(state, limit, offset);
      return { items, total };
    },
    async reconciliations(limit, offset) {
      const { reconciliations: items, total } = await listReconciliations(database, limit, offset);
      return { items, total };
    },
    findReconciliation: (id) => findReconciliation(database, id),
    async actions(limit, offset) {
      const items = (await database.all(sql.listRecords, limit, offset)).map((row) => toAction(row));
      return { items, total: (await database.first(sql.countRecords))?.n ?? 0 };
    },
    async findAction(id) {
      const row = await database.first(sql.findRecord, id);
      return row && toAction(row);
    },
    fiatRate: () => readFiatRate(database),
    changedFiatRate: (changeId) => findChangedRate(database, changeId),
    isNode: async (id) => (await database.first(sql.findNodeState, id)) !== undefined,
    isWallet: async (id) => (await database.first(sql.findWalletNode, id)) !== undefined,
    instances: async () => ({ instances: await instances.list(), leases: await instances.leases() }),
  };
}
