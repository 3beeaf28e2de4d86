import { type Msat, msat } from '../kernel/money.ts';
import type { AccountRow } from './ledger.sql.ts';

/** What a ledger account is after some transfer: in a batch, after its last one. */
export interface AccountState {
  readonly id: number;
  balanceMsat: Msat;
  heldMsat: Msat;
  entries: number;
  /** The hash of its last entry; nothing before the first. */
  head: Uint8Array;
  /** The position of its last transfer, 0 before the first; only SQLite keeps it (tail.ts). */
  lastPosition: number;
}

const NO_ENTRY = new Uint8Array();

export function accountState(row: AccountRow): AccountState {
  return {
    id: row.id,
    balanceMsat: msat(row.balance_msat),
    heldMsat: msat(row.held_msat),
    entries: row.entries,
    head: row.head ?? NO_ENTRY,
    lastPosition: row.last_position,
  };
}
