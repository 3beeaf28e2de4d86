import type { NodeConnection } from '../connection/connection.ts';
import type { HeldPayment } from '../lightning/node.ts';
import { listHeldPayments } from '../lightning/responses.ts';
import { findInvoiceByHash, type Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';
import { isInvoiceOf, recoverHold } from './lost-holds.ts';

/*
 * Payments that a node holds and that no wallet decides about: their hold invoices were lost with the database and are not in the recovery log, or
 * another program that uses the node has created them. An operator settles or cancels them.
 */

const AT_ONCE = 500;

/**
 * Returns the payments that a node holds, without those of open invoices of the ledger, and of lost ones that a restore stores again. Empty if the
 * node has no hold invoices.
 * @throws when the node does not answer
 */
export async function listUnknownHolds(context: InvoiceContext, connection: NodeConnection): Promise<HeldPayment[]> {
  const held = await connection.call(listHeldPayments);
  const known = new Set<string>();
  for (let start = 0; start < held.length; start += AT_ONCE) {
    const hashes = held.slice(start, start + AT_ONCE).map(({ paymentHash }) => paymentHash);
    for (const { payment_hash } of await context.database.all(sql.findUndecided, hashes)) known.add(payment_hash);
  }
  const unknown = held.filter(({ paymentHash }) => !known.has(paymentHash));
  const lost = unknown.length === 0 ? undefined : (await context.lostHolds?.())?.byHash;
  return unknown.filter(({ paymentHash, paymentRequest }) => {
    const entry = lost?.get(paymentHash);
    return !entry || !isInvoiceOf(entry, paymentRequest);
  });
}

/** Returns the invoice whose wallet decides about a payment that a node holds; undefined if there is none. @throws when the node does not answer */
export async function findUndecided(context: InvoiceContext, paymentHash: string): Promise<Invoice | undefined> {
  const invoice = (await findInvoiceByHash(context.database, paymentHash)) ?? (await recoverHold(context, paymentHash));
  return invoice && sql.UNDECIDED.includes(invoice.state) ? invoice : undefined;
}
