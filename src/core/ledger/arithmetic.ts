import { invariant } from '../kernel/assert.ts';
import { MAX_MSAT, type Msat, minMsat, msat, subMsat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { PER_TURN, pauseTransaction } from '../kernel/turns.ts';
import { mayGoBelowZero } from './accounts.ts';
import { entryHash } from './chain.ts';
import type { Balance, HoldOrder, Posting, TransferOrder, TransferRow } from './posting.ts';

/** A ledger account after one of its transfers. In a worksheet: after the last posting that was applied. */
export interface AccountState {
  readonly id: number;
  balanceMsat: Msat;
  heldMsat: Msat;
  /** The number of its entries. */
  entries: number;
  /** The hash of its last entry; {@link NO_ENTRY} before the first. */
  head: Uint8Array;
}

export const NO_ENTRY = new Uint8Array();

/** Returns the balance of the account with an id. @throws if there is none */
export function balanceOf(id: number, state: AccountState | undefined): Balance {
  if (!state) throw new Error(`ledger account ${id} does not exist`);
  const { balanceMsat, heldMsat, entries } = state;
  return { balanceMsat, heldMsat, spendableMsat: subMsat(balanceMsat, heldMsat), entries };
}

export interface HoldState {
  readonly id: string;
  readonly account: number;
  readonly amountMsat: Msat;
  readonly state: 'open' | 'posted' | 'voided';
}

/** The amounts of a posting that the ledger refused. */
export interface Shortfall {
  /** The id of the hold or transfer. */
  readonly id: string;
  readonly spendableMsat: Msat;
  readonly amountMsat: Msat;
  /** The fee reserve that the hold would have had; 0 for a transfer. */
  readonly reserveMsat: Msat;
  /** The part of `amountMsat` that is a fee of this service. */
  readonly feeMsat?: Msat | undefined;
}

/** The message contains no amounts, because not every caller may see the balance. */
export class InsufficientBalance extends Refusal {
  readonly shortfall: Shortfall;

  constructor(shortfall: Shortfall) {
    super('insufficient_balance', 'The spendable balance does not cover the amount.');
    this.shortfall = shortfall;
  }
}

/** The hold was posted or voided before. A caller that reports an outcome twice gets this, and nothing changes. */
export class HoldClosed extends Error {
  override readonly name = 'HoldClosed';

  constructor(id: string, state: string) {
    super(`hold ${id} is ${state} already`);
  }
}

/** The accounts and holds of a batch as its applied postings leave them, and the transfers that the batch will write. */
export interface Worksheet {
  readonly nowMs: number;
  readonly accounts: Map<number, AccountState>;
  readonly holds: Map<string, HoldState>;
  readonly newTransfers: TransferRow[];
  /** Returns what a posting must leave in an account beyond its holds (reservations.ts). */
  readonly reservedMsat: (account: number) => number;
}

/**
 * Applies one posting to the worksheet, as a whole. This is the only place where money is added and subtracted.
 * @returns undefined when the posting was applied; otherwise the reason: a {@link Refusal}, a {@link HoldClosed}, or a bug. It is returned
 * and not thrown, because it does not concern the other postings of the batch.
 */
export async function applyPosting(sheet: Worksheet, posting: Posting): Promise<Error | undefined> {
  const draft = draftOf(sheet, posting);
  try {
    for (const { holdId, account } of posting.voids ?? []) closeHold(draft, holdId, account, 'voided');
    for (const { holdId, account, transfers } of posting.posts ?? []) {
      const hold = closeHold(draft, holdId, account, 'posted');
      const spentMsat = transfers.reduce((sum, t) => sum + (t.from === account ? t.amountMsat : 0), 0);
      invariant(spentMsat <= hold.amountMsat, `hold ${holdId} is posted for more than it reserved`);
      for (const transfer of transfers) bookTransfer(draft, transfer);
    }
    for (const [index, transfer] of (posting.transfers ?? []).entries()) {
      if (index > 0 && index % PER_TURN.lines === 0) await pauseTransaction();
      bookTransfer(draft, transfer);
    }
    for (const hold of posting.holds ?? []) openHold(draft, hold);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  for (const account of draft.accounts.values()) sheet.accounts.set(account.id, account);
  for (const hold of draft.holds.values()) sheet.holds.set(hold.id, hold);
  sheet.newTransfers.push(...draft.newTransfers);
  return undefined;
}

/** Returns copies of what a posting can change, so that nothing is changed if one of its parts is rejected. */
function draftOf(sheet: Worksheet, posting: Posting): Worksheet {
  const { accounts, holds } = touchedBy(posting);
  const opened = (posting.holds ?? []).map(({ id }) => id);
  return {
    nowMs: sheet.nowMs,
    accounts: new Map(accounts.map((id) => [id, { ...accountOf(sheet, id) }])),
    holds: new Map([...holds, ...opened].flatMap((id) => sheet.holds.get(id) ?? []).map((hold) => [hold.id, hold])),
    newTransfers: [],
    reservedMsat: posting.leavesReserved ? sheet.reservedMsat : () => 0,
  };
}

function bookTransfer(sheet: Worksheet, order: TransferOrder): void {
  invariant(order.from !== order.to, 'a transfer needs two accounts');
  invariant(isWhole(order.amountMsat, 1), 'a transfer moves a whole, positive amount');
  const from = bookEntry(sheet, order, 'from');
  const keptMsat = from.heldMsat + sheet.reservedMsat(from.id);
  if (!mayGoBelowZero(from.id) && from.balanceMsat < keptMsat) {
    const spendableMsat = msat(Math.max(0, from.balanceMsat - keptMsat + order.amountMsat));
    throw new InsufficientBalance({ id: order.id, spendableMsat, amountMsat: order.amountMsat, reserveMsat: ZERO_MSAT });
  }
  const to = bookEntry(sheet, order, 'to');
  if (order.toMaxBalanceMsat !== undefined && to.balanceMsat > order.toMaxBalanceMsat) throw new Refusal('receiving_limit_exceeded');
  sheet.newTransfers.push({
    ...order,
    createdAtMs: sheet.nowMs,
    fromEntry: from.entries,
    fromBalanceMsat: from.balanceMsat,
    fromHash: from.head,
    toEntry: to.entries,
    toBalanceMsat: to.balanceMsat,
    toHash: to.head,
  });
}

/** Adds one side of a transfer to its account. */
function bookEntry(sheet: Worksheet, order: TransferOrder, side: 'from' | 'to'): AccountState {
  const isFrom = side === 'from';
  const amountMsat = isFrom ? -order.amountMsat : order.amountMsat;
  const state = accountOf(sheet, isFrom ? order.from : order.to);
  const balance = state.balanceMsat + amountMsat;
  if (Math.abs(balance) > MAX_MSAT) throw new Refusal('limit_exceeded');
  state.balanceMsat = msat(balance);
  state.entries += 1;
  state.head = entryHash(state.head, {
    transferId: order.id,
    account: state.id,
    counterpart: isFrom ? order.to : order.from,
    entry: state.entries,
    amountMsat,
    balanceMsat: state.balanceMsat,
    createdAtMs: sheet.nowMs,
    type: (isFrom ? order.fromType : order.toType) ?? null,
    lntx: (isFrom ? order.fromLntx : order.toLntx) ?? null,
    memo: order.memo ?? null,
    passThru: order.passThru ?? null,
  });
  return state;
}

function openHold(sheet: Worksheet, order: HoldOrder): void {
  invariant(isWhole(order.amountMsat, 1) && isWhole(order.reserveMsat, 0), 'a hold reserves a whole, positive amount');
  invariant(!sheet.holds.has(order.id), `hold ${order.id} exists`);
  const account = accountOf(sheet, order.account);
  const spendableMsat = msat(Math.max(0, account.balanceMsat - account.heldMsat - sheet.reservedMsat(account.id)));
  if (spendableMsat < order.amountMsat) throw new InsufficientBalance({ ...order, spendableMsat });
  const amountMsat = msat(order.amountMsat + minMsat(order.reserveMsat, subMsat(spendableMsat, order.amountMsat)));
  account.heldMsat = msat(account.heldMsat + amountMsat);
  sheet.holds.set(order.id, { id: order.id, account: order.account, amountMsat, state: 'open' });
}

function isWhole(amountMsat: number, least: number): boolean {
  return Number.isSafeInteger(amountMsat) && amountMsat >= least;
}

function closeHold(sheet: Worksheet, id: string, account: number, state: 'posted' | 'voided'): HoldState {
  const hold = sheet.holds.get(id);
  invariant(hold?.account === account, `hold ${id} is not on this account`);
  if (hold.state !== 'open') throw new HoldClosed(id, hold.state);
  sheet.holds.set(id, { ...hold, state });
  const owner = accountOf(sheet, account);
  owner.heldMsat = subMsat(owner.heldMsat, hold.amountMsat);
  return hold;
}

function accountOf(sheet: Worksheet, id: number): AccountState {
  const account = sheet.accounts.get(id);
  invariant(account, `ledger account ${id} is not part of this batch`);
  return account;
}

/** Returns the ids of a posting's accounts and existing holds; they may repeat. */
export function touchedBy(posting: Posting): { accounts: number[]; holds: string[] } {
  const accounts: number[] = [];
  const holds: string[] = [];
  const transfers = [...(posting.transfers ?? []), ...(posting.posts ?? []).flatMap((post) => post.transfers)];
  for (const { from, to } of transfers) accounts.push(from, to);
  for (const { account } of posting.holds ?? []) accounts.push(account);
  for (const { holdId, account } of [...(posting.posts ?? []), ...(posting.voids ?? [])]) {
    accounts.push(account);
    holds.push(holdId);
  }
  return { accounts, holds };
}
