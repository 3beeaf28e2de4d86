import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { type Clock, pause } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { TtlCache } from '../../core/kernel/ttl-cache.ts';
import { type Ledger, requireGuards } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { NodeProbe } from '../reconcile/node-probe.ts';
import { lookUpEvidence, type NodeEvidence } from '../reconcile/pending.ts';
import type { Requester, RequestOptions } from '../reconcile/requests.ts';
import { type Action, findAction } from './actions.ts';
import { type ChannelList, readChannels } from './channels.ts';
import * as sql from './operator.sql.ts';

/** The modules that operators read, and that execute what they request. */
export interface OperatorModules {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connections: NodeConnections;
  readonly invoices: Invoices;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
}

const POLL_MS = 50;
/** For one second, all pages of a list and all open screens share one request to the node. */
const SHARED_CHANNELS = { maxAgeMs: 1000, maxSize: 100 };

/** Requests of operators that wait for the service or for a node. `waitSeconds`: the longest wait. */
export type Operator = ReturnType<typeof createOperator>;

export function createOperator(modules: OperatorModules, waitSeconds: number) {
  const { database, connections, payments, clock } = modules;
  const channelLists = new TtlCache<ChannelList>(SHARED_CHANNELS);
  const stopping = new AbortController();

  return {
    /** Returns the channels of a node as they are now; undefined for an unknown node. @throws Refusal when the node does not answer. */
    async channels(nodeId: string): Promise<ChannelList | undefined> {
      const connection = connections.all.find((one) => one.nodeId === nodeId);
      return connection && channelLists.get(nodeId, () => readChannels(connection, clock));
    },

    /** Returns an action when it has ended, or its state after a limited time. */
    async wait(id: string): Promise<Action> {
      const until = performance.now() + 1000 * waitSeconds;
      for (;;) {
        const action = await findAction(database, id);
        if (!action) throw new Error(`the action ${id} is gone`);
        const hasEnded = action.state === 'done' || action.state === 'refused';
        if (hasEnded || performance.now() >= until || (await pause(POLL_MS, stopping.signal))) return action;
      }
    },

    /** Attempts a pending payment again as the background job does, and returns what the node reports if it is still pending. */
    async recheck(paymentId: string): Promise<NodeEvidence | undefined> {
      const pending = await payments.find(paymentId);
      if (pending?.state !== 'pending') return undefined;
      // An attempt lasts as long as the node likes. It continues when the wait has ended.
      const waited = new AbortController();
      const limit = AbortSignal.any([stopping.signal, waited.signal]);
      await Promise.race([payments.attempt(pending), pause(1000 * waitSeconds, limit)]);
      waited.abort();
      const row = await database.first(sql.findPayment, paymentId);
      const connection = connections.all.find(({ nodeId }) => nodeId === row?.node_id);
      if (row?.state !== 'pending' || !connection) return undefined;
      return lookUpEvidence(new NodeProbe(connection, AbortSignal.any([stopping.signal])), clock, row);
    },

    /** Makes every `wait` return the present state. */
    stopWaiting: () => stopping.abort(),
  };
}

/** Closes an open alert on the request of an operator. @throws Refusal `not_found`, `action_refused` */
export async function closeOpenAlert(
  { database, alerts }: OperatorModules,
  id: string,
  { requestedBy, reason }: Requester,
  { guards = [], extraRows = () => [] }: RequestOptions,
): Promise<void> {
  if (!(await alerts.find(id))) throw new Refusal('not_found');
  await database.transaction(async (tx) => {
    await requireGuards(tx, guards);
    if (!(await alerts.closeIn(tx, id, requestedBy, reason))) throw new Refusal('action_refused', 'The alert is closed already.');
    await writeRows(tx, extraRows(id));
  });
}
