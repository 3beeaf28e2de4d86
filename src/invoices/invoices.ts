import type { NodeConnection } from '../connection/connection.ts';
import type { Database } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Guard, RowWrite } from '../ledger/posting.ts';
import { type CreatedInvoice, type InvoiceRequest, NodeUnavailable } from '../lightning/node.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { cancelInvoice } from './cancel.ts';
import { type Invoice, rowToInvoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import { createIncoming, type Incoming, type KeysendRouting } from './settle.ts';

export interface NewInvoice {
  readonly wallet: Wallet;
  /** Undefined: any amount. */
  readonly amountMsat: Msat | undefined;
  /** Kept with the invoice, and in it unless there is a description hash. */
  readonly memo: string;
  /** Hex. */
  readonly descriptionHash?: string;
  readonly expirySeconds: number;
  /** JSON text. */
  readonly passThru?: string;
  readonly wtxType: 'ln_deposit' | 'ln_lnurl_pay_inbound';
  /** The keys that ask for it. */
  readonly guards?: readonly Guard[];
  /** What else is written with it, given its id. */
  readonly extraRows?: (invoiceId: string) => readonly RowWrite[];
}

export interface Invoices extends Incoming {
  /** @throws Refusal `too_many_invoices`, NodeUnavailable when the node cannot make one now. */
  create(order: NewInvoice): Promise<Invoice>;
  /** @throws Refusal `invoice_paid`, NodeUnavailable; see {@link cancelInvoice}. */
  cancel(invoice: Invoice, guards: readonly Guard[]): Promise<Invoice>;
  find(id: string): Promise<Invoice | undefined>;
  findByHash(paymentHash: string): Promise<Invoice | undefined>;
  findMany(ids: readonly string[]): Promise<Invoice[]>;
}

export interface InvoiceDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly connection: NodeConnection;
  readonly routeKeysend: KeysendRouting;
  readonly clock: Clock;
  /** How many open invoices that have not expired one wallet may have. */
  readonly maxOpenInvoices: number;
}

export function createInvoices(deps: InvoiceDependencies): Invoices {
  const { database, ledger, connection, routeKeysend, clock } = deps;
  const one = (row: sql.InvoiceRow | undefined) => row && rowToInvoice(row);
  const findByHash = async (paymentHash: string) => one(await database.first(sql.findByHash, paymentHash));
  const isPaidInside = async ({ id, paymentHash }: Invoice) => (await database.first(sql.findInsidePayment, paymentHash, id)) !== undefined;
  const find = async (id: string) => one(await database.first(sql.findById, id));
  const isCredited = async (paymentHash: string) => (await database.first(sql.findSettlement, paymentHash)) !== undefined;
  return {
    ...createIncoming({ findByHash, isCredited, isPaidInside, ledger, connection, routeKeysend, clock }),
    create: invoiceMaker(deps),
    cancel: (invoice, guards) => cancelInvoice({ ledger, connection, find }, invoice, guards),
    find,
    findByHash,
    findMany: async (ids) => (ids.length === 0 ? [] : (await database.all(sql.findMany, ids)).map(rowToInvoice)),
  };
}

const MAX_FULL_WALLETS = 10_000;

/** Makes invoices within the limit of each wallet. The insert counts; only for a wallet that was full does a read count before it. */
function invoiceMaker({ database, ledger, connection, clock, maxOpenInvoices }: InvoiceDependencies): Invoices['create'] {
  const full = new Set<string>();
  const tooMany = () =>
    new Refusal(
      'too_many_invoices',
      `The wallet has ${maxOpenInvoices} open invoices, the most that this service allows. Cancel some with DELETE /v1/lntx/<id>, ` +
        'wait until some expire, or make them with a shorter expiry.',
    );

  /** Saves the node and the ledger's batches from what would be refused: a row that is refused has its whole batch written again. */
  async function refuseIfStillFull({ id, ledgerAccount }: Wallet): Promise<void> {
    if (!full.has(id)) return;
    const row = await database.first(sql.countOpen, ledgerAccount, unixSeconds(clock), maxOpenInvoices);
    if ((row?.n ?? 0) >= maxOpenInvoices) throw tooMany();
    full.delete(id);
  }

  return async (order) => {
    await refuseIfStillFull(order.wallet);
    const refusal = tooMany();
    try {
      return await create({ ledger, connection, clock }, order, maxOpenInvoices, refusal);
    } catch (error) {
      if (error === refusal) {
        if (full.size >= MAX_FULL_WALLETS) full.clear();
        full.add(order.wallet.id);
      }
      throw error;
    }
  };
}

async function create(
  { ledger, connection, clock }: Pick<InvoiceDependencies, 'ledger' | 'connection' | 'clock'>,
  order: NewInvoice,
  maxOpenInvoices: number,
  tooMany: Refusal,
): Promise<Invoice> {
  const { wallet, amountMsat, descriptionHash } = order;
  const created = await askNode(connection, {
    description: order.memo,
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
    paymentHash: created.paymentHash,
    paymentRequest: created.paymentRequest,
    amountMsat,
    receivedMsat: undefined,
    memo: order.memo,
    descriptionHash,
    expirySeconds: order.expirySeconds,
    expiresAt: createdAt + order.expirySeconds,
    createdAt,
    settledAt: undefined,
    preimage: created.preimage,
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
    created.preimage,
    invoice.passThru ?? null,
    maxOpenInvoices,
  ];
  // Posted by the ledger only to share its commits: no money moves.
  const row = { statement: sql.insertOpen, parameters, onMiss: tooMany };
  await ledger.post({ guards: order.guards ?? [], rows: [row, ...(order.extraRows?.(invoice.id) ?? [])] });
  return invoice;
}

/** An invoice whose making was never heard of is in nobody's hands: asking again is safe, whatever went wrong. */
async function askNode({ node }: NodeConnection, request: InvoiceRequest): Promise<CreatedInvoice> {
  try {
    return await node.createInvoice(request);
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}
