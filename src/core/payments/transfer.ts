import { type BudgetDependencies, type TransferCost, transferCharge } from '../budgets/budgets.ts';
import { countedOwners } from '../budgets/limits.ts';
import type { Fees } from '../fees/fees.ts';
import { traceRows } from '../journal/event-traces.ts';
import { searchRows } from '../journal/search-words.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import type { FiatAmount } from '../kernel/fiat.ts';
import { newId, newIds } from '../kernel/ids.ts';
import { MAX_MSAT, type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { PER_TURN, takeTurn } from '../kernel/turns.ts';
import { InsufficientBalance, type Ledger, type Posting, type Receipt, type RowWrite, type TransferOrder } from '../ledger/ledger.ts';
import { LimitMissed, type Limits } from '../limits/limits.ts';
import { type Wallet, walletGuard } from '../wallets/wallets.ts';
import { isInactive, type RequestTerms, sendingGuards } from './hold.ts';
import { insertTransferFiat } from './payments.sql.ts';

export interface TransferDependencies extends BudgetDependencies {
  readonly ledger: Ledger;
  readonly fees: Fees;
  readonly limits: Limits;
}

/** One transfer to another wallet of this service. */
export interface TransferLine {
  readonly destination: Wallet;
  readonly amountMsat: Msat;
  /** The amount in a currency from which `amountMsat` was computed. */
  readonly fiat?: FiatAmount | undefined;
  readonly memo: string | undefined;
  /** JSON text. */
  readonly passThru: string | undefined;
}

export interface WalletTransfer extends RequestTerms, TransferLine {
  readonly source: Wallet;
}

export interface WalletTransfers extends RequestTerms {
  readonly source: Wallet;
  /** At least one. */
  readonly lines: readonly TransferLine[];
}

/**
 * Moves money between two wallets of this service, in one posting.
 * @returns the receipt, with the one transfer and both balances.
 * @throws Refusal `same_wallet`, `insufficient_balance`, `limit_exceeded`, `wallet_inactive`, `payee_restricted`,
 * `spending_limit_exceeded`, `receiving_limit_exceeded`, `payment_cap_exceeded`, `budget_exceeded`.
 */
export async function transferBetween(deps: TransferDependencies, { source, ...order }: WalletTransfer): Promise<Receipt> {
  return post(deps, { ...order, source, lines: [order] }, [newId(deps.clock.nowMs())]);
}

/**
 * Moves money from a wallet to others, all or nothing, in one posting. The limits of the key count the sum, which must be an amount. `extraRows` gets
 * the id of the first transfer, from which {@link newIds} makes those of the others.
 * @returns the receipt, with the transfers in the order of the lines. Each is followed by its fee, if it has one.
 * @throws Refusal as {@link transferBetween}.
 */
export async function transferToMany(deps: TransferDependencies, order: WalletTransfers): Promise<Receipt> {
  return post(deps, order, newIds(order.lines.length, deps.clock.nowMs()));
}

/** A line with its fee. */
interface PricedLine extends TransferCost {
  readonly feeMsat: Msat;
  /** The transfer, and those of its fee. */
  readonly transfers: readonly TransferOrder[];
  readonly rows: readonly RowWrite[];
}

async function post(deps: TransferDependencies, order: WalletTransfers, ids: readonly string[]): Promise<Receipt> {
  const { source, lines, unit } = order;
  if (lines.some(({ destination }) => source.id === destination.id)) throw new Refusal('same_wallet');
  const owners = await deps.limits.ownersOf(source.id);
  try {
    return await postOnce(deps, order, ids, owners);
  } catch (error) {
    if (error instanceof LimitMissed) {
      const amounts = lines.map(({ amountMsat }) => amountMsat);
      const reason = await deps.limits.explain(countedOwners(owners, order.limits), { amounts, kind: 'transfer', unit });
      if (reason) throw reason;
    } else if (!isInactive(error) || !(await deps.limits.haveChanged(source.id, owners))) throw error;
    // The limits have changed since they were read.
    return post(deps, order, ids);
  }
}

async function postOnce(
  deps: TransferDependencies,
  order: WalletTransfers,
  ids: readonly string[],
  owners: readonly string[],
): Promise<Receipt> {
  const { source, lines, lineageId } = order;
  const priced: PricedLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0 && index % PER_TURN.lines === 0) await takeTurn();
    priced.push(await withFee(deps, { source, lineageId }, line, ids[index] ?? ''));
  }
  requireSum(priced);
  const posting: Posting = {
    leavesReserved: true,
    guards: [
      ...sendingGuards(source.id, owners),
      ...lines.map(({ destination }) => walletGuard(destination.id, 'payee')),
      ...(order.guards ?? []),
    ],
    rows: [
      ...(await transferCharge(deps, order.limits, priced)),
      ...deps.limits.startRows(
        countedOwners(owners, order.limits),
        lines.map(({ amountMsat }) => amountMsat),
        'transfer',
      ),
      ...priced.flatMap(({ rows }) => rows),
      ...(order.extraRows?.(ids[0] ?? '') ?? []),
      ...ids.flatMap((id) => traceRows(id)),
    ],
    transfers: priced.flatMap(({ transfers }) => transfers),
  };
  try {
    return await deps.ledger.post(posting);
  } catch (error) {
    throw error instanceof InsufficientBalance ? shortfallOfAll(error, source, priced) : error;
  }
}

