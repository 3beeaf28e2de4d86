import type { FastifyRequest } from 'fastify';
import type { Invoice } from '../../core/invoices/invoice.ts';
import { listImported } from '../../core/journal/imported-transactions.ts';
import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import { type BookingRow, findBookings, findCredits, listInternal } from '../../core/journal/wallet-transactions.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { msat, ZERO_MSAT } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import type { App } from '../../http/app-type.ts';
import { TokenBuckets } from '../../http/limits/token-buckets.ts';
import { LNDHUB_PATH } from '../keys/lndhub-link.ts';
import { authorizeApp, keyRoute, type LndhubContext } from './context.ts';
import { fieldsOf, readInteger } from './fields.ts';
import { importedReceivedItem, importedSentItem, invoiceItem, paidItem, pendingItem, receivedItem, sentItem } from './list-items.ts';
import { RenderedLists } from './rendered-lists.ts';

const MAX_LIMIT = 200;
/** BTCPay looks for a payment in the list. */
const PAYMENTS = 100;
const INVOICES = 50;
const MAX_OFFSET = 1000;
/** Transfers are listed if they are among so many newest transactions of the wallet: an index for them would slow every transfer. */
const TRANSFERS_AMONG = 2000;
/**
 * An app that shows an invoice waits for its payment in the list, however many other invoices are created. In a list that the app does not divide
 * into pages, it stays for an hour, and for some time after its payment. Apps read the list every few seconds.
 */
const OPEN_SECONDS = 3600;
const PAID_SECONDS = 600;
/** The lists of one key. BTCPay reads one every 2.5 seconds and after each new invoice. */
const LIST_RATE = { perSecond: 20, burst: 100 };
const MAX_BUCKETS = 100_000;

/** A part of a list. Without `isPaged`, the app has sent neither `limit` nor `offset`. */
interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly isPaged: boolean;
}

/** Lists of payments and invoices. BTCPay and Zeus read that of invoices every few seconds. */
export function listRoutes(app: App, deps: LndhubContext): void {
  const config = keyRoute(deps.lndhubTokens);
  const buckets = new TokenBuckets(deps.rateLimit.perSecond === 0 ? deps.rateLimit : LIST_RATE, MAX_BUCKETS, () => performance.now());

  const rendered = new RenderedLists();

  async function authorizeList(request: FastifyRequest): Promise<Wallet> {
    const { wallet, credential } = await authorizeApp(deps, request, 'wallet_tx_read');
    const { id } = credential.key;
    if (!buckets.takeToken(id)) throw new Refusal('rate_limited').afterMs(buckets.waitMs(id));
    await takeTurn();
    return wallet;
  }

  app.get(`${LNDHUB_PATH}/gettxs`, { config }, async (request) => {
    const page = readPage(request, PAYMENTS);
    return listPayments(deps, await authorizeList(request), page);
  });

  app.get(`${LNDHUB_PATH}/getuserinvoices`, { config }, async (request, reply) => {
    const page = readPage(request, INVOICES);
    const wallet = await authorizeList(request);
    // Every invoice that is created, paid, cancelled or expires, and every transfer, has an event. Read before the list, it is never newer.
    const version = await deps.eventLog.newestOfWallet(wallet.id);
    reply.type('application/json; charset=utf-8');
    return rendered.get(wallet.id, `${version} ${page.limit} ${page.offset} ${page.isPaged}`, () => listInvoices(deps, wallet, page));
  });
}

function readPage({ query }: FastifyRequest, defaultLimit: number): Page {
  const fields = fieldsOf(query);
  const limit = readInteger(fields, 'limit', { min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'items' });
  const offset = readInteger(fields, 'offset', { max: MAX_OFFSET, unit: 'items' });
  return { limit: Math.min(limit || defaultLimit, MAX_LIMIT), offset: offset ?? 0, isPaged: Boolean(limit) || offset !== undefined };
}

