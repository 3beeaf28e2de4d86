import type { Tx } from '../../core/db/database.ts';
import type { Report } from './folds.ts';
import * as journal from './journal.sql.ts';
import * as sql from './records.sql.ts';

const CHECKS = [
  [sql.holdsAgainstAccounts, 'its account does not exist'],
  [sql.holdsWithoutPayment, 'no payment owns this hold'],
  [sql.paymentsAgainstHolds, 'its state does not match its hold'],
  [sql.paymentsAgainstReserves, 'its hold is on another account, or holds less than the payment took'],
  [sql.paymentsAgainstTransfers, 'its state does not match its transfer'],
  [sql.paymentsAgainstAmounts, 'its transfer moved another amount, or belongs to another payment'],
  [sql.paymentsAgainstFees, 'its fee differs from its fee line'],
  [sql.linesWithoutPayment, 'no payment owns this line'],
  [sql.creditsWithoutInvoice, 'no invoice owns this credit'],
  [sql.suspenseAgainstSettlements, 'the amount that arrived for no wallet differs from the booked amount'],
  [sql.suspenseAgainstActions, 'no operator action owns this transfer of suspense'],
  [sql.actionsAgainstTransfers, 'its transfers differ from the operator’s action'],
  [sql.settlementsAgainstActions, 'more was moved out of suspense than had arrived'],
  [sql.actionsAgainstPayments, 'the payment differs from the operator’s action'],
  [sql.invoicesAgainstTransfers, 'it was not credited exactly once with the received amount'],
  [sql.paymentsAgainstNodes, 'its money left another node than its own'],
  [sql.invoicesAgainstNodes, 'its money arrived at another node than its own'],
  [sql.linksAgainstPayments, 'its remaining uses do not match its claims'],
  [sql.linkDaysAgainstClaims, 'the counters of a day do not match its claims'],
  [sql.claimsAgainstPayments, 'it claims a withdraw link and does not count on its day'],
  [sql.spendingAgainstPayments, 'the amount counted against its budget is not the sum of its payments and transfers'],
  [journal.transfersAgainstTransactions, 'its wallet transaction is missing, or shows something else'],
  [journal.transactionsWithoutTransfer, 'no transfer owns this settled wallet transaction'],
  [journal.paymentsAgainstTransactions, 'its wallet transaction is missing, or shows something else'],
  [journal.unsettledWithoutPayment, 'no payment owns this wallet transaction'],
  [journal.walletHours, 'the sums of an hour differ from the transactions of the wallet'],
  [journal.accountHours, 'the sums of an hour, or of all hours, differ from the transactions of the account'],
] as const;

/** Compares payments, invoices and budgets with the ledger. The database compares, and returns at most 20 rows of each kind. */
export async function checkRecords(tx: Tx, report: Report): Promise<void> {
  for (const [statement, problem] of CHECKS) {
    for (const { id } of await tx.all(statement)) report(`${id}: ${problem}`);
  }
}
