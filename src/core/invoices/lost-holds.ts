import type { SqlReader } from '../db/database.ts';
import { traceRows } from '../journal/event-traces.ts';
import { eventRow } from '../journal/events.ts';
import { searchRows } from '../journal/search-words.ts';
import { decodeBolt11 } from '../lightning/bolt11/bolt11.ts';
import { readLastAccepted, readQuarantine } from '../quarantine/quarantine.ts';
import type { HoldInvoiceEntry, RecoveryEntry, RecoveryLog } from '../recovery-log/recovery-log.ts';
import type { NewInvoice } from './create.ts';
import * as holdSql from './hold.sql.ts';
import { findInvoiceByHash, type Invoice, openInvoiceParameters } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';

/*
 * Hold invoices that the ledger has lost with its database. Their payment hash names no wallet, but the recovery log does: an entry was stored there
 * before the invoice was created at the node.
 */

/** The clocks of instances differ, and the time of a backup may be a little late. What the ledger has is not recovered again. */
const OVERLAP_SECONDS = 86_400;

/** What was read from the log since a restore. */
export interface LostHolds {
  readonly byHash: ReadonlyMap<string, HoldInvoiceEntry>;
  /** Lines of the log that could not be read. */
  readonly damaged: number;
  /** Unix seconds: what was created before may be missing. Undefined: there is no log. */
  readonly completeSince: number | undefined;
}

const NONE: LostHolds = { byHash: new Map(), damaged: 0, completeSince: undefined };

/** Reads the log once for each restore of the database. Without a restore, nothing is lost, and nothing is read. */
export function createLostHolds(database: SqlReader, recoveryLog: Pick<RecoveryLog, 'read'> | undefined) {
  let loaded: { readonly restore: string; readonly holds: LostHolds } | undefined;
  return async (): Promise<LostHolds> => {
    const restored = (await readQuarantine(database)) ?? (await readLastAccepted(database));
    if (!restored || !recoveryLog) return NONE;
    const { backupCreatedAt, restoredAt } = restored;
    const restore = `${backupCreatedAt} ${restoredAt}`;
    if (loaded?.restore !== restore) {
      const { entries, ...read } = await recoveryLog.read(Math.max(0, backupCreatedAt - OVERLAP_SECONDS));
      const earlier = entries.filter(({ at }) => restoredAt === null || at <= restoredAt);
      loaded = { restore, holds: { ...read, byHash: byHashOf(earlier) } };
    }
    return loaded.holds;
  };
}

function byHashOf(entries: readonly RecoveryEntry[]): Map<string, HoldInvoiceEntry> {
  const refused = new Set(entries.flatMap((entry) => (entry.kind === 'hold_invoice_refused' ? [entry.id] : [])));
  const created = entries.filter((entry) => entry.kind === 'hold_invoice' && !refused.has(entry.id)) as HoldInvoiceEntry[];
  return new Map(created.map((entry) => [entry.paymentHash, entry]));
}

/**
 * Returns the hold invoice with a payment hash if the ledger has lost it and its node has it; it is stored again. Undefined for all other hashes,
 * such as those of another program. Idempotent.
 * @throws when the node does not answer
 */
export async function recoverHold(context: InvoiceContext, paymentHash: string): Promise<Invoice | undefined> {
  const entry = (await context.lostHolds?.())?.byHash.get(paymentHash);
  if (!entry) return undefined;
  const connection = context.connections.all.find((one) => one.wasReached() && one.identity().pubkey === entry.nodePubkey);
  const found = await connection?.call(async (node) => node.findHoldInvoice?.(paymentHash));
  if (!connection || !found || !isInvoiceOf(entry, found.paymentRequest)) return undefined;
  const { ledgerAccount, accountId } = await context.recoverWallet(entry.walletId, connection.nodeId);
  const { at, until, kind, nodePubkey, ...known } = entry;
  const invoice: Invoice = {
    ...known,
    ledgerAccount,
    nodeId: connection.nodeId,
    destPubkey: nodePubkey,
    wtxType: 'ln_deposit',
    state: 'open',
    paymentRequest: found.paymentRequest,
    expiresAt: at + entry.expirySeconds,
    createdAt: at,
    isKeysend: false,
    isHold: true,
  };
  const onMiss = new Error('the invoice was recovered by another request');
  const cancelled = { statement: holdSql.cancelRecovered, parameters: [invoice.id], onMiss };
  try {
    await context.ledger.post({
      rows: [
        { statement: sql.insertOpen, parameters: openInvoiceParameters(invoice, Number.MAX_SAFE_INTEGER), onMiss },
        ...searchRows({ id: invoice.id, owner: accountId, text: invoice.memo }),
        ...traceRows(invoice.id),
        ...(found.isCancelled ? [cancelled] : []),
      ],
      events: [eventRow(context.clock, { type: 'invoice_created', owner: { ledgerAccount }, subject: invoice.id })],
    });
  } catch (error) {
    if (error !== onMiss) throw error;
  }
  return findInvoiceByHash(context.database, paymentHash);
}

/**
 * Returns whether an invoice of the node is the one of an entry. Another program may have created an invoice with the payment hash, if the service
 * was killed before it stored that the node had refused its own.
 */
export function isInvoiceOf(entry: HoldInvoiceEntry, paymentRequest: string): boolean {
  const invoice = decodeBolt11(paymentRequest);
  return (
    invoice.paymentHash === entry.paymentHash &&
    invoice.payee === entry.nodePubkey &&
    invoice.amountMsat === entry.amountMsat &&
    invoice.expirySeconds === entry.expirySeconds &&
    (entry.descriptionHash === undefined ? (invoice.description ?? '') === entry.memo : invoice.descriptionHash === entry.descriptionHash)
  );
}

/**
 * Returns the hold invoice that a request repeats after a restore: the same wallet, hash and contents, created before the restore. The database
 * has lost its Idempotency-Key. Undefined for all others.
 */
export async function findRepeatedHold(context: InvoiceContext, order: NewInvoice): Promise<Invoice | undefined> {
  const entry = (await context.lostHolds?.())?.byHash.get(order.hold?.paymentHash ?? '');
  if (!entry || entry.walletId !== order.wallet.id || !hasContentsOf(entry, order)) return undefined;
  const stored = (await findInvoiceByHash(context.database, entry.paymentHash)) ?? (await recoverHold(context, entry.paymentHash));
  return stored?.id === entry.id ? stored : undefined;
}

function hasContentsOf(entry: HoldInvoiceEntry, { amountMsat, memo, descriptionHash, expirySeconds }: NewInvoice): boolean {
  return (
    entry.amountMsat === amountMsat &&
    entry.memo === memo &&
    entry.descriptionHash === descriptionHash &&
    entry.expirySeconds === expirySeconds
  );
}
