import type { SqlParameter } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import type { Statement } from '../../core/db/statement.ts';
import { invariant } from '../../core/kernel/assert.ts';
import type { FiatAmount } from '../../core/kernel/fiat.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { type Msat, msat } from '../../core/kernel/money.ts';
import { Refusal, type RefusalType } from '../../core/kernel/refusal.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import { NodeUnavailable } from '../../core/lightning/node.ts';
import { MinuteLimitReached } from '../../core/limits/limits.ts';
import type { StartedPayment } from '../../core/payments/hold.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { readDestination, withoutComment } from '../lnurl/remote/destination.ts';
import * as sql from './payouts.sql.ts';
import type { PayoutLine, PayoutRights } from './payouts.ts';
import type { RunDependencies } from './run-payouts.ts';

/** A line to execute. */
export interface LineToRun {
  readonly line: PayoutLine;
  readonly wallet: Wallet;
  readonly rights: PayoutRights;
  /** A restored database may have forgotten that the line was paid. */
  readonly isFromBefore: boolean;
}

/** The line has started, ended or got an invoice meanwhile: by another instance, or by a cancellation. */
class LineChanged extends Error {
  override readonly name = 'LineChanged';
}

const MINUTE_MS = 60_000;
const MAX_ATTEMPTS = 5;
const FIRST_RETRY_MS = 1000;
export const LONGEST_RETRY_MS = 60_000;

/** Refusals after which a later attempt may succeed. Each promises that nothing was paid. */
const TEMPORARY: ReadonlySet<RefusalType> = new Set([
  'too_many_payments',
  'too_many_invoices',
  'rate_limited',
  'ledger_busy',
  'restored',
  'withdrawals_stopped',
  'node_unavailable',
  'database_unavailable',
] satisfies RefusalType[]);

/** Those of a service that may work again. They are repeated a limited number of times. */
const UNRELIABLE: ReadonlySet<RefusalType> = new Set(['lnurl_unavailable', 'invoice_expired'] satisfies RefusalType[]);

/**
 * Executes a pending line. The line and its payment or transfer are connected in the posting that holds or moves the money, so a process that is
 * killed at any point leaves the line either pending, and nothing is held for it, or connected. Never throws.
 */
export async function runLine(deps: RunDependencies, run: LineToRun): Promise<void> {
  const { line } = run;
  try {
    if (line.kind === 'wallet') await transfer(deps, run);
    else if (line.kind === 'invoice') await payInvoice(deps, run, line.destination);
    else await payLink(deps, run);
  } catch (error) {
    if (error instanceof LineChanged) return;
    try {
      await recordFailure(deps, run, error);
    } catch (failure) {
      deps.log.warn({ payout: line.payoutId, line: line.line, reason: errorMessage(failure) }, 'a line of a payout is tried again');
    }
  }
}

async function transfer({ payments, wallets }: RunDependencies, { line, wallet, rights }: LineToRun): Promise<void> {
  const destination = await wallets.find(line.destination);
  invariant(destination, `wallet ${line.destination} is gone`);
  await payments.transfer({
    ...rights,
    source: wallet,
    destination,
    amountMsat: msat(line.amountMsat),
    fiat: fiatOf(line),
    memo: line.memo ?? undefined,
    passThru: line.passThru ?? undefined,
    extraRows: (id) => [rowOf(line, sql.markTransferred, id)],
  });
}

async function payInvoice(deps: RunDependencies, { line, wallet, rights }: LineToRun, invoice: string): Promise<void> {
  const isLink = line.kind === 'link';
  const started = await deps.payments.payInvoice({
    ...rights,
    wallet,
    invoice,
    amountMsat: msat(line.amountMsat),
    fiat: fiatOf(line),
    feeLimitMsat: (line.feeLimitMsat ?? undefined) as Msat | undefined,
    userLabel: line.memo ?? line.payeeText ?? undefined,
    passThru: line.passThru ?? undefined,
    successAction: line.successAction ?? undefined,
    wtxType: isLink ? 'ln_lnurl_pay_outbound' : 'ln_withdrawal',
    extraRows: (id) => [rowOf(line, sql.markSending, id, line.paymentRequest ?? '')],
  });
  if (started.isReplay) await connectWithEarlier(deps, line, started);
}

/**
 * Connects a line with a payment of its invoice that another request of the wallet has started. A payee that returns an invoice twice would receive
 * one payment for two lines; only a payment that was read back after a restore can be that of the line.
 */
