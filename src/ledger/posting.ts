import type { Tx } from '../db/database.ts';
import type { RowWrite } from '../db/row-write.ts';
import type { Statement } from '../db/statement.ts';
import type { Msat } from '../kernel/money.ts';

export type { RowWrite } from '../db/row-write.ts';

/** Moves an amount from one ledger account to another: two entries that sum to zero. */
export interface TransferOrder {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** At least 1. */
  readonly amountMsat: Msat;
  /** What the wallet on this side calls it (`ln_withdrawal`, …); absent for a side that is the system's. */
  readonly fromType?: string;
  readonly toType?: string;
  /** The payment behind the `from` side, the invoice behind the `to` side. */
  readonly fromLntx?: string;
  readonly toLntx?: string;
  readonly memo?: string;
  /** JSON text. */
  readonly passThru?: string;
}

/** Reserves `amountMsat`, and of `reserveMsat` as much as the spendable balance leaves above it. */
export interface HoldOrder {
  readonly id: string;
  readonly account: number;
  readonly amountMsat: Msat;
  readonly reserveMsat: Msat;
}

/** Ends a hold: what it really cost moves, the rest is released. */
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
 * Something that must be so when the posting is decided: the statement, given a list of ids, answers those of which it is (column
 * `id`) and keeps it so until the transaction ends. One read for all guards of a batch.
 */
export interface Guard {
  readonly statement: Statement<{ id: string }>;
  readonly id: string;
  /** Made only when it is needed: an error that nobody throws costs its stack all the same. */
  readonly onMiss: () => Error;
}

/** Checks guards in a transaction that is not a posting. Their conditions then hold until it ends. @throws what `onMiss` of a guard returns */
export async function requireGuards(tx: Tx, guards: readonly Guard[]): Promise<void> {
  for (const { statement, id, onMiss } of guards) if (!(await tx.first(statement, [id]))) throw onMiss();
}

/** Everything that happens together or not at all. Data, not callbacks: a batch may have to run it again. */
export interface Posting {
  readonly guards?: readonly Guard[];
  readonly transfers?: readonly TransferOrder[];
  readonly holds?: readonly HoldOrder[];
  readonly posts?: readonly PostOrder[];
  readonly voids?: readonly VoidOrder[];
  readonly rows?: readonly RowWrite[];
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
  /** What the entries add up to. */
  readonly balanceMsat: Msat;
  /** What is held for payments in flight. */
  readonly heldMsat: Msat;
  /** `balanceMsat` − `heldMsat`. */
  readonly spendableMsat: Msat;
  /** How many entries the account has. */
  readonly entries: number;
}

/** What a posting came to, once it is durable. */
export interface Receipt {
  /** What each hold reserved, amount and reserve together, by hold id. */
  readonly heldMsat: ReadonlyMap<string, Msat>;
  readonly transfers: readonly TransferRow[];
  /** Of every account that the posting touched, right after it. */
  readonly balances: ReadonlyMap<number, Balance>;
}
