import { insertAccount } from '../../src/accounts/accounts.sql.ts';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { createAlarms } from '../../src/alarms/alarms.ts';
import type { Database } from '../../src/db/database.ts';
import { createInvoices, type Invoices } from '../../src/invoices/invoices.ts';
import { keysendRouting } from '../../src/invoices/keysend-routing.ts';
import { meetNode } from '../../src/invoices/our-node.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { FakeNetwork } from '../../src/lightning/fake/fake.ts';
import { NodeUnavailable } from '../../src/lightning/node.ts';
import { createWithdrawLinks, linkUses, type WithdrawLinks } from '../../src/lnurl/withdraw-links.ts';
import { createPayments, type Payments } from '../../src/payments/payments.ts';
import { watchNode } from '../../src/payments/watcher.ts';
import { createWallets, type Wallets } from '../../src/wallets/wallets.ts';
import { silentLog } from '../support/databases.ts';

/** One life of the service: its rooms, its watch of the node, and a way to die. */
export interface Life {
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly links: WithdrawLinks;
  /** kill -9: nothing that is under way is answered or goes on; a transaction that is not committed is rolled back. */
  kill(): void;
  readonly isDead: boolean;
  /** Dies by itself after this many statements and commits. */
  dieIn(steps: number): void;
}

export const ACCOUNT = 'acc_simulation';

export async function openAccount(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(insertAccount, ACCOUNT, 1));
}

export async function beginLife(healthy: Database, net: FakeNetwork): Promise<Life> {
  const clock: Clock = { nowMs: () => net.time.nowMs() };
  const fate = { isDead: false, stepsLeft: Number.POSITIVE_INFINITY };
  const database = mortal(healthy, fate, () => kill());
  const connection = net.connect();
  const watching = new AbortController();
  function kill(): void {
    fate.isDead = true;
    connection.kill();
    watching.abort();
  }

  const met = await meetNode({ database, node: connection, log: silentLog });
  // Known anew every time: what is remembered for a second of real time would make a run differ from its repetition.
  const isAvailable = () =>
    met.node.info().then(
      () => true,
      () => false,
    );
  const our = {
    ...met,
    isAvailable,
    async requireAvailable() {
      if (!(await isAvailable())) throw new NodeUnavailable('away');
    },
  };
  const ledger = createLedger(database, clock);
  const accounts = createAccounts(database, clock);
  const wallets = createWallets(database, accounts, clock);
  const alarms = createAlarms(database, clock, silentLog);
  const invoices = createInvoices(database, ledger, our, keysendRouting(wallets, undefined), clock);
  const deps = { database, ledger, alarms, our, invoices, clock, log: silentLog, maxInFlight: 1000, linkUses };
  const payments = createPayments(deps);
  const links = createWithdrawLinks({ database, ledger, accounts, wallets, payments, clock, publicUrl: 'https://simulation.test' });
  our.node.guardIncoming(async (incoming) => ((await invoices.mayClaim(incoming)) ? 'claim' : 'refuse'));
  const pace = { retryMs: 0, keepPositionMs: 1 };
  void watchNode({ database, node: our.node, invoices, payments, log: silentLog, pace }, watching.signal);
  return {
    ledger,
    wallets,
    invoices,
    payments,
    links,
    kill,
    get isDead() {
      return fate.isDead;
    },
    dieIn(steps) {
      fate.stepsLeft = steps;
    },
  };
}

interface Fate {
  isDead: boolean;
  stepsLeft: number;
}

/** What a dead process does: nothing, for ever. */
const silence = () => new Promise<never>(() => undefined);

class Died extends Error {}

/** A database that a dead service cannot reach any more: what was not committed by then never is, and nobody hears of what was. */
function mortal(database: Database, fate: Fate, die: () => void): Database {
  function step(): void {
    fate.stepsLeft -= 1;
    if (fate.stepsLeft < 0 && !fate.isDead) die();
    if (fate.isDead) throw new Died('the service is dead');
  }
  async function living<T>(task: () => Promise<T>): Promise<T> {
    if (fate.isDead) return silence();
    try {
      const result = await task();
      return fate.isDead ? await silence() : result;
    } catch (error) {
      if (fate.isDead) return silence();
      throw error;
    }
  }
  return {
    ...database,
    // A new process remembers nothing of the one before.
    identity: {},
    all: (query, ...parameters) => living(() => database.all(query, ...parameters)),
    first: (query, ...parameters) => living(() => database.first(query, ...parameters)),
    snapshot: (work) => living(() => database.snapshot(work)),
    transaction: (work) =>
      living(async () => {
        const result = await database.transaction(async (tx) => {
          const worked = await work({
            ...tx,
            all: async (query, ...parameters) => {
              step();
              return tx.all(query, ...parameters);
            },
            first: async (query, ...parameters) => {
              step();
              return tx.first(query, ...parameters);
            },
            run: async (query, ...parameters) => {
              step();
              return tx.run(query, ...parameters);
            },
          });
          step();
          return worked;
        });
        // Committed; whether anybody hears of it is another step.
        fate.stepsLeft -= 1;
        if (fate.stepsLeft < 0 && !fate.isDead) die();
        return result;
      }),
  };
}
