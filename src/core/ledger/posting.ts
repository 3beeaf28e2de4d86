import type { Tx } from '../db/database.ts';
import type { RowWrite } from '../db/row-write.ts';
import type { Statement } from '../db/statement.ts';
import type { Msat } from '../kernel/money.ts';
import type { Reservation } from './reservations.ts';

export type { RowWrite } from '../db/row-write.ts';

/** Moves an amount from one ledger account to another: two entries that sum to zero. */
export interface TransferOrder {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** At least 1. */
  readonly amountMsat: Msat;
  /** The type of the wallet transaction on this side (`ln_withdrawal`, …); absent for an account of the system. */
  readonly fromType?: string;
  readonly toType?: string;
  /** The ids of the payment that the `from` side belongs to, and of the invoice that the `to` side belongs to. */
  readonly fromLntx?: string;
  readonly toLntx?: string;
  /** The lineage of the key that requested a transfer between wallets, or a payment that is one posting. */
  readonly keyLineageId?: string | undefined;
  /** The most that the balance of `to` may be after it; undefined: no limit. It is no part of the entry. */
  readonly toMaxBalanceMsat?: Msat | undefined;
  readonly memo?: string;
  /** JSON text. */
  readonly passThru?: string;
}

/** Reserves `amountMsat`, and as much of `reserveMsat` as the rest of the spendable balance covers. */
export interface HoldOrder {
  readonly id: string;
  readonly account: number;
  readonly amountMsat: Msat;
  readonly reserveMsat: Msat;
  /** The part of `amountMsat` that is a fee of this service, for the error. */
  readonly feeMsat?: Msat | undefined;
}

/** Ends a hold: the real cost is transferred, the rest is released. */
export interface PostOrder {
  readonly holdId: string;
  readonly account: number;
  readonly transfers: readonly TransferOrder[];
}

/** Ends a hold: all of it is released. */
export interface VoidOrder {
  readonly holdId: string;
  readonly account: number;
}

/**
 * A condition that must hold when the posting is decided. The statement takes a list of ids, returns those that meet the condition (column
 * `id`), and locks them until the transaction ends. All guards of a batch with the same statement are one read.
 */
export interface Guard {
  readonly statement: Statement<{ id: string }>;
  readonly id: string;
  /** Returns the error for an id that is not returned. A function, because creating an error captures a stack, which is slow. */
  readonly onMiss: () => Error;
}

/** Checks guards in a transaction that is not a posting. Their conditions then hold until it ends. @throws what `onMiss` of a guard returns */
export async function requireGuards(tx: Tx, guards: readonly Guard[]): Promise<void> {
  for (const { statement, id, onMiss } of guards) if (!(await tx.first(statement, [id]))) throw onMiss();
}

/** Changes that are applied together or not at all. Data instead of callbacks, because a batch may have to be evaluated again. */
export interface Posting {
  readonly guards?: readonly Guard[];
  /** It leaves what this process keeps in accounts for postings that follow (reservations.ts). For requests, which can be refused. */
  readonly leavesReserved?: boolean;
  /** What was kept for it. */
  readonly reservation?: Reservation;
  readonly transfers?: readonly TransferOrder[];
  readonly holds?: readonly HoldOrder[];
  readonly posts?: readonly PostOrder[];
  readonly voids?: readonly VoidOrder[];
  readonly rows?: readonly RowWrite[];
  /** Rows of the event log. They are written after all other rows, and before the events of the transfers. */
  readonly events?: readonly RowWrite[];
}

/** A transfer as it was booked; a row of `ledger_transfer`. */
export interface TransferRow extends TransferOrder {
  readonly createdAtMs: number;
  readonly fromEntry: number;
  readonly fromBalanceMsat: Msat;
  readonly fromHash: Uint8Array;
  readonly toEntry: number;
  readonly toBalanceMsat: Msat;
  readonly toHash: Uint8Array;
}

export interface Balance {
  /** The sum of the entries. */
  readonly balanceMsat: Msat;
  /** The sum of the open holds. */
  readonly heldMsat: Msat;
  /** `balanceMsat` − `heldMsat`. */
  readonly spendableMsat: Msat;
  /** The number of the account's entries. */
  readonly entries: number;
}

/** The result of a posting that is durable. */
export interface Receipt {
  readonly transfers: readonly TransferRow[];
  /** The balances of all accounts of the posting, right after it. */
  readonly balances: ReadonlyMap<number, Balance>;
}
