import { createHash, randomBytes } from 'node:crypto';
import type { NodeConnection } from '../connection/connection.ts';
import { traceRows } from '../journal/event-traces.ts';
import { eventRow } from '../journal/events.ts';
import { searchRows } from '../journal/search-words.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import type { FiatAmount } from '../kernel/fiat.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, Posting, RowWrite } from '../ledger/ledger.ts';
import { type CreatedInvoice, HashUsed, type InvoiceRequest, NodeUnavailable } from '../lightning/node.ts';
import { paymentHashOf } from '../lightning/payment-hash.ts';
import type { HoldInvoiceEntry, RecoveryEntry } from '../recovery-log/recovery-log.ts';
import { type Wallet, walletGuard } from '../wallets/wallets.ts';
import { repeatable } from './close.ts';
import { requireBelowHoldLimits } from './hold-limits.ts';
import { holdSwitchGuard, requireHoldsAllowed } from './hold-switch.ts';
import { findInvoiceByHash, type Invoice, openInvoiceParameters } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';
import { isCredited } from './settle.ts';

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
  /** The amount in a currency from which `amountMsat` was computed. */
  readonly fiat?: FiatAmount | undefined;
  readonly wtxType: 'ln_deposit' | 'ln_lnurl_pay_inbound';
  /** Makes it a hold invoice: its payment waits until the wallet settles it with the preimage, or cancels it. */
  readonly hold?: {
    /** 32 bytes in hex. */
    readonly paymentHash: string;
    /** The blocks that the payer must leave until the HTLC expires. Absent: the node's default. */
    readonly minFinalCltvBlocks?: number;
  };
  /** Conditions of the posting, such as the validity of the requesting key. */
  readonly guards?: readonly Guard[];
  /** Returns rows to write in the posting that stores the invoice. */
  readonly extraRows?: (invoiceId: string) => readonly RowWrite[];
}

/** The payer of an address reads this. */
export const TOO_MANY_REQUESTED = 'There are too many unpaid invoices for this payee. Try again in a few minutes.';

export function tooManyInvoices({ maxOpenInvoices }: InvoiceContext, { wtxType }: NewInvoice): Refusal {
  return new Refusal(
    'too_many_invoices',
    wtxType === 'ln_lnurl_pay_inbound'
      ? TOO_MANY_REQUESTED
      : `The wallet has ${maxOpenInvoices} open invoices, the most that this service allows. Cancel some with DELETE /v1/lntx/<id>, ` +
          'wait until some expire, or create them with a shorter expiry.',
  );
}

/** Creates an invoice at the wallet's node. It is not stored yet. @throws Refusal, NodeUnavailable */
export async function createAtNode(context: InvoiceContext, order: NewInvoice): Promise<Invoice> {
  const { connections, markers, clock } = context;
  const { wallet, amountMsat, hold } = order;
  const connection = connections.of(wallet.nodeId);
  requireHashable(connection, order);
  await connection.requirePermitted();
  const preimage = hold ? undefined : markers.choosePreimage(wallet.id);
  const draft: InvoiceDraft = {
    id: `lntx_${newId(clock.nowMs())}`,
    createdAt: unixSeconds(clock),
    fiat: order.fiat && JSON.stringify(order.fiat),
    ...(hold && { statusKey: randomBytes(32).toString('hex') }),
  };
  // An invoice whose creation was not confirmed was handed to no payer.
  const { paymentRequest } = await repeatable(() =>
    preimage === undefined
      ? createHoldAtNode(context, connection, order, draft)
      : connection.call((node) => node.createInvoice({ ...contentsOf(order), preimage })),
  );
  return {
    ...draft,
    walletId: wallet.id,
    ledgerAccount: wallet.ledgerAccount,
    nodeId: connection.nodeId,
    destPubkey: connection.identity().pubkey,
    wtxType: order.wtxType,
    state: 'open',
    paymentHash: preimage === undefined ? (hold?.paymentHash ?? '') : paymentHashOf(preimage),
    paymentRequest,
    amountMsat,
    memo: order.memo,
    descriptionHash: order.descriptionHash,
    expirySeconds: order.expirySeconds,
    expiresAt: draft.createdAt + order.expirySeconds,
    preimage,
    isKeysend: false,
    passThru: order.passThru,
    ...(hold && { isHold: true }),
  };
}

/** What the service chooses for an invoice before it is created at the node. */
type InvoiceDraft = Pick<Invoice, 'id' | 'createdAt' | 'statusKey' | 'fiat'>;

