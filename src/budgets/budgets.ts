import type { Database } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { type Msat, minMsat, msat, subMsat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { RowWrite } from '../ledger/posting.ts';
import * as sql from './budgets.sql.ts';
import { type Limits, periodStart } from './limits.ts';

/** What a payment takes of a budget while it is pending. It counts in the period in which it began, also when it ends in a later one. */
export interface Charge {
  readonly lineId: string;
  readonly periodStart: number;
  /** Amount and fee reserve together. */
  readonly pendingMsat: Msat;
}

/** A payment that the limits allow. */
export interface Allowance {
  /** What is left for fees: the reserve takes only what the limits leave above the amount, so that a budget can be used up. */
  readonly reserveMsat: Msat;
  readonly charge: Charge | undefined;
  /** What counts it; the posting that holds the money carries it. Throws {@link BudgetMoved} where the budget has changed since. */
  readonly rows: readonly RowWrite[];
}

export interface BudgetDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

/** The budget is not what it was when it was read: read it again. */
export class BudgetMoved extends Error {
  override readonly name = 'BudgetMoved';
}

/** The most that may leave by a key now, in one payment; undefined when it has no limits. */
export async function remainingLimit(deps: BudgetDependencies, limits: Limits | undefined): Promise<Msat | undefined> {
  if (!limits) return undefined;
  const { budget, maxPaymentMsat } = limits;
  if (!budget) return maxPaymentMsat;
  const row = await deps.database.first(sql.readSpending, limits.lineId, periodStart(budget.period, unixSeconds(deps.clock)));
  // A payment that succeeded after it had been called failed counts as well, so more may be spent than the budget.
  const leftMsat = msat(Math.max(0, budget.amountMsat - (row?.spent_msat ?? 0) - (row?.pending_msat ?? 0)));
  return maxPaymentMsat === undefined ? leftMsat : minMsat(leftMsat, maxPaymentMsat);
}

/**
 * What the limits of a key make of a payment. Only a look: the rows decide, inside the posting.
 * @throws Refusal `payment_cap_exceeded`, `budget_exceeded`.
 */
export async function allow(deps: BudgetDependencies, limits: Limits | undefined, amountMsat: Msat, reserveMsat: Msat): Promise<Allowance> {
  requireWithinCap(limits, amountMsat);
  const remainingMsat = await remainingLimit(deps, limits);
  if (!limits || remainingMsat === undefined) return { reserveMsat, charge: undefined, rows: [] };
  if (remainingMsat < amountMsat) throw new Refusal('budget_exceeded');
  const allowedMsat = minMsat(reserveMsat, subMsat(remainingMsat, amountMsat));
  const { budget, lineId } = limits;
  if (!budget) return { reserveMsat: allowedMsat, charge: undefined, rows: [] };
  const start = periodStart(budget.period, unixSeconds(deps.clock));
  const charge = { lineId, periodStart: start, pendingMsat: msat(amountMsat + allowedMsat) };
  const parameters = [lineId, start, charge.pendingMsat, 0, budget.amountMsat];
  return { reserveMsat: allowedMsat, charge, rows: [{ statement: sql.take, parameters, onMiss: new BudgetMoved() }] };
}

/**
 * The rows by which a transfer between wallets counts: spent at once, without a fee.
 * @throws Refusal `payment_cap_exceeded`, `budget_exceeded`; the second also from the posting.
 */
export async function spendAtOnce(
  deps: BudgetDependencies,
  limits: Limits | undefined,
  transferId: string,
  amountMsat: Msat,
): Promise<readonly RowWrite[]> {
  const { charge } = await allow(deps, limits, amountMsat, ZERO_MSAT);
  if (!charge || !limits?.budget) return [];
  const parameters = [charge.lineId, charge.periodStart, 0, amountMsat, limits.budget.amountMsat];
  return [
    { statement: sql.take, parameters, onMiss: new Refusal('budget_exceeded') },
    {
      statement: sql.insertTransfer,
      parameters: [transferId, charge.lineId, charge.periodStart],
      onMiss: new Error('the transfer was not counted'),
    },
  ];
}

/** The payment has ended: what it had taken is given back, and what it really cost is spent. */
export function concludeCharge(charge: Charge | undefined, spentMsat: Msat): readonly RowWrite[] {
  return charge ? [changed(charge, charge.pendingMsat, spentMsat)] : [];
}

/** A payment that had been called failed, and went through: the money has left, so it counts, whatever the budget says. */
export function chargeLate(charge: Charge | undefined, spentMsat: Msat): readonly RowWrite[] {
  return charge ? [changed(charge, ZERO_MSAT, spentMsat)] : [];
}

function changed({ lineId, periodStart: start }: Charge, givenBackMsat: Msat, spentMsat: Msat): RowWrite {
  const onMiss = new Error('a payment counts against a budget that is not there');
  return { statement: sql.conclude, parameters: [lineId, start, givenBackMsat, spentMsat], onMiss };
}

function requireWithinCap(limits: Limits | undefined, amountMsat: Msat): void {
  if (limits?.maxPaymentMsat !== undefined && amountMsat > limits.maxPaymentMsat) throw new Refusal('payment_cap_exceeded');
}
