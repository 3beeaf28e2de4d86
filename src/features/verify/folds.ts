import { mayGoBelowZero } from '../../core/ledger/accounts.ts';
import { entryHash } from '../../core/ledger/chain.ts';
import type { VerifiedAccount, VerifiedTransfer } from './verify.sql.ts';

export type Report = (problem: string) => void;

/** The result of the entries of an account, as far as they were read. */
export interface Fold {
  readonly entries: number;
  readonly balanceMsat: number;
  readonly head: Uint8Array;
}

const NOTHING: Fold = { entries: 0, balanceMsat: 0, head: new Uint8Array() };

type Entry = Parameters<typeof entryHash>[1] & { readonly hash: Uint8Array; readonly position: number };

/** Folds transfers in their order, and compares each account's row with the state of its entries when the row was written. */
export class Folds {
  readonly #folds = new Map<number, Fold>();
  readonly #rows: ReadonlyMap<number, VerifiedAccount>;
  readonly #confirmed = new Set<number>();
  readonly #behind = new Set<number>();
  readonly #written: number;
  readonly #report: Report;

  /** Rows may lag behind the transfers after the position `written` only. */
  constructor(rows: readonly VerifiedAccount[], written: number, report: Report) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#written = written;
    this.#report = report;
    for (const row of rows) this.#confirm(row, NOTHING);
  }

  of(account: number): Fold {
    return this.#folds.get(account) ?? NOTHING;
  }

  all(): IterableIterator<Fold> {
    return this.#folds.values();
  }

  add(t: VerifiedTransfer): void {
    const common = { transferId: t.id, createdAtMs: t.created_at_ms, memo: t.memo, passThru: t.pass_thru, position: t.position };
    this.#enter({
      ...common,
      account: t.from_account,
      counterpart: t.to_account,
      entry: t.from_entry,
      amountMsat: -t.amount_msat,
      balanceMsat: t.from_balance_msat,
      hash: t.from_hash,
      type: t.from_type,
      lntx: t.from_lntx,
    });
    this.#enter({
      ...common,
      account: t.to_account,
      counterpart: t.from_account,
      entry: t.to_entry,
      amountMsat: t.amount_msat,
      balanceMsat: t.to_balance_msat,
      hash: t.to_hash,
      type: t.to_type,
      lntx: t.to_lntx,
    });
  }

  #enter(entry: Entry): void {
    const before = this.of(entry.account);
    const report = (problem: string) => this.#report(`transfer ${entry.transferId}, account ${entry.account}: ${problem}`);
    if (entry.entry !== before.entries + 1) report(`entry ${entry.entry} follows entry ${before.entries}`);
    if (entry.balanceMsat !== before.balanceMsat + entry.amountMsat) report('the balance after it does not follow from the one before');
    if (Buffer.compare(entry.hash, entryHash(before.head, entry)) !== 0) report('the hash does not match the entry and its predecessor');
    if (entry.balanceMsat < 0 && !mayGoBelowZero(entry.account)) report('the balance is below zero');
    const { balanceMsat, hash: head, position } = entry;
    const fold = { entries: entry.entry, balanceMsat, head };
    this.#folds.set(entry.account, fold);
    const row = this.#rows.get(entry.account);
    if (row) this.#confirm(row, fold);
    if (row && fold.entries > row.entries && position <= this.#written) this.#behind.add(row.id);
  }

  #confirm(row: VerifiedAccount, { entries, balanceMsat, head }: Fold): void {
    if (row.entries !== entries || row.balance_msat !== balanceMsat) return;
    if (Buffer.compare(row.head ?? NOTHING.head, head) === 0) this.#confirmed.add(row.id);
  }

  /** Checks the accounts after all transfers. No foreign key ensures that the account of a transfer exists. */
  checkAccounts(): void {
    for (const id of this.#folds.keys()) if (!this.#rows.has(id)) this.#report(`account ${id}: it has entries but does not exist`);
    for (const row of this.#rows.values()) this.#checkRow(row);
  }

  /** Checks that an account's row agrees with its entries. */
  #checkRow({ id, balance_msat, entries }: VerifiedAccount): void {
    const fold = this.of(id);
    if (!this.#confirmed.has(id))
      this.#report(
        `account ${id}: its row has ${balance_msat} msat after ${entries} entries, the ledger ${fold.balanceMsat} msat after ${fold.entries}`,
      );
    if (this.#behind.has(id)) this.#report(`account ${id}: its row ends at entry ${entries} and is out of date`);
  }
}
