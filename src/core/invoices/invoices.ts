import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
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

/** Whose open invoices a list contains: those of one wallet, by its ledger account, or those of all wallets of an account. */
export type InvoiceOwner = { readonly ledgerAccount: number } | { readonly accountId: string };

export interface OpenInvoiceQuery {
  /** `desc`: newest first. */
  readonly order: 'asc' | 'desc';
  /** The id of the invoice after which the list continues. */
  readonly after: string | undefined;
  readonly limit: number;
  matches(invoice: Invoice): boolean;
}

export interface OpenInvoices {
  readonly invoices: Invoice[];
  /** The last invoice that was read. */
  readonly last: Invoice | undefined;
  /** Whether the read ended before the end of the list, because it is limited. */
  readonly isCapped: boolean;
}

/** How many rows one statement and one list read. */
const READ_AT_ONCE = 500;
const MAX_READ = 20_000;

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
  /** Returns invoices that can still be paid, in the order of their creation. Reads at most 20,000. */
  async listOpen(owner: InvoiceOwner, { order, after, limit, matches }: OpenInvoiceQuery): Promise<OpenInvoices> {
    const { database, clock } = this.#context;
    const [statement, id] =
      'accountId' in owner ? [sql.listOpen.account[order], owner.accountId] : [sql.listOpen.wallet[order], owner.ledgerAccount];
    const invoices: Invoice[] = [];
    let last: Invoice | undefined;
    for (let read = 0; read < MAX_READ; ) {
      if (read > 0) await nextTurn();
      const wanted = Math.min(READ_AT_ONCE, limit - invoices.length);
      const cursor = last?.id ?? after ?? (order === 'desc' ? 'lntx_~' : '');
      const page = (await database.all(statement, id, unixSeconds(clock), cursor, wanted)).map(rowToInvoice);
      invoices.push(...page.filter(matches));
      last = page.at(-1) ?? last;
      if (page.length < wanted) return { invoices, last, isCapped: false };
      if (invoices.length >= limit) return { invoices, last, isCapped: true };
      read += page.length;
    }
    return { invoices, last, isCapped: true };
  }
}