/** @throws Refusal `limit_exceeded` if the sum of the costs is no amount */
function requireSum(priced: readonly PricedLine[]): void {
  let sumMsat = 0;
  for (const { costMsat } of priced) {
    sumMsat += costMsat;
    if (sumMsat > MAX_MSAT) throw new Refusal('limit_exceeded', 'The sum of the lines must be at most 2^53 - 1 millisatoshis.');
  }
}

async function withFee(
  { fees, limits }: TransferDependencies,
  { source, lineageId }: Pick<WalletTransfers, 'source' | 'lineageId'>,
  line: TransferLine,
  id: string,
): Promise<PricedLine> {
  const { destination, amountMsat, memo, passThru, fiat } = line;
  const quoted = await fees.quote(source.id, 'internal', amountMsat);
  const fee = await fees.posting(quoted && { ...quoted, direction: 'internal', wallet: source, source: { transferId: id, side: 'from' } });
  const feeMsat = quoted?.feeMsat ?? ZERO_MSAT;
  if (amountMsat > MAX_MSAT - feeMsat) throw new Refusal('limit_exceeded');
  const transfer = {
    id,
    from: source.ledgerAccount,
    to: destination.ledgerAccount,
    amountMsat,
    toMaxBalanceMsat: await limits.maxBalance(destination.id),
    fromType: 'ln_transfer_out',
    toType: 'ln_transfer_in',
    keyLineageId: lineageId,
    ...(memo !== undefined && { memo }),
    ...(passThru !== undefined && { passThru }),
  };
  const rows = [
    ...fee.rows,
    ...searchRows({ id: walletTransactionId(id, 'from'), owner: source.id, text: memo ?? '' }),
    ...searchRows({ id: walletTransactionId(id, 'to'), owner: destination.id, text: memo ?? '' }),
    ...fiatRows(id, fiat),
  ];
  return { id, costMsat: msat(amountMsat + feeMsat), feeMsat, transfers: [transfer, ...fee.charged, ...fee.shared], rows };
}

/** The ledger names the first transfer that the balance did not cover. Returns the error for all of them. */
function shortfallOfAll({ shortfall }: InsufficientBalance, source: Wallet, priced: readonly PricedLine[]): InsufficientBalance {
  const sent = priced.flatMap(({ transfers }) => transfers).filter(({ from }) => from === source.ledgerAccount);
  const before = sent.slice(
    0,
    sent.findIndex(({ id }) => id === shortfall.id),
  );
  const sum = (amounts: readonly number[]) => msat(amounts.reduce((total, one) => total + one, 0));
  return new InsufficientBalance({
    ...shortfall,
    spendableMsat: sum([shortfall.spendableMsat, ...before.map(({ amountMsat }) => amountMsat)]),
    amountMsat: sum(priced.map(({ costMsat }) => costMsat)),
    feeMsat: sum(priced.map(({ feeMsat }) => feeMsat)),
  });
}

function fiatRows(id: string, fiat: FiatAmount | undefined): RowWrite[] {
  if (!fiat) return [];
  return [
    {
      statement: insertTransferFiat,
      parameters: [id, JSON.stringify(fiat)],
      onMiss: () => new Error('the price of a transfer was not stored'),
    },
  ];
}
