import type { FakeNetwork } from '../../devnet/fake/fake.ts';
import { readConfig } from '../../src/config.ts';
import { insertAccount } from '../../src/core/accounts/accounts.sql.ts';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { connectNodes, type NodeConnections } from '../../src/core/connection/connections.ts';
import type { EventHandlers } from '../../src/core/connection/events.ts';
import { readNodeEvents } from '../../src/core/connection/events.ts';
import type { Database, Tx } from '../../src/core/db/database.ts';
import type { Invoices } from '../../src/core/invoices/invoices.ts';
import { type Clock, unixSeconds } from '../../src/core/kernel/clock.ts';
import type { Ledger } from '../../src/core/ledger/ledger.ts';
import { createNostrCrypto } from '../../src/core/nostr/crypto-pool.ts';
import { parseAllowList } from '../../src/core/outbound/addresses.ts';
import { Outbound } from '../../src/core/outbound/outbound.ts';
import { markPendingAtNode, type Payments } from '../../src/core/payments/payments.ts';
import { createRates } from '../../src/core/rates/rates.ts';
import type { Wallets } from '../../src/core/wallets/wallets.ts';
import { createZaps } from '../../src/features/lnurl/nostr/zaps.ts';
import { createPayLinks } from '../../src/features/lnurl/pay/pay-links.ts';
import { linkUses } from '../../src/features/lnurl/withdraw/claims.ts';
import { createWithdrawLinks, type WithdrawLinks } from '../../src/features/lnurl/withdraw/withdraw-links.ts';
import { readAction, requestAction } from '../../src/features/operator/actions.ts';
import { moveWallet } from '../../src/features/operator/nodes.ts';
import { requestUnsettledComparison } from '../../src/features/reconcile/invoices.ts';
import { silentLog } from '../support/ledger.ts';
import { createModules } from '../support/modules.ts';

/** A simulated process of the service: its modules and its readers of node events. It can be paused and killed. */
export interface Life {
  readonly connections: NodeConnections;
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly links: WithdrawLinks;
  /** Moves a wallet to another node, as an operator does. */
  move(walletId: string, nodeId: string): Promise<void>;
  /** kill -9: no running call returns or continues, and an open transaction is rolled back. */
  kill(): void;
  readonly isDead: boolean;
  /** Kills the process after this many statements and commits. */
  dieIn(steps: number): void;
  /** SIGSTOP: every statement and commit waits, also during a transaction, which keeps its locks. */
  pause(): void;
  /** SIGCONT. */
  unpause(): void;
}

export const ACCOUNT = 'acc_simulation';

export async function openAccount(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(insertAccount, ACCOUNT, 1));
}

