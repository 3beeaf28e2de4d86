import type { Alerts } from '../alerts/alerts.ts';
import type { NodeConnection } from '../connection/connection.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Payments } from '../payments/payments.ts';
import type { Wallets } from '../wallets/wallets.ts';

export interface OperatorDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connection: Pick<NodeConnection, 'node'>;
  readonly wallets: Pick<Wallets, 'find' | 'create'>;
  readonly payments: Pick<Payments, 'find' | 'readInvoice' | 'payInvoice' | 'reportOutcome' | 'attempt'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** An action cannot be done, and has moved no money. The message tells the operator why and what to do. */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';
}
