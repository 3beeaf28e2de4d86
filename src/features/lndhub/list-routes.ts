import type { FastifyRequest } from 'fastify';
import type { Invoice } from '../../core/invoices/invoice.ts';
import { transferHash } from '../../core/journal/wallet-transaction-id.ts';
import { readTransactions, type WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { floorSat, msat, ZERO_MSAT } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import type { App } from '../../http/app-type.ts';
import { TokenBuckets } from '../../http/limits/token-buckets.ts';
import { LNDHUB_PATH } from '../keys/lndhub-link.ts';
import { authorizeApp, keyRoute, type LndhubContext } from './context.ts';
import { bufferObject, fieldsOf, readInteger } from './fields.ts';
import { ADD_INDEX } from './invoice-routes.ts';
import { costOf } from './payment-object.ts';
import { RenderedLists } from './rendered-lists.ts';

const MAX_LIMIT = 200;
/** BTCPay looks for a payment in the list. */
const PAYMENTS = 100;
const INVOICES = 50;
const MAX_OFFSET = 1000;
/**
 * An app that shows an invoice waits for its payment in the list, however many other invoices are created: it is part of the list for an hour, and
 * for some time after its payment. Apps read the list every few seconds.
 */
const OPEN_SECONDS = 3600;
const PAID_SECONDS = 600;
/** The lists of one key. BTCPay reads one every 2.5 seconds and after each new invoice. */
const LIST_RATE = { perSecond: 20, burst: 100 };
const MAX_BUCKETS = 100_000;

/** An item of a list, with the time by which the list is sorted. */
interface Listed {
  readonly timestamp: number;
}

/** Lists of payments and invoices. BTCPay and Zeus read that of invoices every few seconds. */
export function listRoutes(app: App, deps: LndhubContext): void {
  const config = keyRoute(deps.lndhubTokens);
  const buckets = new TokenBuckets(deps.rateLimit.perSecond === 0 ? deps.rateLimit : LIST_RATE, MAX_BUCKETS, () => performance.now());

  const rendered = new RenderedLists();

  async function authorizeList(request: FastifyRequest): Promise<Wallet> {
    const { wallet, credential } = await authorizeApp(deps, request, 'wallet_tx_read');
    if (!buckets.takeToken(credential.key.id)) throw new Refusal('rate_limited');
    await takeTurn();
    return wallet;
  }

  app.get(`${LNDHUB_PATH}/gettxs`, { config }, async (request) => {
    const { limit, offset } = readPage(request, PAYMENTS);
    return (await listPayments(deps, await authorizeList(request), offset + limit)).slice(offset, offset + limit);
  });

  app.get(`${LNDHUB_PATH}/getuserinvoices`, { config }, async (request, reply) => {
    const { limit, offset } = readPage(request, INVOICES);
    const wallet = await authorizeList(request);
    // Every invoice that is created, paid, cancelled or expires, and every transfer, has an event. Read before the list, it is never newer.
    const version = await deps.eventLog.newestOfWallet(wallet.id);
    reply.type('application/json; charset=utf-8');
    return rendered.get(wallet.id, `${version} ${limit} ${offset}`, async () =>
      (await listInvoices(deps, wallet, offset + limit)).slice(offset),
    );
  });
}

function readPage({ query }: FastifyRequest, defaultLimit: number) {
  const fields = fieldsOf(query);
  const limit = readInteger(fields, 'limit', { min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'items' }) || defaultLimit;
  return { limit: Math.min(limit, MAX_LIMIT), offset: readInteger(fields, 'offset', { max: MAX_OFFSET, unit: 'items' }) ?? 0 };
}

/** Returns the newest payments that are pending or paid, and the newest transfers to other wallets. Failed payments are not part of it. */
async function listPayments(deps: LndhubContext, wallet: Wallet, count: number): Promise<Listed[]> {
  const payments = await deps.payments.listNewest(wallet.id, count);
  await takeTurn();
  const sent = await transfers(deps, wallet, 'ln_transfer_out', count);
  await takeTurn();
  const listed = await Promise.all(payments.map((payment) => renderPayment(deps, payment)));
  return newestFirst([...listed, ...sent.map(renderSent)]);
}

/** Returns the newest invoices with older ones that are open or were just paid, and the newest transfers from other wallets. */
async function listInvoices({ invoices, ...deps }: LndhubContext, wallet: Wallet, count: number): Promise<Listed[]> {
  const now = unixSeconds(deps.clock);
  const older = { openSince: now - OPEN_SECONDS, paidSince: now - PAID_SECONDS, maxOlder: MAX_LIMIT };
  const newest = await invoices.listNewest(wallet, { limit: count, ...older });
  await takeTurn();
  const received = await transfers(deps, wallet, 'ln_transfer_in', count);
  await takeTurn();
  return newestFirst([...newest.map(renderInvoice), ...received.map(renderReceived)]);
}

function newestFirst(items: Listed[]): Listed[] {
  return items.sort((a, b) => b.timestamp - a.timestamp);
}

type TransferReader = Pick<LndhubContext, 'database'>;

/** Returns the transfers among the newest transactions of a wallet, of which no more are read. */
async function transfers({ database }: TransferReader, { ledgerAccount }: Wallet, type: string, limit: number) {
  const query = { status: 'settled', order: 'desc' } as const;
  const { rows } = await readTransactions(database, { ledgerAccount }, query, { after: undefined, limit });
  return rows.filter((row) => row.type === type);
}

async function renderPayment({ payments }: LndhubContext, payment: Payment) {
  const isPaid = payment.state === 'succeeded';
  const feeMsat = (isPaid ? payment.feeMsat : await payments.feeLimitMsat(payment)) ?? ZERO_MSAT;
  return {
    payment_preimage: isPaid ? (payment.preimage ?? '') : '',
    payment_hash: bufferObject(payment.paymentHash),
    r_hash: bufferObject(payment.paymentHash),
    type: 'paid_invoice',
    ...costOf(payment, feeMsat),
    timestamp: payment.createdAt,
    memo: isPaid ? payment.memo : 'Payment in transition',
    pay_req: payment.paymentRequest,
    keysend: payment.isKeysend,
  };
}

function renderSent({ id, amount_msat, placed_at_ms, label }: WalletTransactionRow) {
  const syntheticHash = bufferObject(transferHash(id));
  return {
    payment_preimage: '',
    payment_hash: syntheticHash,
    r_hash: syntheticHash,
    type: 'paid_invoice',
    value: floorSat(msat(-amount_msat)),
    fee: 0,
    fee_msat: 0,
    timestamp: Math.floor(placed_at_ms / 1000),
    memo: label,
    pay_req: '',
    keysend: false,
  };
}

function renderInvoice(invoice: Invoice) {
  const isPaid = invoice.state === 'settled';
  return {
    r_hash: bufferObject(invoice.paymentHash),
    payment_hash: invoice.paymentHash,
    payment_request: invoice.paymentRequest,
    pay_req: invoice.paymentRequest,
    description: invoice.memo,
    type: 'user_invoice',
    amt: floorSat((isPaid ? invoice.receivedMsat : invoice.amountMsat) ?? ZERO_MSAT),
    ispaid: isPaid,
    // The time of validity, not its end: BTCPay adds it to `timestamp`.
    expire_time: invoice.expirySeconds,
    timestamp: invoice.createdAt,
    add_index: ADD_INDEX,
    keysend: invoice.isKeysend,
  };
}

function renderReceived({ id, amount_msat, placed_at_ms, label }: WalletTransactionRow) {
  const syntheticHash = transferHash(id);
  return {
    r_hash: bufferObject(syntheticHash),
    payment_hash: syntheticHash,
    payment_request: '',
    pay_req: '',
    description: label,
    type: 'user_invoice',
    amt: floorSat(msat(amount_msat)),
    ispaid: true,
    expire_time: 0,
    timestamp: Math.floor(placed_at_ms / 1000),
    add_index: ADD_INDEX,
    keysend: false,
  };
}
