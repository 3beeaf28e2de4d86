import { mayGoBelowZero } from '../../core/ledger/accounts.ts';
import { entryHash } from '../../core/ledger/chain.ts';
import type { VerifiedAccount, VerifiedTransfer } from './verify.sql.ts';

export type Report = (problem: string) => void;

/** A ledger account and the result of its entries, as far as they were read. */
interface FoldedAccount {
  readonly row: VerifiedAccount | undefined;
  entries: number;
  balanceMsat: number;
  /** The hash of the last entry; empty before the first. */
  head: Uint8Array;
  /** Whether the row agrees with the account before its first entry or after one of them. */
  isConfirmed: boolean;
  /** Whether the row lacks an entry that it must contain. */
  isBehind: boolean;
}

/** Folds transfers in their order, and compares each account's row with the state of its entries when the row was written. */
export class Folds {
  readonly #accounts = new Map<number, FoldedAccount>();
  readonly #written: number;
  readonly #report: Report;

  /** Rows may lag behind the transfers after the position `written` only. */
  constructor(rows: readonly VerifiedAccount[], written: number, report: Report) {
    this.#written = written;
    this.#report = report;
    for (const row of rows) confirm(this.#open(row.id, row));
  }

  /** Returns all accounts: first those that have a row, in the order of the rows. */
  accounts(): Iterable<FoldedAccount> {
    return this.#accounts.values();
  }

  add(transfer: VerifiedTransfer): void {
    this.#enter(transfer, 'from', -transfer.amount_msat);
    this.#enter(transfer, 'to', transfer.amount_msat);
  }

  #open(id: number, row: VerifiedAccount | undefined): FoldedAccount {
    const account = { row, entries: 0, balanceMsat: 0, head: new Uint8Array(), isConfirmed: false, isBehind: false };
    this.#accounts.set(id, account);
    return account;
  }

  #enter(t: VerifiedTransfer, side: 'from' | 'to', amountMsat: number): void {
    const id = t[`${side}_account`];
    const entry = t[`${side}_entry`];
    const balanceMsat = t[`${side}_balance_msat`];
    const head = t[`${side}_hash`];
    const account = this.#accounts.get(id) ?? this.#open(id, undefined);
    const hash = entryHash(account.head, {
      transferId: t.id,
      account: id,
      counterpart: side === 'from' ? t.to_account : t.from_account,
      entry,
      amountMsat,
      balanceMsat,
      createdAtMs: t.created_at_ms,
      type: t[`${side}_type`],
      lntx: t[`${side}_lntx`],
      memo: t.memo,
      passThru: t.pass_thru,
    });
    const report = (problem: string) => this.#report(`transfer ${t.id}, account ${id}: ${problem}`);
    if (entry !== account.entries + 1) report(`entry ${entry} follows entry ${account.entries}`);
    if (balanceMsat !== account.balanceMsat + amountMsat) report('the balance after it does not follow from the one before');
    if (Buffer.compare(head, hash) !== 0) report('the hash does not match the entry and its predecessor');
    if (balanceMsat < 0 && !mayGoBelowZero(id)) report('the balance is below zero');
    account.entries = entry;
    account.balanceMsat = balanceMsat;
    account.head = head;
    confirm(account);
    if (account.row && entry > account.row.entries && t.position <= this.#written) account.isBehind = true;
  }

  /**
   * Checks the accounts after all transfers. No foreign key ensures that the account of a transfer exists. `held`: the sums of the open holds in
   * msat, by account.
   */
  checkAccounts(held: ReadonlyMap<number, number>): void {
    for (const [id, { row, balanceMsat, entries, isConfirmed, isBehind }] of this.#accounts) {
      const report = (problem: string) => this.#report(`account ${id}: ${problem}`);
      if (!row) {
        report('it has entries but does not exist');
        continue;
      }
      if (!isConfirmed)
        report(`its row has ${row.balance_msat} msat after ${row.entries} entries, the ledger ${balanceMsat} msat after ${entries}`);
      if (isBehind) report(`its row ends at entry ${row.entries} and is out of date`);
      const heldMsat = held.get(id) ?? 0;
      if (row.held_msat !== heldMsat) report(`${row.held_msat} msat are held, but its open holds add up to ${heldMsat}`);
      if (row.held_msat > 0 && row.held_msat > balanceMsat) report('its holds exceed its balance');
    }
  }
}

function confirm(account: FoldedAccount): void {
  const { row, entries, balanceMsat, head } = account;
  if (!row || row.entries !== entries || row.balance_msat !== balanceMsat) return;
  if (Buffer.compare(row.head ?? new Uint8Array(), head) === 0) account.isConfirmed = true;
}