function contentsOf({ amountMsat, descriptionHash, hashedText, memo, expirySeconds }: NewInvoice): Omit<InvoiceRequest, 'preimage'> {
  return {
    description: hashedText ?? memo,
    expirySeconds,
    ...(amountMsat !== undefined && { amountMsat }),
    ...(descriptionHash !== undefined && { descriptionHash }),
  };
}

/**
 * Creates a hold invoice at the node. An existing invoice of the node with the same hash is never taken over, because it may be that of another
 * program, whose payments would then be credited to this wallet.
 * @throws Refusal `not_supported`, `too_many_holds`, `hold_hash_taken`
 */
async function createHoldAtNode(
  context: InvoiceContext,
  connection: NodeConnection,
  order: NewInvoice,
  draft: InvoiceDraft,
): Promise<CreatedInvoice> {
  const { hold } = order;
  // Its payment could not be returned in time.
  connection.requireCurrentChain();
  invariant(hold, 'it is a hold invoice');
  if (connection.info()?.capabilities.holdInvoices !== true) throw noHoldInvoices(connection);
  await requireHoldsAllowed(context.database);
  await requireBelowHoldLimits(context.database, context.holdLimits, order.wallet, connection);
  // The settlement of a payment hash is credited once.
  const isUsed = (await findInvoiceByHash(context.database, hold.paymentHash)) ?? (await isCredited(context, hold.paymentHash));
  if (isUsed) throw new Refusal('hold_hash_taken');
  const entry = recoveryEntry(context, connection, order, draft);
  await record(context, entry);
  try {
    return await connection.call(async (node) => {
      if (!node.createHoldInvoice) throw noHoldInvoices(connection);
      return node.createHoldInvoice({ ...contentsOf(order), ...hold });
    });
  } catch (error) {
    if (!(error instanceof HashUsed)) throw error;
    await record(context, { kind: 'hold_invoice_refused', id: draft.id, at: entry.at, until: entry.until });
    throw new Refusal('hold_hash_taken');
  }
}

function recoveryEntry(
  { maxHoldSeconds }: InvoiceContext,
  connection: NodeConnection,
  { wallet, hold, amountMsat, memo, descriptionHash, expirySeconds, passThru }: NewInvoice,
  { id, createdAt, statusKey = '', fiat }: InvoiceDraft,
): HoldInvoiceEntry {
  return {
    kind: 'hold_invoice',
    at: createdAt,
    until: createdAt + expirySeconds + maxHoldSeconds,
    id,
    walletId: wallet.id,
    nodePubkey: connection.identity().pubkey,
    paymentHash: hold?.paymentHash ?? '',
    amountMsat,
    memo,
    descriptionHash,
    expirySeconds,
    statusKey,
    passThru,
    fiat,
  };
}

/** @throws NodeUnavailable when the entry was not stored. Then the invoice must not be created: a restore could not find its wallet. */
async function record({ recoveryLog, log }: InvoiceContext, entry: RecoveryEntry): Promise<void> {
  try {
    await recoveryLog?.append(entry);
  } catch (error) {
    log.error({ reason: errorMessage(error) }, 'a hold invoice was not created, because it could not be recorded in the folder of backups');
    throw new NodeUnavailable('hold invoices cannot be recorded in the folder of backups');
  }
}

function noHoldInvoices(connection: NodeConnection): Refusal {
  const { software = 'unknown', noHoldInvoices: reason } = connection.info() ?? {};
  if (reason !== undefined) return new Refusal('not_supported', `Hold invoices are off: ${reason}. Leave out \`hold_hash\`.`);
  return new Refusal(
    'not_supported',
    `The Lightning node (${software}) has no hold invoices. Leave out \`hold_hash\`, or create the invoice in a wallet of another node.`,
  );
}

/** Returns the posting that stores an open invoice. */
export function invoicePosting(context: InvoiceContext, order: NewInvoice, invoice: Invoice): Posting {
  const parameters = openInvoiceParameters(invoice, context.maxOpenInvoices);
  const event = eventRow(context.clock, { type: 'invoice_created', owner: order.wallet, subject: invoice.id });
  return {
    guards: [...(order.guards ?? []), walletGuard(order.wallet.id, 'receive'), ...(order.hold ? [holdSwitchGuard] : [])],
    rows: [
      { statement: sql.insertOpen, parameters, onMiss: () => tooManyInvoices(context, order) },
      ...searchRows({ id: invoice.id, owner: order.wallet.accountId, text: invoice.memo }),
      ...traceRows(invoice.id),
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
