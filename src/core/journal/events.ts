import type { RowWrite } from '../db/row-write.ts';
import type { Clock } from '../kernel/clock.ts';
import type { StoredEventType } from './event-types.ts';
import * as sql from './events.sql.ts';

/** The owner of an event: a wallet by its ledger account, an account, or the operator for an event about an alert. */
export type EventOwner = { readonly ledgerAccount: number } | { readonly accountId: string } | 'operator';

export interface NewEvent {
  readonly type: StoredEventType;
  readonly owner: EventOwner;
  /** The id of the object that changed. */
  readonly subject: string;
  /** What the object's row does not keep. Without secrets: events are sent to other services. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the row of an event, for the transaction of the change that it reports. Write it after the other rows of the
 * transaction (`events` of a posting): the events of an object then have the order of its changes.
 */
export function eventRow(clock: Clock, { type, owner, subject, data }: NewEvent): RowWrite {
  const content = [subject, data === undefined ? null : JSON.stringify(data)];
  if (owner === 'operator') return { statement: sql.insertAlertEvent, parameters: [clock.nowMs(), type, ...content], onMiss: 'ignore' };
  const [ledgerAccount, accountId] = 'ledgerAccount' in owner ? [owner.ledgerAccount, null] : [null, owner.accountId];
  return { statement: sql.insertEvent, parameters: [clock.nowMs(), type, ledgerAccount, accountId, ...content], onMiss: notStored };
}

function notStored(): Error {
  return new Error('the event was not stored');
}