/** Starts a process with one node on each network. */
export async function beginLife(healthy: Database, nets: readonly [FakeNetwork, ...FakeNetwork[]]): Promise<Life> {
  const [{ time }] = nets;
  const clock: Clock = { nowMs: () => time.nowMs() };
  const fate: Fate = { isDead: false, stepsLeft: Number.POSITIVE_INFINITY, unpaused: undefined };
  const database = mortal(healthy, fate, () => kill());
  const fakeNodes = nets.map((net) => net.connect());
  const watching = new AbortController();
  function unpause(): void {
    fate.unpaused?.resolve();
    fate.unpaused = undefined;
  }
  function kill(): void {
    fate.isDead = true;
    unpause();
    for (const fakeNode of fakeNodes) fakeNode.kill();
    watching.abort();
  }

  const alerts = createAlerts(database, clock, silentLog);
  const onRestore = async (tx: Tx, nodeId: string) => {
    await markPendingAtNode(tx, nodeId);
    await requestUnsettledComparison(tx, nodeId);
  };
  const connections = withoutCaches(await connectNodes({ database, nodes: fakeNodes, alerts, onRestore, clock, log: silentLog }));
  const { accounts, invoices, ledger, payments, wallets, deps } = createModules({ database, connections, clock, linkUses });
  const publicUrl = 'https://simulation.test';
  const outbound = new Outbound({ allow: parseAllowList(''), proxy: undefined, log: { ...silentLog, debug: () => undefined } });
  const secretKey = Buffer.alloc(32);
  const nostr = { hasZaps: false, nostrCrypto: createNostrCrypto() };
  const payLinks = createPayLinks({
    database,
    wallets,
    invoices,
    rates: createRates({ ...readConfig({}), database, alerts, outbound, clock }),
    zaps: createZaps({ ...nostr, database, outbound, secretKey, clock, log: silentLog }),
    maxOpenInvoices: 1000,
    secretKey,
    clock,
    addressDomains: [],
    localHosts: [],
    publicUrl,
  });
  const { withdrawals } = deps;
  const linked = {
    database,
    ledger,
    withdrawals,
    fees: deps.fees,
    accounts,
    wallets,
    payments,
    payLinks,
    outbound,
    publicUrl,
    clock,
    log: silentLog,
  };
  const links = createWithdrawLinks(linked);
  connections.guardIncoming(async (incoming) => ((await invoices.mayClaim(incoming)) ? 'claim' : 'refuse'));
  const intervals = { retryMs: 0, storePositionMs: 1, retryUnbookedMs: 50 };
  const handlers: EventHandlers = {
    settle: (settlement, id) => invoices.settle(settlement, id),
    reportOutcome: (paymentId, outcome) => payments.reportOutcome(paymentId, outcome),
  };
  const onReconnect = () => void payments.resumePending();
  const onPaymentHint = (paymentHash: string) => payments.readAgain(paymentHash);
  const reader = { database, handlers, onPaymentHint, onReconnect, alerts, clock, log: silentLog, intervals };
  for (const connection of connections.all) void readNodeEvents({ ...reader, connection }, watching.signal);
  return {
    connections,
    ledger,
    wallets,
    invoices,
    payments,
    links,
    async move(walletId, nodeId) {
      const move = { kind: 'move', subject: walletId, target: nodeId, requestedBy: 'bob', reason: 'a test' } as const;
      const { id } = await database.transaction((tx) => requestAction(tx, move, unixSeconds(clock)));
      await moveWallet(
        { database, ledger, alerts, connections, invoices, wallets, payments, clock, log: silentLog, stuckPaymentSeconds: 0 },
        await readAction(database, id),
      );
    },
    kill,
    get isDead() {
      return fate.isDead;
    },
    dieIn(steps) {
      fate.stepsLeft = steps;
    },
    pause() {
      fate.unpaused ??= Promise.withResolvers();
    },
    unpause,
  };
}

/** Cached values expire by real time, so a repetition of the run would differ. */
function withoutCaches(connections: NodeConnections): NodeConnections {
  for (const connection of connections.all) {
    const requireAvailable = async () => {
      await connection.readInfo();
    };
    const isAvailable = () =>
      requireAvailable().then(
        () => true,
        () => false,
      );
    Object.assign(connection, { isAvailable, requireAvailable, requireCanSend: requireAvailable });
  }
  return connections;
}

interface Fate {
  isDead: boolean;
  stepsLeft: number;
  /** Set while the process is paused; resolved when it continues. */
  unpaused: PromiseWithResolvers<void> | undefined;
}

/** Returns a promise that never resolves, as the calls of a killed process. */
const silence = () => new Promise<never>(() => undefined);

class Died extends Error {}

/**
 * The database of a process that can be paused and killed. After a kill, an open transaction is rolled back and no call returns.
 */
function mortal(database: Database, fate: Fate, die: () => void): Database {
  async function step(): Promise<void> {
    await fate.unpaused?.promise;
    fate.stepsLeft -= 1;
    if (fate.stepsLeft < 0 && !fate.isDead) die();
    if (fate.isDead) throw new Died('the service is dead');
  }
  async function living<T>(task: () => Promise<T>): Promise<T> {
    await fate.unpaused?.promise;
    if (fate.isDead) return silence();
    try {
      const result = await task();
      await fate.unpaused?.promise;
      return fate.isDead ? await silence() : result;
    } catch (error) {
      if (fate.isDead) return silence();
      throw error;
    }
  }
  return {
    ...database,
    // A new process has none of the caches of the one before.
    identity: {},
    all: (query, ...parameters) => living(() => database.all(query, ...parameters)),
    first: (query, ...parameters) => living(() => database.first(query, ...parameters)),
    snapshot: (work) => living(() => database.snapshot(work)),
    transaction: (work) =>
      living(async () => {
        const result = await database.transaction(async (tx) => {
          const worked = await work({
            ...tx,
            all: (query, ...parameters) => step().then(() => tx.all(query, ...parameters)),
            first: (query, ...parameters) => step().then(() => tx.first(query, ...parameters)),
            run: (query, ...parameters) => step().then(() => tx.run(query, ...parameters)),
            send: (query, ...parameters) => step().then(() => tx.send(query, ...parameters)),
          });
          await step();
          return worked;
        });
        // The commit is one step; its response is another.
        fate.stepsLeft -= 1;
        if (fate.stepsLeft < 0 && !fate.isDead) die();
        return result;
      }),
  };
}
