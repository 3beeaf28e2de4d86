import { type EventType, eventTypeOfBooking, isEventType } from '../../core/journal/event-types.ts';
import type { EntryRow } from '../../core/ledger/ledger.ts';
import type { OwnedEntryRow } from '../transactions/history.ts';
import type { StoredRow } from './log.sql.ts';
import { eventId, FIRST_ROW_RANK, type LogPlace, RANK_OF_SIDE } from './place.ts';

/** An event of the log, without the objects that it concerns. */
export interface LoggedEvent {
  /** `evt_…` */
  readonly id: string;
  readonly place: LogPlace;
  readonly createdAtMs: number;
  readonly type: EventType;
  readonly accountId: string;
  /** Undefined for an event that concerns no wallet. */
  readonly walletId: string | undefined;
  readonly ledgerAccount: number | undefined;
  /** The id of the object that changed; for a booking, the id of its ledger transfer. */
  readonly subject: string;
  /** The payment or invoice of a booking. */
  readonly lightningId: string | undefined;
  /** The ledger entry of a booking. */
  readonly entry: EntryRow | undefined;
  /** The data in the stored row of the event. Undefined for a booking. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

export function placeOfRow({ position, row }: StoredRow): LogPlace {
  return { position, rank: row + FIRST_ROW_RANK };
}

/** Returns the event of a booking; an empty list if bookings of this type, such as fees, have no event. */
export function ofBooking(row: OwnedEntryRow): LoggedEvent[] {
  const type = eventTypeOfBooking(row.type);
  if (!type) return [];
  const place = { position: row.position, rank: RANK_OF_SIDE[row.side] };
  return [
    {
      id: eventId(place, row.created_at_ms),
      place,
      createdAtMs: row.created_at_ms,
      type,
      accountId: row.account_id,
      walletId: row.wallet_id,
      ledgerAccount: row.ledger_account,
      subject: row.transfer_id,
      lightningId: row.lntx ?? undefined,
      entry: row,
      data: undefined,
    },
  ];
}

/** Returns the event of a stored row; an empty list if its type is unknown. */
export function ofRow(row: StoredRow): LoggedEvent[] {
  // A newer version may have stored types that this version does not know.
  if (!isEventType(row.type)) return [];
  const place = placeOfRow(row);
  return [
    {
      id: eventId(place, row.created_at_ms),
      place,
      createdAtMs: row.created_at_ms,
      type: row.type,
      accountId: row.account_id,
      walletId: row.wallet_id ?? undefined,
      ledgerAccount: row.ledger_account ?? undefined,
      subject: row.subject,
      lightningId: row.subject.startsWith('lntx_') ? row.subject : undefined,
      entry: undefined,
      data: row.data === null ? undefined : JSON.parse(row.data),
    },
  ];
}
