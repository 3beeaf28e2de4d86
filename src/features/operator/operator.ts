import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnection } from '../../core/connection/connection.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { type Clock, pause, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import { satText } from '../../core/kernel/money.ts';
import { TtlCache } from '../../core/kernel/ttl-cache.ts';
import { type Ledger, SYSTEM_ACCOUNTS } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { NodeProbe } from '../reconcile/node-probe.ts';
import { lookUpEvidence } from '../reconcile/pending.ts';
import type { NodeEvidence } from '../reconcile/reconciliation-object.ts';
import { type Action, ActionRefused, ExecutedElsewhere, findAction, openActions, readAction } from './actions.ts';
import { type NodeChannels, readChannels } from './channels-object.ts';
import { changeNode, moveWallet } from './nodes.ts';
import * as sql from './operator.sql.ts';
import { resolvePayment } from './resolve.ts';
import { continueReturn, creditWallet } from './suspense.ts';
import { endUnknownHold } from './unknown-holds.ts';

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
  /** The age at which a pending payment is stuck. */
  readonly stuckPaymentSeconds: number;
}

/** Executes an action as far as possible now. Its row changes in the posting that executes it, so a second instance does not repeat it. */
const EXECUTE: Readonly<Record<Action['kind'], (modules: OperatorModules, action: Action) => Promise<void>>> = {
  credit: creditWallet,
  return: continueReturn,
  resolve: resolvePayment,
  drain: changeNode,
  activate: changeNode,
  move: moveWallet,
  settle_held: endUnknownHold,
  cancel_held: endUnknownHold,
};

/** How often requested actions are looked for, and how often a request reads the state of its action. */
const JOB_POLL_MS = 1000;
const WAIT_POLL_MS = 50;
const SUSPENSE_ALERT = { kind: 'suspense_not_empty', subject: 'suspense' } as const;
/** For one second, all pages of a list and all open screens share one request to the node. */
const SHARED_CHANNELS = { maxAgeMs: 1000, maxSize: 100 };

/** Executes the actions of operators, and answers their requests that wait for an action or for a node. */
export class Operator {
  readonly #modules: OperatorModules;
  readonly #waitSeconds: number;
  readonly #channels = new TtlCache<NodeChannels>(SHARED_CHANNELS);
  /** The last list of channels of each node, which is shown while the node does not answer. */
  readonly #lastChannels = new Map<string, NodeChannels>();
  readonly #stopping = new AbortController();

  /** `waitSeconds`: the longest wait of a request. */
  constructor(modules: OperatorModules, waitSeconds: number) {
    this.#modules = modules;
    this.#waitSeconds = waitSeconds;
  }

  /** Executes requested actions, and watches suspense, until the signal aborts. */
  async run(signal: AbortSignal, pollMs = JOB_POLL_MS): Promise<void> {
    const { database, log } = this.#modules;
    for (let alertedMsat: number | undefined; !signal.aborted; await pause(pollMs, signal)) {
      try {
        for await (const action of openActions(database)) await this.execute(action);
        alertedMsat = await this.#checkSuspense(alertedMsat);
      } catch (error) {
        log.warn({ reason: errorMessage(error) }, 'operator actions were interrupted; retrying');
      }
    }
  }

  /** Executes an action as far as possible now. After an unexpected error it is retried. */
  async execute(action: Action): Promise<void> {
    const { database, clock, log } = this.#modules;
    const { id, kind, subject, requested_by: requestedBy } = action;
    try {
      await EXECUTE[kind](this.#modules, action);
    } catch (error) {
      if (error instanceof ActionRefused)
        await database.transaction((tx) => tx.run(sql.endAction, id, 'refused', error.message, unixSeconds(clock)));
      else if (!(error instanceof ExecutedElsewhere))
        log.warn({ action: id, reason: errorMessage(error) }, 'an operator action was interrupted; retrying');
    }
    const now = await findAction(database, id);
    if (now && now.state !== action.state)
      log.info({ action: id, kind, subject, requestedBy, state: now.state, answer: now.answer }, 'operator action');
  }

  /** Raises an alert if suspense is not empty and its balance has changed. @returns the balance in msat. */
  async #checkSuspense(alertedMsat: number | undefined): Promise<number> {
    const { ledger, alerts } = this.#modules;
    const { balanceMsat } = await ledger.balance(SYSTEM_ACCOUNTS.suspense);
    if (balanceMsat === alertedMsat) return balanceMsat;
    if (balanceMsat > 0) {
      const message = `${satText(balanceMsat)} arrived for no wallet`;
      await alerts.raise({ ...SUSPENSE_ALERT, message, details: { amount_msat: balanceMsat } });
    } else await alerts.clear(SUSPENSE_ALERT.kind, SUSPENSE_ALERT.subject);
    return balanceMsat;
  }

  /** Returns an action when it has ended, or its state after a limited time. */
  async wait(id: string): Promise<Action> {
    const until = performance.now() + 1000 * this.#waitSeconds;
    for (;;) {
      const action = await readAction(this.#modules.database, id);
      const hasEnded = action.state === 'done' || action.state === 'refused';
      if (hasEnded || performance.now() >= until || (await pause(WAIT_POLL_MS, this.#stopping.signal))) return action;
    }
  }

  /** Makes every `wait` return the present state. */
  stopWaiting(): void {
    this.#stopping.abort();
  }

  /** Attempts a pending payment again as the background job does, and returns what the node reports if it is still pending. */
  async recheck(paymentId: string): Promise<NodeEvidence | null> {
    const { database, connections, payments, clock } = this.#modules;
    const pending = await payments.find(paymentId);
    if (pending?.state !== 'pending') return null;
    // An attempt lasts as long as the node likes. It continues when the wait has ended.
    const waited = new AbortController();
    const limit = AbortSignal.any([this.#stopping.signal, waited.signal]);
    await Promise.race([payments.attempt(pending), pause(1000 * this.#waitSeconds, limit)]);
    waited.abort();
    const row = await database.first(sql.findPayment, paymentId);
    const connection = row && connections.find(row.ln_node_id);
    if (row?.state !== 'pending' || !connection) return null;
    const probe = new NodeProbe(connection, AbortSignal.any([this.#stopping.signal]));
    return lookUpEvidence(probe, clock, row);
  }

  /** Returns the channels of a node as they are now; undefined for an unknown node. @throws Refusal when the node does not answer. */
  async channels(nodeId: string): Promise<NodeChannels | undefined> {
    const connection = this.#modules.connections.find(nodeId);
    return connection && this.#channels.get(nodeId, () => this.#readChannels(connection));
  }

  /** Returns the channels that a node had when this instance last read them; undefined if it has not. */
  lastChannels(nodeId: string): NodeChannels | undefined {
    return this.#lastChannels.get(nodeId);
  }

  async #readChannels(connection: NodeConnection): Promise<NodeChannels> {
    const list = await readChannels(connection, this.#modules.clock);
    this.#lastChannels.set(connection.nodeId, list);
    return list;
  }
}
