import { closeAlert } from '../../core/alerts/alerts.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { pause, unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import { NodeProbe } from '../reconcile/node-probe.ts';
import { lookUpEvidence } from '../reconcile/pending.ts';
import type { ReconciliationScope } from '../reconcile/report.ts';
import { type Requester, type RequestOptions, requestReconciliation } from '../reconcile/requests.ts';
import { type Action, findAction, type NewAction, requestAction } from './actions.ts';
import { changeFiatRate, type FiatRate } from './fiat-rate.ts';
import * as sql from './operator.sql.ts';
import type { NodeEvidence } from './pending.ts';
import type { OperatorReadDependencies } from './read-dependencies.ts';

/** The requests of operators that come through the API. The options have guards, because roles and keys are checked when a request is stored. */
export interface OperatorRequests {
  /** Stores an action, which the background job executes. Returns an identical earlier action unless it was refused. */
  request(action: NewAction, options: RequestOptions): Promise<{ action: Action; isNew: boolean }>;
  /** Returns an action when it has ended, or its state after a limited time. */
  wait(id: string): Promise<Action>;
  /** Requests a reconciliation. @returns its id */
  reconcile(scope: ReconciliationScope, requester: Requester, options: RequestOptions): Promise<string>;
  /** Closes an open alert. @throws Refusal `not_found`, `action_refused` */
  closeAlert(id: string, requester: Requester, options: RequestOptions): Promise<void>;
  /** Sets the fiat rate, or removes it if it is undefined. @returns the id of the change */
  changeFiatRate(rate: Omit<FiatRate, 'setAt'> | undefined, requestedBy: string, options: RequestOptions): Promise<string>;
  /** Attempts a pending payment again as the background job does, and returns what the node reports if it is still pending. */
  recheck(paymentId: string): Promise<NodeEvidence | undefined>;
  /** Makes every `wait` return the present state. */
  stopWaiting(): void;
}

export interface OperatorRequestDependencies extends OperatorReadDependencies {
  readonly payments: Pick<Payments, 'find' | 'attempt'>;
  /** The longest wait for the end of an action or of an attempt. */
  readonly waitSeconds: number;
}

const POLL_MS = 50;

export function createOperatorRequests(deps: OperatorRequestDependencies): OperatorRequests {
  const { database, alerts, clock, waitSeconds } = deps;
  const stopping = new AbortController();

  async function wait(id: string): Promise<Action> {
    const until = performance.now() + 1000 * waitSeconds;
    for (;;) {
      const action = await findAction(database, id);
      if (!action) throw new Error(`the action ${id} is gone`);
      const hasEnded = action.state === 'done' || action.state === 'refused';
      if (hasEnded || performance.now() >= until || (await pause(POLL_MS, stopping.signal))) return action;
    }
  }

  return {
    wait,
    request: (action, options) => requestAction(database, action, unixSeconds(clock), options),
    reconcile: (scope, requester, options) => requestReconciliation(database, scope, unixSeconds(clock), requester, options),
    async closeAlert(id, { requestedBy, reason }, { guards = [], extraRows = () => [] }) {
      if (!(await alerts.find(id))) throw new Refusal('not_found');
      await database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        if (!(await closeAlert(tx, clock, id, requestedBy, reason))) throw new Refusal('action_refused', 'The alert is closed already.');
        await writeRows(tx, extraRows(id));
      });
    },
    changeFiatRate: (rate, requestedBy, options) => changeFiatRate(database, rate, { requestedBy, now: unixSeconds(clock) }, options),
    recheck: (paymentId) => recheck(deps, paymentId, stopping.signal),
    stopWaiting: () => stopping.abort(),
  };
}

async function recheck(deps: OperatorRequestDependencies, paymentId: string, signal: AbortSignal): Promise<NodeEvidence | undefined> {
  const { database, payments, connections, clock, waitSeconds } = deps;
  const pending = await payments.find(paymentId);
  if (pending?.state !== 'pending') return undefined;
  // An attempt lasts as long as the node likes. It continues when the wait has ended.
  const waited = new AbortController();
  const limit = AbortSignal.any([signal, waited.signal]);
  await Promise.race([payments.attempt(pending), pause(1000 * waitSeconds, limit)]);
  waited.abort();
  const row = await database.first(sql.findPayment, paymentId);
  const connection = connections.all.find(({ nodeId }) => nodeId === row?.node_id);
  if (row?.state !== 'pending' || !connection) return undefined;
  const found = await lookUpEvidence(new NodeProbe(connection, AbortSignal.any([signal])), row);
  return { ...found, at: unixSeconds(clock) };
}
