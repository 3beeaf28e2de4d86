import { createHash, randomBytes } from 'node:crypto';
import type { NodeConnection } from '../connection/connection.ts';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import { eventRow } from '../journal/events.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, Ledger, RowWrite } from '../ledger/ledger.ts';
import { type CreatedInvoice, type InvoiceRequest, NodeUnavailable } from '../lightning/node.ts';
import { paymentHashOf } from '../lightning/payment-hash.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { cancelInvoice } from './cancel.ts';
import { reportExpired } from './expiry.ts';
import { type Invoice, rowToInvoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import { createIncomingPayments, type IncomingPayments, type KeysendRouting } from './settle.ts';

export interface NewInvoice {
  readonly wallet: Wallet;
  /** Undefined: any amount. */
  readonly amountMsat: Msat | undefined;
  /** Stored with the invoice. It is the BOLT11 description unless there is a description hash. */
  readonly memo: string;
  /** Hex. */
  readonly descriptionHash?: string;
  /** The text whose SHA-256 is the description hash. Absent: the memo. */
  readonly hashedText?: string;
  readonly expirySeconds: number;
  /** JSON text. */
  readonly passThru?: string;
  readonly wtxType: 'ln_deposit' | 'ln_lnurl_pay_inbound';
  /** Conditions of the posting, such as the validity of the requesting key. */
  readonly guards?: readonly Guard[];
  /** Returns rows to write in the posting that stores the invoice. */
  readonly extraRows?: (invoiceId: string) => readonly RowWrite[];
}

/** Creates and cancels invoices, and credits what arrives. */
export interface Invoices extends IncomingPayments {
  /** Creates an invoice at the wallet's node and stores it. @throws Refusal `too_many_invoices`, NodeUnavailable; then no invoice was handed out. */
  create(order: NewInvoice): Promise<Invoice>;
  /** See {@link cancelInvoice}. @throws Refusal `invoice_paid`, NodeUnavailable */
  cancel(invoice: Invoice, guards: readonly Guard[]): Promise<Invoice>;
  /** See {@link reportExpired}. */
  reportExpired(signal: AbortSignal): Promise<void>;
  find(id: string): Promise<Invoice | undefined>;
  findByHash(paymentHash: string): Promise<Invoice | undefined>;
  findMany(ids: readonly string[]): Promise<Invoice[]>;
}

export interface InvoiceDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly connections: NodeConnections;
  readonly routeKeysend: KeysendRouting;
  readonly clock: Clock;
  /** The maximum of open invoices of one wallet and type that have not expired. */
  readonly maxOpenInvoices: number;
}

export function createInvoices(deps: InvoiceDependencies): Invoices {
  const { database, ledger, connections, routeKeysend, clock } = deps;
  const one = (row: sql.InvoiceRow | undefined) => row && rowToInvoice(row);
  const findByHash = async (paymentHash: string) => one(await database.first(sql.findByHash, paymentHash));
  const isPaidInternally = async ({ id, paymentHash }: Invoice) =>
    (await database.first(sql.findInternalPayment, paymentHash, id)) !== undefined;
  const find = async (id: string) => one(await database.first(sql.findById, id));
  const isCredited = async (paymentHash: string) => (await database.first(sql.findSettlement, paymentHash)) !== undefined;
  return {
    ...createIncomingPayments({ findByHash, isCredited, isPaidInternally, ledger, connections, routeKeysend, clock }),
    create: limitedCreate(deps),
    cancel: (invoice, guards) => cancelInvoice({ ledger, connections, find, clock }, invoice, guards),
    reportExpired: (signal) => reportExpired({ database, clock }, signal),
    find,
    findByHash,
    findMany: async (ids) => (ids.length === 0 ? [] : (await database.all(sql.findMany, ids)).map(rowToInvoice)),
  };
}

const MAX_FULL_WALLETS = 10_000;

/** The payer of an address reads this. */
const TOO_MANY_REQUESTED = 'There are too many unpaid invoices for this payee. Try again in a few minutes.';

const nameOf = ({ wallet, wtxType }: NewInvoice) => `${wallet.id} ${wtxType}`;

/**
 * Limits the open invoices of each wallet: those that it created, and separately those that payers requested. The insert counts them; a read
 * counts first only for a wallet that reached the maximum.
 */
