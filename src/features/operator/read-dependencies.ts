import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import type { Instances } from '../../core/db/instances.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';

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
export interface OperatorPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}