/** Returns payments that are pending or paid and transfers to other wallets, newest first, then those from before an import. */
async function listPayments(deps: LndhubContext, wallet: Wallet, { limit, offset }: Page): Promise<object[]> {
  const { database, payments } = deps;
  const end = offset + limit;
  const paid = await payments.listNewest(wallet.id, end);
  await takeTurn();
  const internal = await listInternal(database, wallet.ledgerAccount, TRANSFERS_AMONG);
  await takeTurn();
  const listed = newestFirst([...paid, ...internal.filter(isSent)]);
  const shown = listed.slice(offset, end);
  const bookings = await findBookings(
    database,
    shown.flatMap((one) => (isBooking(one) ? [] : walletTransactionId(one.transferId, 'from'))),
  );
  const items = await Promise.all(shown.map((one) => (isBooking(one) ? sentItem(one) : renderPayment(deps, one, bookings))));
  if (listed.length >= end) return items;
  const imported = await listImported(database, wallet.id, 'out', end - listed.length);
  return [...items, ...imported.slice(Math.max(0, offset - listed.length)).map(importedSentItem)];
}

async function renderPayment({ payments }: LndhubContext, payment: Payment, bookings: ReadonlyMap<string, BookingRow>): Promise<object> {
  if (payment.state === 'succeeded') return paidItem(payment, bookings.get(walletTransactionId(payment.transferId, 'from')));
  const limitMsat = (await payments.feeLimitMsat(payment)) ?? ZERO_MSAT;
  return pendingItem(payment, msat(limitMsat + (payment.serviceFeeMsat ?? 0)));
}

/** Returns invoices and transfers from other wallets, newest first, then what was received before an import. */
async function listInvoices({ invoices, database, clock }: LndhubContext, wallet: Wallet, page: Page): Promise<object[]> {
  const { limit, offset, isPaged } = page;
  const end = offset + limit;
  const now = unixSeconds(clock);
  const newest = await invoices.listNewest(wallet, end);
  await takeTurn();
  const internal = await listInternal(database, wallet.ledgerAccount, TRANSFERS_AMONG);
  await takeTurn();
  const [openSince, paidSince] = [now - OPEN_SECONDS, now - PAID_SECONDS];
  const oldest = newest.at(-1);
  const isCut = oldest !== undefined && newest.length === end;
  const waiting = isCut && !isPaged ? await invoices.listWaiting(wallet, oldest, { openSince, paidSince, max: MAX_LIMIT }) : [];
  const received = internal.filter((one) => !isSent(one));
  const hasOpening = received.some(({ type }) => type === OPENING);
  const isEnd = newest.length + received.length < end;
  const imported = isEnd || hasOpening ? await listImported(database, wallet.id, 'in', end) : [];
  // The opening balance is the sum of what is listed from before the import.
  const listed = newestFirst([...newest, ...received.filter(({ type }) => type !== OPENING || imported.length === 0)]);
  const isAwaited = (one: Invoice | BookingRow) =>
    !isPaged && !isBooking(one) && (isOpenSince(one, openSince) || isPaidSince(one, paidSince));
  const shown = [...listed.filter((one, index) => (index >= offset && index < end) || (index >= end && isAwaited(one))), ...waiting];
  const credits = await findCredits(
    database,
    shown.flatMap((one) => (!isBooking(one) && one.state === 'settled' ? one.id : [])),
  );
  const items = shown.map((one) => (isBooking(one) ? receivedItem(one) : invoiceItem(one, credits.get(one.id))));
  const before = imported.slice(Math.max(0, offset - listed.length), Math.max(0, end - listed.length));
  return [...items, ...before.map(importedReceivedItem)];
}

const OPENING = 'opening_balance';

function isOpenSince({ state, createdAt }: Invoice, since: number): boolean {
  return state === 'open' && createdAt > since;
}

function isPaidSince({ settledAt = 0 }: Invoice, since: number): boolean {
  return settledAt >= since;
}

type Listed = Payment | Invoice | BookingRow;

function isBooking(one: Listed): one is BookingRow {
  return 'amount_msat' in one;
}

function isSent({ amount_msat }: BookingRow): boolean {
  return amount_msat < 0;
}

/** Sorts by the ids, which have the time of their creation after their prefix. A page continues exactly where the one before it ended. */
function newestFirst<T extends Listed>(items: T[]): T[] {
  const timeOf = ({ id }: T) => id.slice(id.indexOf('_') + 1);
  return items.sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
}
