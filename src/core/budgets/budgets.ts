import type { Database } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { type Msat, minMsat, msat, subMsat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import * as sql from './budgets.sql.ts';
import { type KeyLimits, periodStart } from './limits.ts';

/** The amount that a pending payment counts against a budget. It counts in the period in which the payment started. */
export interface Charge {
  readonly lineageId: string;
  readonly periodStart: number;
  /** Amount and fee reserve. */
  readonly pendingMsat: Msat;
}

export interface BudgetDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

/** The budget has changed since it was read. Read it again. */
export class BudgetChanged extends Error {
  override readonly name = 'BudgetChanged';
}

/** Returns the most that one payment of a key may cost now, including fees; undefined if the key has no limits. */
export async function remainingLimit(deps: BudgetDependencies, limits: KeyLimits | undefined): Promise<Msat | undefined> {
  if (!limits) return undefined;
  const { budget, maxPaymentMsat } = limits;
  if (!budget) return maxPaymentMsat;
  const row = await deps.database.first(sql.readSpending, limits.lineageId, periodStart(budget.period, unixSeconds(deps.clock)));
  // A payment that succeeded after it was reported as failed counts too, so more than the budget may be spent.
  const leftMsat = msat(Math.max(0, budget.amountMsat - (row?.spent_msat ?? 0) - (row?.pending_msat ?? 0)));
  return maxPaymentMsat === undefined ? leftMsat : minMsat(leftMsat, maxPaymentMsat);
}

/**
 * Checks a payment against the limits of a key. Returns the fee reserve, reduced to what the limits leave above the amount, so that a budget can
 * be used up; the charge; and rows for the posting that holds the money. The rows count the charge, and throw {@link BudgetChanged} if the budget
 * has changed since it was read.
 * @throws Refusal `payment_cap_exceeded`, `budget_exceeded`.
 */
export async function checkLimits(deps: BudgetDependencies, limits: KeyLimits | undefined, amountMsat: Msat, reserveMsat: Msat) {
  if (limits?.maxPaymentMsat !== undefined && amountMsat > limits.maxPaymentMsat) throw new Refusal('payment_cap_exceeded');
  const remainingMsat = await remainingLimit(deps, limits);
  if (!limits || remainingMsat === undefined) return { reserveMsat, charge: undefined, rows: [] };
  if (remainingMsat < amountMsat) throw new Refusal('budget_exceeded');
  const allowedMsat = minMsat(reserveMsat, subMsat(remainingMsat, amountMsat));
  const { budget, lineageId } = limits;
  if (!budget) return { reserveMsat: allowedMsat, charge: undefined, rows: [] };
  const start = periodStart(budget.period, unixSeconds(deps.clock));
  const charge = { lineageId, periodStart: start, pendingMsat: msat(amountMsat + allowedMsat) };
  const parameters = [lineageId, start, charge.pendingMsat, 0, budget.amountMsat];
  return { reserveMsat: allowedMsat, charge, rows: [{ statement: sql.addToBudget, parameters, onMiss: new BudgetChanged() }] };
}

/** What a transfer between wallets costs. */
export interface TransferCost {
  /** The id of the transfer. */
  readonly id: string;
  /** The amount and the fee of this service. There is no routing fee. */
  readonly costMsat: Msat;
}

/**
 * Returns the rows that count transfers between wallets, which are spent at once. The limits count their sum.
 * @throws Refusal `payment_cap_exceeded`, `budget_exceeded`. The posting may throw the second too.
 */
export async function transferCharge(
  deps: BudgetDependencies,
  limits: KeyLimits | undefined,
  transfers: readonly TransferCost[],
): Promise<readonly RowWrite[]> {
  const sumMsat = msat(transfers.reduce((sum, { costMsat }) => sum + costMsat, 0));
  const { charge } = await checkLimits(deps, limits, sumMsat, ZERO_MSAT);
  if (!charge || !limits?.budget) return [];
  const parameters = [charge.lineageId, charge.periodStart, 0, sumMsat, limits.budget.amountMsat];
  const counted = ({ id, costMsat }: TransferCost): RowWrite => ({
    statement: sql.insertTransfer,
    parameters: [id, charge.lineageId, charge.periodStart, costMsat],
    onMiss: () => new Error('the transfer was not counted'),
  });
  return [{ statement: sql.addToBudget, parameters, onMiss: new Refusal('budget_exceeded') }, ...transfers.map(counted)];
}

/** Returns the rows that end a charge: the pending amount is released, and the real cost is spent. */
export function concludeCharge(charge: Charge | undefined, spentMsat: Msat): readonly RowWrite[] {
  return charge ? [spendingRow(charge, charge.pendingMsat, spentMsat)] : [];
}

/** Returns the rows that count a payment that succeeded after it was booked as failed. It counts even beyond the budget. */
export function chargeLate(charge: Charge | undefined, spentMsat: Msat): readonly RowWrite[] {
  return charge ? [spendingRow(charge, ZERO_MSAT, spentMsat)] : [];
}

function spendingRow({ lineageId, periodStart: start }: Charge, releasedMsat: Msat, spentMsat: Msat): RowWrite {
  const onMiss = new Error('a payment counts against a budget that does not exist');
  return { statement: sql.concludePending, parameters: [lineageId, start, releasedMsat, spentMsat], onMiss };
}
