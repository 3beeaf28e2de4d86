import { createHash, randomBytes } from 'node:crypto';
import type { NodeConnection } from '../connection/connection.ts';
import { eventRow } from '../journal/events.ts';
import { searchRows } from '../journal/search-words.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, Posting, RowWrite } from '../ledger/ledger.ts';
import { type CreatedInvoice, type InvoiceRequest, NodeUnavailable } from '../lightning/node.ts';
import { paymentHashOf } from '../lightning/payment-hash.ts';
import type { Wallet } from '../wallets/wallets.ts';
import type { Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';

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

const MAX_FULL_WALLETS = 10_000;

/**
 * Creates an invoice at the wallet's node and stores it. Limits the open invoices of each wallet: those that it created, and separately those
 * that payers requested. The insert counts them; a read counts first only for a wallet that reached the maximum.
 * @throws Refusal `too_many_invoices`, NodeUnavailable; then no invoice was handed out.
 */
export async function createInvoice(context: InvoiceContext, order: NewInvoice): Promise<Invoice> {
  const { fullWallets } = context;
  const tooMany = tooManyInvoices(context, order);
  await rejectIfStillFull(context, order, tooMany);
  const invoice = await createAtNode(context, order);
  try {
    // It moves no money. It goes through the ledger to share its commits.
    await context.ledger.post(invoicePosting(context, order, invoice, tooMany));
  } catch (error) {
    if (error === tooMany) {
      if (fullWallets.size >= MAX_FULL_WALLETS) fullWallets.clear();
      fullWallets.add(limitName(order));
    }
    throw error;
  }
  return invoice;
}

/** Saves a call to the node, and a batch of the ledger: a rejected row makes the ledger write the rest of its batch again. */
async function rejectIfStillFull(context: InvoiceContext, order: NewInvoice, tooMany: Refusal): Promise<void> {
  const { database, clock, maxOpenInvoices, fullWallets } = context;
  const name = limitName(order);
  if (!fullWallets.has(name)) return;
  const row = await database.first(sql.countOpen, order.wallet.ledgerAccount, order.wtxType, unixSeconds(clock), maxOpenInvoices);
  if ((row?.n ?? 0) >= maxOpenInvoices) throw tooMany;
  fullWallets.delete(name);
}

function limitName({ wallet, wtxType }: NewInvoice): string {
  return `${wallet.id} ${wtxType}`;
}

/** The payer of an address reads this. */
const TOO_MANY_REQUESTED = 'There are too many unpaid invoices for this payee. Try again in a few minutes.';

function tooManyInvoices({ maxOpenInvoices }: InvoiceContext, { wtxType }: NewInvoice): Refusal {
  return new Refusal(
    'too_many_invoices',
    wtxType === 'ln_lnurl_pay_inbound'
      ? TOO_MANY_REQUESTED
      : `The wallet has ${maxOpenInvoices} open invoices, the most that this service allows. Cancel some with DELETE /v1/lntx/<id>, ` +
          'wait until some expire, or create them with a shorter expiry.',
  );
}

async function createAtNode({ connections, clock }: InvoiceContext, order: NewInvoice): Promise<Invoice> {
  const { wallet, amountMsat, descriptionHash } = order;
  const connection = connections.of(wallet.nodeId);
  requireHashable(connection, order);
  const preimage = randomBytes(32).toString('hex');
  const { paymentRequest } = await requestFromNode(connection, {
    preimage,
    description: order.hashedText ?? order.memo,
    expirySeconds: order.expirySeconds,
    ...(amountMsat !== undefined && { amountMsat }),
    ...(descriptionHash !== undefined && { descriptionHash }),
  });
  const createdAt = unixSeconds(clock);
  return {
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
    memo: order.memo,
    descriptionHash,
    expirySeconds: order.expirySeconds,
    expiresAt: createdAt + order.expirySeconds,
    createdAt,
    preimage,
    isKeysend: false,
    passThru: order.passThru,
  };
}

/** Returns the posting that stores an open invoice. */
function invoicePosting({ clock, maxOpenInvoices }: InvoiceContext, order: NewInvoice, invoice: Invoice, onMiss: Refusal): Posting {
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
    invoice.preimage ?? null,
    invoice.passThru ?? null,
    maxOpenInvoices,
  ];
  const event = eventRow(clock, { type: 'invoice_created', owner: order.wallet, subject: invoice.id });
  return {
    guards: order.guards ?? [],
    rows: [
      { statement: sql.insertOpen, parameters, onMiss },
      ...searchRows({ id: invoice.id, owner: order.wallet.accountId, text: invoice.memo }),
      ...(order.extraRows?.(invoice.id) ?? []),
    ],
    events: [event],
  };
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
async function requestFromNode(connection: NodeConnection, request: InvoiceRequest): Promise<CreatedInvoice> {
  try {
    return await connection.call((node) => node.createInvoice(request));
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}
