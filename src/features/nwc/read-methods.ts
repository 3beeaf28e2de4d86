import { type BUDGET_PERIODS, periodEnd } from '../../core/budgets/limits.ts';
import { areHoldsStopped } from '../../core/invoices/hold-switch.ts';
import type { Invoice } from '../../core/invoices/invoice.ts';
import { findBookings, readTransactions, type WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import { completeRows } from '../transactions/complete.ts';
import { NwcError } from './errors.ts';
import { offeredMethods, offeredNotifications } from './methods.ts';
import type { AppRequest, NwcModules } from './modules.ts';
import { MAX_INVOICE_BYTES, type Params, readBoolean, readHex, readInteger, readText } from './params.ts';
import {
  type NwcTransaction,
  readInvoiceTransaction,
  transactionOfInvoice,
  transactionOfPayment,
  transactionOfWallet,
} from './transaction-object.ts';

/** Returns what the app may do, and facts about the node. */
export async function getInfo({ connections, database, payLinks }: NwcModules, { connection, wallet }: AppRequest): Promise<object> {
  const node = connections.of(wallet.nodeId);
  const { pubkey, network } = node.identity();
  const offer = {
    permissions: connection.permissions,
    hasHoldInvoices: node.info()?.capabilities.holdInvoices === true,
    areHoldsStopped: await areHoldsStopped(database),
  };
  return {
    alias: node.info()?.alias ?? '',
    color: '',
    pubkey,
    network: network === 'bitcoin' ? 'mainnet' : network,
    // No adapter reports them, and no client needs them.
    block_height: 0,
    block_hash: '',
    methods: offeredMethods(offer),
    notifications: offeredNotifications(offer),
    lud16: (await payLinks.addressOf(wallet.id)) ?? '',
    metadata: { id: connection.id, name: wallet.userLabel },
  };
}

/** Returns the spendable balance of the wallet in millisatoshis. */
export async function getBalance({ ledger }: NwcModules, { wallet }: AppRequest): Promise<object> {
  const { spendableMsat } = await ledger.balance(wallet.ledgerAccount);
  return { balance: Math.max(0, spendableMsat) };
}

const RENEWALS = { day: 'daily', week: 'weekly', month: 'monthly', ever: 'never' } as const satisfies Record<
  (typeof BUDGET_PERIODS)[number],
  string
>;

/** Returns the budget of the connection in millisatoshis; an empty object without one. Payments in flight count as used. */
export async function getBudget({ keyring, clock }: NwcModules, { connection }: AppRequest): Promise<object> {
  const [key] = await keyring.findMany([connection.keyId]);
  invariant(key, 'a connection has a key');
  const { budget_msat: total, budget_period: period } = key;
  if (total === null || period === null) return {};
  const used_budget = (key.budget_spent_msat ?? 0) + (key.budget_pending_msat ?? 0);
  const renewal = { used_budget, total_budget: total, renewal_period: RENEWALS[period] };
  return period === 'ever' ? renewal : { ...renewal, renews_at: periodEnd(period, unixSeconds(clock)) };
}

/** Returns an invoice or a payment of the wallet. @throws NwcError NOT_FOUND if the wallet has neither */
export async function lookupInvoice(modules: NwcModules, { wallet }: AppRequest, params: Params): Promise<object> {
  const paymentHash = readHex(params, 'payment_hash', 64) ?? hashOfInvoice(modules, params);
  const invoice = await modules.invoices.findByHash(paymentHash);
  if (invoice?.walletId === wallet.id) return readInvoiceTransaction(modules, invoice);
  // The pending or the settled one, otherwise the newest that has failed.
  const payment = await modules.payments.findByHash(paymentHash, wallet.id);
  if (!payment) throw new NwcError('NOT_FOUND', 'The wallet has no invoice and no payment with this payment hash.');
  return transactionOfPayment(payment);
}

function hashOfInvoice({ payments }: NwcModules, params: Params): string {
  const invoice = readText(params, 'invoice', MAX_INVOICE_BYTES);
  if (invoice === undefined) throw new NwcError('BAD_REQUEST', 'payment_hash or invoice is missing.');
  try {
    return payments.readInvoice(invoice).paymentHash;
  } catch (error) {
    if (error instanceof Refusal) throw new NwcError('BAD_REQUEST', error.message);
    throw error;
  }
}

const MAX_LISTED = 50;
/** Offsets beyond it are rejected, because every row before them is read. */
const MAX_OFFSET = 10_000;
/** A response of this size has less than 60 KiB when it is encrypted; relays accept 64 KiB. */
const MAX_LIST_BYTES = 40_000;

/** What is not listed: fees, which are part of their transactions. */
const FEES: ReadonlySet<string> = new Set(['network_fee', 'service_fee']);

/** Returns the transactions of the wallet, newest first. Fewer than `limit` if the response would become too large. */
export async function listTransactions(modules: NwcModules, { wallet }: AppRequest, params: Params): Promise<object> {
  const limit = Math.min(readInteger(params, 'limit', 0, Number.MAX_SAFE_INTEGER) || MAX_LISTED, MAX_LISTED);
  const offset = readInteger(params, 'offset', 0, MAX_OFFSET) ?? 0;
  const from = readInteger(params, 'from', 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const until = readInteger(params, 'until', 0, Number.MAX_SAFE_INTEGER) || Number.MAX_SAFE_INTEGER;
  const direction = readText(params, 'type', 20);
  const unpaid = readBoolean(params, 'unpaid');
  const [unpaidOut, unpaidIn] = [unpaid || readBoolean(params, 'unpaid_outgoing'), unpaid || readBoolean(params, 'unpaid_incoming')];
  if (direction !== undefined && direction !== 'incoming' && direction !== 'outgoing')
    throw new NwcError('BAD_REQUEST', 'type must be incoming or outgoing.');

  const wanted = offset + limit;
  await takeTurn();
  const { rows, next } = await readTransactions(
    modules.database,
    // A wallet also has an accountId, which would select the transactions of all its wallets.
    { ledgerAccount: wallet.ledgerAccount },
    {
      status: unpaidOut || unpaidIn ? 'all' : 'settled',
      order: 'desc',
      // Times in the future do not fit into an integer of the database in milliseconds.
      ...(from > 0 && { fromMs: Math.min(from, MAX_SECONDS) * 1000 }),
      ...(until < MAX_SECONDS && { untilMs: until * 1000 + 999 }),
      matches: async (some) =>
        some.map(({ type, status, amount_msat: amountMsat }) => {
          const isOut = amountMsat < 0;
          if (FEES.has(type) || (direction !== undefined && isOut !== (direction === 'outgoing'))) return false;
          return status === 'settled' || (isOut ? unpaidOut : unpaidIn);
        }),
    },
    { after: undefined, limit: wanted },
  );
  const open =
    unpaidIn && direction !== 'outgoing'
      ? await readOpen(modules, wallet, { from, until, limit: wanted })
      : { invoices: [], isCapped: false };
  const all = merge(
    rows.map((row) => ({ placedAt: Math.floor(row.placed_at_ms / 1000), row })),
    open.invoices.map((invoice) => ({ placedAt: invoice.createdAt, invoice })),
  );
  const transactions = fitting(await completePage(modules, all.slice(offset, wanted)));
  const isComplete = next === undefined && !open.isCapped;
  return { transactions, ...(isComplete && { total_count: all.length }) };
}

const MAX_SECONDS = 8_000_000_000_000;

function readOpen(
  { invoices }: NwcModules,
  { ledgerAccount }: AppRequest['wallet'],
  { from, until, limit }: { from: number; until: number; limit: number },
) {
  return invoices.listOpen(
    { ledgerAccount },
    { order: 'desc', after: undefined, limit, matches: ({ createdAt }) => createdAt >= from && createdAt <= until },
  );
}

/** An item of the list: a booking, or an open invoice. */
interface Placed {
  /** The time of the booking, Unix seconds; of an open invoice, that of its creation. */
  readonly placedAt: number;
  readonly row?: WalletTransactionRow;
  readonly invoice?: Invoice;
}

/** Merges two lists without changing their orders, so that the next offset continues where this page ends. */
function merge(booked: readonly Placed[], open: readonly Placed[]): Placed[] {
  const merged: Placed[] = [];
  let taken = 0;
  for (const one of booked) {
    for (let next = open[taken]; next && next.placedAt > one.placedAt; next = open[taken]) {
      merged.push(next);
      taken += 1;
    }
    merged.push(one);
  }
  return [...merged, ...open.slice(taken)];
}

/** Returns the transactions of a page. Payments and invoices are read for it alone: for those before it, they took 60 ms. */
async function completePage(modules: NwcModules, page: readonly Placed[]): Promise<NwcTransaction[]> {
  const now = unixSeconds(modules.clock);
  const rows = page.flatMap(({ row }) => row ?? []);
  const [completed, bookings] = await Promise.all([
    completeRows(modules, rows),
    findBookings(
      modules.database,
      rows.map(({ id }) => id),
    ),
  ]);
  const transactions = new Map(completed.map((one) => [one.id, transactionOfWallet(one, now, bookings.get(one.id)?.service_fee_msat)]));
  return page.flatMap(({ row, invoice }) => (invoice ? transactionOfInvoice(invoice, now) : (transactions.get(row?.id ?? '') ?? [])));
}

/** At least one, so that a client that continues after the last one makes progress. */
function fitting(transactions: readonly NwcTransaction[]): NwcTransaction[] {
  let bytes = 0;
  const end = transactions.findIndex((one) => {
    bytes += Buffer.byteLength(JSON.stringify(one)) + 1;
    return bytes > MAX_LIST_BYTES;
  });
  return transactions.slice(0, end === -1 ? undefined : Math.max(1, end));
}