async function connectWithEarlier({ database }: RunDependencies, line: PayoutLine, { payment }: StartedPayment): Promise<void> {
  const isOwn = line.kind === 'invoice' || payment.shortfallMsat !== undefined;
  try {
    if (isOwn) {
      await database.transaction((tx) => tx.run(sql.markSending, line.payoutId, line.line, payment.id, line.paymentRequest ?? ''));
      return;
    }
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  const message = `The wallet has paid or is paying this invoice with ${payment.id}. This line paid nothing.`;
  throw new Refusal('invoice_paid', message);
}

/** Stores the invoice of the payee before it is paid, so that a restart pays the same invoice, which is paid at most once. */
async function payLink(deps: RunDependencies, run: LineToRun): Promise<void> {
  const { line, wallet, isFromBefore } = run;
  if (line.paymentRequest !== null) return payInvoice(deps, run, line.paymentRequest);
  if (isFromBefore) throw new Refusal('restored', MAY_BE_PAID);
  const { invoice, userLabel, successAction, commentNotSent } = await deps.remoteLinks.requestInvoice({
    wallet,
    destination: readDestination(line.destination, 'pay'),
    amountMsat: msat(line.amountMsat),
    amountField: line.amountMsat % 1000 === 0 ? 'num_satoshis' : 'num_msat',
    unit: line.amountMsat % 1000 === 0 ? 'sat' : 'msat',
    comment: line.message ?? undefined,
  });
  const { paymentRequest } = invoice;
  const passThru = withoutComment(line.passThru, line.message, commentNotSent);
  const stored = rowOf(line, sql.storeInvoice, paymentRequest, userLabel, successAction ?? null, passThru);
  const changed = await deps.database.transaction((tx) => tx.run(stored.statement, ...stored.parameters));
  if (changed === 0) throw new LineChanged();
  await payInvoice(
    deps,
    { ...run, line: { ...line, paymentRequest, passThru, payeeText: userLabel, successAction: successAction ?? null } },
    paymentRequest,
  );
}

const MAY_BE_PAID =
  'The database was restored from a backup after this payout was ordered, and may have forgotten that this line was paid. Compare with the payee ' +
  'before you pay it again.';

async function recordFailure(deps: RunDependencies, { line, isFromBefore }: LineToRun, error: unknown): Promise<void> {
  const { database, clock, log } = deps;
  const { payoutId, line: number, kind, attempts, paymentRequest } = line;
  const write = (statement: Statement, ...parameters: SqlParameter[]) =>
    database.transaction((tx) => tx.run(statement, payoutId, number, ...parameters));
  const fail = (reason: string, message: string) => write(sql.failLine, reason, message);
  const isTried = attempts + 1 < MAX_ATTEMPTS;
  const waitMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);
  if (!(error instanceof Refusal)) {
    // The line and its payment are one posting, so the line shows whether it was written.
    if (!(error instanceof NodeUnavailable))
      log.warn({ payout: payoutId, line: number, reason: errorMessage(error) }, 'a line of a payout is tried again');
    await write(sql.postponeLine, 0, clock.nowMs() + deps.retryMs);
  } else if (error.message === MAY_BE_PAID) await fail('restored', MAY_BE_PAID);
  // The other lines of the payout would be refused, too.
  else if (error instanceof MinuteLimitReached)
    await database.transaction((tx) => tx.run(sql.postponePending, payoutId, nextMinuteMs(clock.nowMs())));
  else if (TEMPORARY.has(error.type)) await write(sql.postponeLine, 0, clock.nowMs() + deps.retryMs);
  else if (UNRELIABLE.has(error.type) && kind === 'link' && isTried) {
    if (error.type === 'invoice_expired' && isFromBefore) return void (await fail('restored', MAY_BE_PAID));
    if (error.type === 'invoice_expired') await write(sql.forgetInvoice, paymentRequest);
    await write(sql.postponeLine, 1, clock.nowMs() + waitMs);
  } else await fail(error.type, error.message);
}

function nextMinuteMs(nowMs: number): number {
  return nowMs - (nowMs % MINUTE_MS) + MINUTE_MS;
}

function fiatOf({ fiat }: PayoutLine): FiatAmount | undefined {
  return fiat === null ? undefined : (JSON.parse(fiat) as FiatAmount);
}

function rowOf({ payoutId, line }: PayoutLine, statement: Statement, ...parameters: SqlParameter[]): RowWrite {
  return { statement, parameters: [payoutId, line, ...parameters], onMiss: () => new LineChanged() };
}
