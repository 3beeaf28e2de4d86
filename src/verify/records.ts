import type { Tx } from '../db/database.ts';
import type { Report } from './folds.ts';
import * as sql from './records.sql.ts';

const CHECKS = [
  [sql.holdsAgainstAccounts, 'its account does not exist'],
  [sql.holdsWithoutPayment, 'no payment owns this hold'],
  [sql.paymentsAgainstHolds, 'its state and its hold do not belong together'],
  [sql.paymentsAgainstReserves, 'its hold is on another account, or holds less than the payment took'],
  [sql.paymentsAgainstTransfers, 'its state and its transfer do not belong together'],
  [sql.paymentsAgainstAmounts, 'its transfer moved another amount, or is another payment’s'],
  [sql.paymentsAgainstFees, 'its fee is not what its fee line says'],
  [sql.linesWithoutPayment, 'no payment owns this line'],
  [sql.creditsWithoutInvoice, 'no invoice owns this credit'],
  [sql.suspenseAgainstStrays, 'what arrived for no wallet and what was booked are not the same'],
  [sql.suspenseAgainstActions, 'no operator action owns this transfer of suspense'],
  [sql.actionsAgainstTransfers, 'its transfers are not what the operator’s action says'],
  [sql.straysAgainstActions, 'more of it left suspense than had arrived'],
  [sql.actionsAgainstPayments, 'the payment is not what the operator’s action says'],
  [sql.invoicesAgainstTransfers, 'it was not credited once with what was received'],
  [sql.linksAgainstPayments, 'the uses that are left are not those that its claims leave'],
  [sql.spendingAgainstPayments, 'what counts against its budget is not what its payments and transfers add up to'],
] as const;

/** Compares payments, invoices and budgets with the ledger. The database compares, and returns at most 20 rows of each kind. */
export async function checkRecords(tx: Tx, report: Report): Promise<void> {
  for (const [statement, problem] of CHECKS) {
    for (const { id } of await tx.all(statement)) report(`${id}: ${problem}`);
  }
}
