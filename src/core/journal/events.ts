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
  /** The invoice or payment, if the subject is not its id. */
  readonly lntx?: string;
  /** What the object's row does not keep. Without secrets: events are sent to other services. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the row of an event, for the transaction of the change that it reports. Write it after the other rows of the
 * transaction (`events` of a posting): the events of an object then have the order of its changes.
 */
export function eventRow(clock: Clock, { type, owner, subject, lntx = lightningId(subject), data }: NewEvent): RowWrite {
  const now = clock.nowMs();
  const json = data === undefined ? null : JSON.stringify(data);
  if (owner === 'operator') return { statement: sql.insertAlertEvent, parameters: [now, type, subject, json], onMiss: 'ignore' };
  if ('ledgerAccount' in owner)
    return {
      statement: sql.insertWalletEvent,
      parameters: [now, type, owner.ledgerAccount, subject, lntx ?? null, json],
      onMiss: notStored,
    };
  return { statement: sql.insertAccountEvent, parameters: [now, type, owner.accountId, subject, lntx ?? null, json], onMiss: notStored };
}

function lightningId(subject: string): string | undefined {
  return subject.startsWith('lntx_') ? subject : undefined;
}

function notStored(): Error {
  return new Error('the event was not stored');
}
