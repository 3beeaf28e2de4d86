import type { Alerts } from '../alerts/alerts.ts';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import type { Instances } from '../db/instances.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';

export interface OperatorReadDependencies {
  readonly database: Database;
  readonly ledger: Pick<Ledger, 'entries'>;
  readonly alerts: Alerts;
  readonly connections: Pick<NodeConnections, 'all'>;
  readonly instances: Pick<Instances, 'list' | 'leases'>;
  /** The age at which a pending payment is stuck. */
  readonly stuckPaymentSeconds: number;
  readonly clock: Clock;
}

/** A page of a list, and the number of all its items. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}
