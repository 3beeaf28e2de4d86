import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Guard, Ledger } from '../ledger/ledger.ts';
import type { IncomingPayment } from '../lightning/node.ts';
import { cancelInvoice, reportExpired } from './close.ts';
import { createInvoice, type NewInvoice } from './create.ts';
import { findInvoice, findInvoiceByHash, type Invoice, rowToInvoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import { type KeysendRouting, mayClaim, type SettlementDetails, settle } from './settle.ts';

export interface InvoiceDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly connections: NodeConnections;
  readonly routeKeysend: KeysendRouting;
  readonly clock: Clock;
  /** The maximum of open invoices of one wallet and type that have not expired. */
  readonly maxOpenInvoices: number;
}

/** What the steps of an invoice use. */
export interface InvoiceContext extends InvoiceDependencies {
  /** The wallets that had the maximum of open invoices, with the type of the invoices. */
  readonly fullWallets: Set<string>;
}

/** Creates and cancels invoices, and credits what arrives. */
export class Invoices {
  readonly #context: InvoiceContext;

  constructor(deps: InvoiceDependencies) {
    this.#context = { ...deps, fullWallets: new Set() };
  }

  /** See {@link createInvoice}. @throws Refusal `too_many_invoices`, NodeUnavailable; then no invoice was handed out. */
  create(order: NewInvoice): Promise<Invoice> {
    return createInvoice(this.#context, order);
  }

  /** See {@link cancelInvoice}. @throws Refusal `invoice_paid`, NodeUnavailable */
  cancel(invoice: Invoice, guards: readonly Guard[]): Promise<Invoice> {
    return cancelInvoice(this.#context, invoice, guards);
  }

  /** Returns whether the node may claim an incoming payment: one for an open invoice, or a keysend for a wallet. */
  mayClaim(incoming: IncomingPayment): Promise<boolean> {
    return mayClaim(this.#context, incoming);
  }

  /** Credits a settlement at a node to its wallet, or to suspense when there is none. Idempotent: each payment hash is credited once. */
  settle(settlement: SettlementDetails, nodeId: string): Promise<void> {
    return settle(this.#context, { ...settlement, nodeId });
  }

  /** See {@link reportExpired}. */
  reportExpired(signal: AbortSignal): Promise<void> {
    return reportExpired(this.#context, signal);
  }

  find(id: string): Promise<Invoice | undefined> {
    return findInvoice(this.#context.database, id);
  }

  findByHash(paymentHash: string): Promise<Invoice | undefined> {
    return findInvoiceByHash(this.#context.database, paymentHash);
  }

  async findMany(ids: readonly string[]): Promise<Invoice[]> {
    return ids.length === 0 ? [] : (await this.#context.database.all(sql.findMany, ids)).map(rowToInvoice);
  }
}
