import type { Alerts } from '../alerts/alerts.ts';
import type { NodeConnection } from '../connection/connection.ts';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import type { Fees } from '../fees/fees.ts';
import { listCredited, type TransactionOwner } from '../journal/wallet-transactions.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Markers } from '../kernel/markers.ts';
import { Refusal } from '../kernel/refusal.ts';
import { takeTurn } from '../kernel/turns.ts';
import type { Guard, Ledger } from '../ledger/ledger.ts';
import type { HeldPayment, IncomingPayment } from '../lightning/node.ts';
import type { Limits } from '../limits/limits.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { RecoveryLog } from '../recovery-log/recovery-log.ts';
import type { RecoverWallet } from '../wallets/recovery.ts';
import { type Wallet, walletGuard } from '../wallets/wallets.ts';
import { sumUncredited } from './arriving.sql.ts';
import {
  type ArrivalReport,
  type ArrivingTiming,
  checkArriving,
  endArriving,
  findReport,
  isReported,
  recheckArriving,
  type StoredReport,
} from './arriving.ts';
import { cancelInvoice, recordClosedOutside, reportExpired } from './close.ts';
import { findClosedInvoice } from './closed-invoices.sql.ts';
import { createAtNode, invoicePosting, type NewInvoice, tooManyInvoices } from './create.ts';
import type { HoldTerms } from './hold.ts';
import type { HoldLimits } from './hold-limits.ts';
import { findInvoice, findInvoiceByHash, type Invoice, rowToInvoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import { findRepeatedHold, type LostHolds, recoverHold } from './lost-holds.ts';
import { requireMayReceive } from './receiving.ts';
import type { SettlementDetails } from './report.ts';
import { type KeysendRouting, mayClaim, type SettlementResult, settle } from './settle.ts';
import { findUndecided, listUnknownHolds } from './unknown-holds.ts';

/** What the steps of an invoice use. */
export interface InvoiceContext {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connections: NodeConnections;
  readonly routeKeysend: KeysendRouting;
  readonly markers: Markers;
  readonly quarantine: Quarantine;
  readonly recoverWallet: RecoverWallet;
  readonly fees: Fees;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  /** Amounts up to it are credited when the node reports them, before they are final. */
  readonly creditBeforeFinalMsat: number;
  /** The maximum of open invoices of one wallet and type that have not expired. */
  readonly maxOpenInvoices: number;
  /** How long a payment of a hold invoice may wait for the decision of the wallet. */
  readonly maxHoldSeconds: number;
  readonly holdLimits: HoldLimits;
  /** Records hold invoices outside of the database. Absent: they are lost with it. */
  readonly recoveryLog?: Pick<RecoveryLog, 'append'> | undefined;
  /** Reads those that the database may have lost. */
  readonly lostHolds?: (() => Promise<LostHolds>) | undefined;
}

export interface OpenInvoiceQuery {
  /** `desc`: newest first. */
  readonly order: 'asc' | 'desc';
  /** The id of the invoice after which the list continues. */
  readonly after: string | undefined;
  readonly limit: number;
  matches(invoice: Invoice): boolean;
}

/** The older invoices that {@link Invoices.listWaiting} returns. */
interface WaitingInvoices {
  /** Unix seconds. */
  readonly openSince: number;
  readonly paidSince: number;
  /** The maximum of open ones, and of paid ones. */
  readonly max: number;
}

/** How many rows one statement and one list read. */
const READ_AT_ONCE = 500;
const MAX_READ = 20_000;
const MAX_FULL_WALLETS = 10_000;

/** Creates and cancels invoices, and credits what arrives. */
export class Invoices {
  readonly #context: InvoiceContext;
  /** The wallets that had the maximum of open invoices, with the type of the invoices. */
  readonly #fullWallets = new Set<string>();

  constructor(context: InvoiceContext) {
    this.#context = context;
  }

  /** What limits the payments of hold invoices. */
  get holdTerms(): HoldTerms {
    return this.#context;
  }

  /**
   * Creates an invoice at the wallet's node and stores it. Limits the open invoices of each wallet: those that it created, and separately those
   * that payers requested. The insert counts them; a read counts first only for a wallet that reached the maximum.
   * @throws Refusal `too_many_invoices`, `receiving_limit_exceeded`, `not_supported`, `too_many_holds`, `hold_hash_taken`, NodeUnavailable; then no invoice was handed out.
   */
  async create(order: NewInvoice): Promise<Invoice> {
    const { database, ledger, clock, maxOpenInvoices } = this.#context;
    const { wallet, wtxType } = order;
    const limitName = `${wallet.id} ${wtxType}`;
    // Saves a call to the node, and a batch of the ledger: a rejected row makes the ledger write the rest of its batch again.
    if (this.#fullWallets.has(limitName)) {
      const row = await database.first(sql.countOpen, wallet.ledgerAccount, wtxType, unixSeconds(clock), maxOpenInvoices);
      if ((row?.n ?? 0) >= maxOpenInvoices) throw tooManyInvoices(this.#context, order);
      this.#fullWallets.delete(limitName);
    }
    const repeated = order.hold && (await findRepeatedHold(this.#context, order));
    if (repeated) {
      const guards = [...(order.guards ?? []), walletGuard(wallet.id, 'receive')];
      await ledger.post({ guards, rows: [...(order.extraRows?.(repeated.id) ?? [])] });
      return repeated;
    }
    await requireMayReceive(this.#context, { walletId: wallet.id, ledgerAccount: wallet.ledgerAccount }, order.amountMsat);
    const invoice = await createAtNode(this.#context, order);
    try {
      // It moves no money. It goes through the ledger to share its commits.
      await ledger.post(invoicePosting(this.#context, order, invoice));
    } catch (error) {
      if (order.hold && (await this.findByHash(invoice.paymentHash))) throw new Refusal('hold_hash_taken');
      if (error instanceof Refusal && error.type === 'too_many_invoices') {
        if (this.#fullWallets.size >= MAX_FULL_WALLETS) this.#fullWallets.clear();
        this.#fullWallets.add(limitName);
      }
      throw error;
    }
    return invoice;
  }

  /** See {@link recoverHold}. */
  recoverHold(paymentHash: string): Promise<Invoice | undefined> {
    return recoverHold(this.#context, paymentHash);
  }

  /** Returns the hold invoices that the database may have lost. */
  async lostHolds(): Promise<LostHolds | undefined> {
    return this.#context.lostHolds?.();
  }

  /** See {@link listUnknownHolds}. */
  listUnknownHolds(connection: NodeConnection): Promise<HeldPayment[]> {
    return listUnknownHolds(this.#context, connection);
  }

  /** See {@link findUndecided}. */
  findUndecided(paymentHash: string): Promise<Invoice | undefined> {
    return findUndecided(this.#context, paymentHash);
  }

  /** See {@link cancelInvoice}. @throws Refusal `invoice_paid`, NodeUnavailable */
  cancel(invoice: Invoice, guards: readonly Guard[]): Promise<Invoice> {
    return cancelInvoice(this.#context, invoice, guards);
  }

  /** See {@link mayClaim}. */
  mayClaim(incoming: IncomingPayment): Promise<boolean> {
    return mayClaim(this.#context, incoming);
  }

  /** See {@link settle}. */
  settle(settlement: SettlementDetails, nodeId: string): Promise<SettlementResult> {
    return settle(this.#context, { ...settlement, nodeId });
  }

  /** See {@link findReport}. */
  findReport(id: string): Promise<StoredReport | undefined> {
    return findReport(this.#context, id);
  }

  /** See {@link isReported}. */
  isReported(id: string): Promise<boolean> {
    return isReported(this.#context, id);
  }

  /** See {@link recheckArriving}. */
  recheckArriving(paymentHash: string): Promise<ArrivalReport | undefined> {
    return recheckArriving(this.#context, paymentHash);
  }

  /** See {@link endArriving}. */
  endArriving(paymentHash: string, outcome: 'settled' | 'failed'): Promise<void> {
    return endArriving(this.#context, paymentHash, outcome);
  }

  /** See {@link checkArriving}. */
  checkArriving(nodeId: string, signal: AbortSignal, timing?: ArrivingTiming): Promise<void> {
    return checkArriving(this.#context, nodeId, signal, timing);
  }

  /** Returns the amount that a node has reported as received and that is not credited, because it is not final. */
  async arrivingMsat(nodeId: string): Promise<number> {
    return (await this.#context.database.first(sumUncredited, nodeId))?.amount_msat ?? 0;
  }

  /** See {@link reportExpired}. */
  reportExpired(signal: AbortSignal): Promise<void> {
    return reportExpired(this.#context, signal);
  }

  find(id: string): Promise<Invoice | undefined> {
    return findInvoice(this.#context.database, id);
  }

  /** Records an open invoice that its node lists as cancelled: the process that had it cancelled has stopped before the next step. */
  async noteClosedOutside(id: string): Promise<void> {
    // Reconciliation finds it again and again.
    if (!(await this.isClosedOutside(id))) await recordClosedOutside(this.#context.database, id, unixSeconds(this.#context.clock));
  }

  /** Returns whether the node has cancelled an open invoice for a payment of another wallet that was refused then. */
  async isClosedOutside(id: string): Promise<boolean> {
    return (await this.#context.database.first(findClosedInvoice, id)) !== undefined;
  }

  findByHash(paymentHash: string): Promise<Invoice | undefined> {
    return findInvoiceByHash(this.#context.database, paymentHash);
  }

  /** Returns the newest invoices of a wallet in any state, newest first. */
  async listNewest({ ledgerAccount }: Wallet, limit: number): Promise<Invoice[]> {
    return (await this.#context.database.all(sql.listNewest, ledgerAccount, limit)).map(rowToInvoice);
  }

  /** Returns the invoices of a wallet before another one that are open, or were paid not long ago, newest first. */
  async listWaiting({ ledgerAccount }: Wallet, before: Invoice, { openSince, paidSince, max }: WaitingInvoices): Promise<Invoice[]> {
    const { database, clock } = this.#context;
    const areOpen = before.createdAt > openSince;
    const rows = areOpen ? await database.all(sql.listOpen.wallet.desc, ledgerAccount, unixSeconds(clock), before.id, max) : [];
    const open = rows.filter(({ createdAt }) => createdAt > openSince).map(rowToInvoice);
    // Read last: one that is paid meanwhile is in one of the lists.
    const paid = await this.findMany((await listCredited(database, ledgerAccount, max, paidSince * 1000)).filter((id) => id < before.id));
    const waiting = new Map([...open, ...paid].map((invoice) => [invoice.id, invoice]));
    return Array.from(waiting.values()).sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  async findMany(ids: readonly string[]): Promise<Invoice[]> {
    return ids.length === 0 ? [] : (await this.#context.database.all(sql.findMany, ids)).map(rowToInvoice);
  }

  /**
   * Returns invoices that can still be paid, in the order of their creation, and the last one that was read. Reads at most 20,000. `isCapped`:
   * there may be more.
   */
  async listOpen(owner: TransactionOwner, { order, after, limit, matches }: OpenInvoiceQuery) {
    const { database, clock } = this.#context;
    const [statement, id] =
      'accountId' in owner ? [sql.listOpen.account[order], owner.accountId] : [sql.listOpen.wallet[order], owner.ledgerAccount];
    const invoices: Invoice[] = [];
    let last: Invoice | undefined;
    for (let read = 0; read < MAX_READ; ) {
      if (read > 0) await takeTurn();
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