function limitedCreate({ database, ledger, connections, clock, maxOpenInvoices }: InvoiceDependencies): Invoices['create'] {
  const full = new Set<string>();
  const tooMany = ({ wtxType }: NewInvoice) =>
    new Refusal(
      'too_many_invoices',
      wtxType === 'ln_lnurl_pay_inbound'
        ? TOO_MANY_REQUESTED
        : `The wallet has ${maxOpenInvoices} open invoices, the most that this service allows. Cancel some with DELETE /v1/lntx/<id>, ` +
            'wait until some expire, or create them with a shorter expiry.',
    );

  /** Saves a call to the node, and a batch of the ledger: a rejected row makes the ledger write the rest of its batch again. */
  async function rejectIfStillFull(order: NewInvoice): Promise<void> {
    const name = nameOf(order);
    if (!full.has(name)) return;
    const row = await database.first(sql.countOpen, order.wallet.ledgerAccount, order.wtxType, unixSeconds(clock), maxOpenInvoices);
    if ((row?.n ?? 0) >= maxOpenInvoices) throw tooMany(order);
    full.delete(name);
  }

  return async (order) => {
    await rejectIfStillFull(order);
    const refusal = tooMany(order);
    try {
      return await create({ ledger, connections, clock }, order, maxOpenInvoices, refusal);
    } catch (error) {
      if (error === refusal) {
        if (full.size >= MAX_FULL_WALLETS) full.clear();
        full.add(nameOf(order));
      }
      throw error;
    }
  };
}

async function create(
  { ledger, connections, clock }: Pick<InvoiceDependencies, 'ledger' | 'connections' | 'clock'>,
  order: NewInvoice,
  maxOpenInvoices: number,
  tooMany: Refusal,
): Promise<Invoice> {
  const { wallet, amountMsat, descriptionHash } = order;
  const connection = connections.of(wallet.nodeId);
  requireHashable(connection, order);
  const preimage = randomBytes(32).toString('hex');
  const { paymentRequest } = await createAtNode(connection, {
    preimage,
    description: order.hashedText ?? order.memo,
    expirySeconds: order.expirySeconds,
    ...(amountMsat !== undefined && { amountMsat }),
    ...(descriptionHash !== undefined && { descriptionHash }),
  });
  const createdAt = unixSeconds(clock);
  const invoice: Invoice = {
    id: `lntx_${newId(clock.nowMs())}`,
    walletId: wallet.id,
    ledgerAccount: wallet.ledgerAccount,
    nodeId: connection.nodeId,
    destPubkey: connection.identity().pubkey,
    wtxType: order.wtxType,
    state: 'open',
    paymentHash: paymentHashOf(preimage),
    paymentRequest,
    amountMsat,
    receivedMsat: undefined,
    memo: order.memo,
    descriptionHash,
    expirySeconds: order.expirySeconds,
    expiresAt: createdAt + order.expirySeconds,
    createdAt,
    settledAt: undefined,
    preimage,
    isKeysend: false,
    customRecords: undefined,
    passThru: order.passThru,
  };
  const parameters = [
    invoice.id,
    invoice.walletId,
    invoice.ledgerAccount,
    invoice.nodeId,
    invoice.destPubkey,
    invoice.wtxType,
    invoice.paymentHash,
    invoice.paymentRequest,
    invoice.amountMsat ?? null,
    invoice.memo,
    invoice.descriptionHash ?? null,
    invoice.expirySeconds,
    invoice.expiresAt ?? null,
    invoice.createdAt,
    preimage,
    invoice.passThru ?? null,
    maxOpenInvoices,
  ];
  // The row moves no money. It goes through the ledger to share its commits.
  const row = { statement: sql.insertOpen, parameters, onMiss: tooMany };
  const event = eventRow(clock, { type: 'invoice_created', owner: wallet, subject: invoice.id });
  await ledger.post({ guards: order.guards ?? [], rows: [row, ...(order.extraRows?.(invoice.id) ?? [])], events: [event] });
  return invoice;
}

/** Some nodes compute the hash themselves. They need the text, which is then the memo. @throws Refusal `not_supported` */
function requireHashable(connection: NodeConnection, { memo, hashedText = memo, descriptionHash }: NewInvoice): void {
  const node = connection.info();
  if (descriptionHash === undefined || !node || node.capabilities.descriptionHashWithoutText) return;
  if (createHash('sha256').update(hashedText).digest('hex') === descriptionHash) return;
  throw new Refusal(
    'not_supported',
    `The Lightning node (${node.software}) cannot create an invoice from a hash alone. Send the text whose SHA-256 it is as \`memo\`.`,
  );
}

/** An invoice whose creation was not confirmed was handed to no payer, so every failure is reported as safe to retry. */
async function createAtNode({ node }: NodeConnection, request: InvoiceRequest): Promise<CreatedInvoice> {
  try {
    return await node.createInvoice(request);
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}
