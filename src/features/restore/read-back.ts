import type { NodeConnection } from '../../core/connection/connection.ts';
import type { Database } from '../../core/db/database.ts';
import { writeFact } from '../../core/db/facts.sql.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { walletIdsIn, walletOfLostInvoice } from '../../core/invoices/settle.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { isWalletId } from '../../core/kernel/ids.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import type { Markers } from '../../core/kernel/markers.ts';
import type { LightningNode, SentPayment, Settlement } from '../../core/lightning/node.ts';
import type { RecordPage, RecordQuery } from '../../core/lightning/record-page.ts';
import type { Payments } from '../../core/payments/payments.ts';
import { type Quarantine, type Quarantined, readBackFact } from '../../core/quarantine/quarantine.ts';
import { requestReconciliation } from '../reconcile/requests.ts';
import { type ReadBackProgress, type RecordCounts, readProgress, storeProgress } from './progress.ts';

export interface ReadBackModules {
  readonly database: Database;
  readonly quarantine: Quarantine;
  readonly markers: Markers;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Records from before the backup are read, too: the clocks of the node and of the service may differ, and the backup may have been marked with a
 * time that is a little late. What the ledger has is not booked again.
 */
const OVERLAP_SECONDS = 86_400;
const PAGE = 500;
/** Wallets whose records are booked at the same time. They share the ledger's commits. */
const AT_ONCE = 32;

/** A pass of a read-back that reads the records of a node. */
interface Run extends ReadBackModules {
  readonly connection: NodeConnection;
  readonly restored: Quarantined;
  readonly signal: AbortSignal;
  progress: ReadBackProgress;
}

/** The service stops. The next start reads all records again. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Reads from a node what it has received and sent since the backup, and books what the restored ledger lacks. Does nothing outside of a
 * quarantine, or when it is complete. Call it again and again: it may be interrupted at any time, and then reads all records again, because booking is
 * idempotent. Receipts come first, so that a wallet has its money before its payments are charged.
 */
export async function readBack(modules: ReadBackModules, connection: NodeConnection, signal: AbortSignal): Promise<void> {
  const { database, quarantine, clock, log } = modules;
  const restored = await quarantine.read();
  if (!restored) return;
  const stored = await readProgress(database, connection.nodeId);
  if (stored?.state === 'complete') return;
  const run: Run = { ...modules, connection, restored, signal, progress: stored ?? firstProgress(clock.nowMs()) };
  try {
    await readAll(run);
  } catch (error) {
    if (signal.aborted) return;
    const reason = errorMessage(error);
    if (run.progress.error !== reason)
      log.warn({ node: connection.nodeId, reason }, 'the records of a node could not be read back; trying again');
    await update(run, { error: reason });
  }
}

function firstProgress(startedAtMs: number): ReadBackProgress {
  const none = { read: 0, foreign: 0 };
  return { state: 'running', step: 'receipts', startedAtMs, receipts: none, payments: none, error: null, reconciliationId: null };
}

async function update(run: Run, changes: Partial<ReadBackProgress>): Promise<void> {
  run.progress = { ...run.progress, ...changes };
  await storeProgress(run.database, run.connection.nodeId, run.progress);
}

async function readAll(run: Run): Promise<void> {
  const { clock, connection, progress } = run;
  if (progress.step === 'receipts') {
    // Before the receipts, whose preimages name no wallet.
    await recoverHolds(run);
    await readRecords(run, 'receipts', (node, query) => node.readSettlements(query), { ownerOf: walletOfSettlement, book: bookSettlement });
    await update(run, { step: 'payments', error: null });
  }
  const lateMs = await connection.call(async (node) => node.lateRequestMs ?? 0);
  const isLast = () => clock.nowMs() >= run.progress.startedAtMs + lateMs;
  if (run.progress.step === 'late_payments' && !isLast()) return run.progress.error === null ? undefined : update(run, { error: null });
  // A request of the lost service may be executed until then, so a pass that began earlier may have missed a payment.
  const wasLast = isLast();
  await readRecords(run, 'payments', (node, query) => node.readSentPayments(query), { ownerOf: walletOfPayment, book: bookPayment });
  if (!wasLast) return update(run, { step: 'late_payments', error: null });
  requireOwnRecords(run);
  await complete(run);
}

/** Stores the hold invoices of the recovery log that the ledger has lost. @throws when any could not be stored, after all others are */
async function recoverHolds(run: Run): Promise<void> {
  const { invoices, connection } = run;
  const lost = await invoices.lostHolds();
  if (!lost) return;
  const { pubkey } = connection.identity();
  const hashes = [...lost.byHash.values()].filter(({ nodePubkey }) => nodePubkey === pubkey).map(({ paymentHash }) => paymentHash);
  let [recovered, failed, reason] = [run.progress.holds?.recovered ?? 0, 0, ''];
  for (const hash of hashes) {
    if (run.signal.aborted) throw new Stopped();
    if (await invoices.findByHash(hash)) continue;
    try {
      if (await invoices.recoverHold(hash)) recovered += 1;
    } catch (error) {
      failed += 1;
      reason = errorMessage(error);
    }
  }
  const unknown = (await invoices.listUnknownHolds(connection)).length;
  await update(run, { holds: { recovered, damaged: lost.damaged, completeSince: lost.completeSince ?? null, unknown } });
  if (failed > 0) throw new Error(`${failed} hold invoices could not be recovered; the last one: ${reason}`);
}

interface Booking<T> {
  /** Returns the wallet that a record is for, so that its records are booked one after the other; undefined if it is not of this ledger. */
  ownerOf(run: Run, record: T): Promise<string | undefined>;
  /** Idempotent. */
  book(run: Run, record: T): Promise<unknown>;
}

/** Reads and books all records of a kind. @throws when any could not be booked, after all others are */
async function readRecords<T>(
  run: Run,
  kind: 'receipts' | 'payments',
  read: (node: LightningNode, query: RecordQuery) => Promise<RecordPage<T>>,
  booking: Booking<T>,
): Promise<void> {
  const sinceSeconds = Math.max(0, run.restored.backupCreatedAt - OVERLAP_SECONDS);
  let counts: RecordCounts = { read: 0, foreign: 0 };
  let failed = 0;
  let reason = '';
  for (let cursor: string | undefined; ; ) {
    if (run.signal.aborted) throw new Stopped();
    const page: RecordPage<T> = await run.connection.call((node) => read(node, { sinceSeconds, cursor, limit: PAGE }));
    const byWallet = new Map<string, T[]>();
    for (const record of page.records) {
      const walletId = await booking.ownerOf(run, record);
      counts = { read: counts.read + 1, foreign: counts.foreign + (walletId === undefined ? 1 : 0) };
      if (walletId !== undefined) byWallet.set(walletId, [...(byWallet.get(walletId) ?? []), record]);
    }
    const rest = byWallet.values();
    const bookRest = async () => {
      for (const records of rest)
        for (const record of records) {
          if (run.signal.aborted) throw new Stopped();
          // One record that cannot be booked must not delay all others.
          await booking.book(run, record).catch((error) => {
            failed += 1;
            reason = errorMessage(error);
          });
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, bookRest));
    await update(run, { [kind]: counts });
    if (page.next === undefined) break;
    cursor = page.next;
  }
  if (failed > 0) throw new Error(`${failed} of the ${kind} could not be booked; the last one: ${reason}`);
}

/**
 * Of the payments without an invoice, only those to an empty ledger are read here. Otherwise they are events after the position of the backup, and
 * read as such.
 */
async function walletOfSettlement({ invoices, markers, restored }: Run, settlement: Settlement): Promise<string | undefined> {
  const { paymentHash, preimage, keysend, customRecords } = settlement;
  const known = (await invoices.findByHash(paymentHash))?.walletId;
  if (known !== undefined || !keysend) return known ?? walletOfLostInvoice({ markers }, paymentHash, preimage);
  return restored.backupCreatedAt === 0 ? walletIdsIn(customRecords).find(isWalletId) : undefined;
}

function bookSettlement({ invoices, connection }: Run, settlement: Settlement): Promise<unknown> {
  return invoices.settle(settlement, connection.nodeId);
}

async function walletOfPayment({ markers }: Run, { marker, paymentHash }: SentPayment): Promise<string | undefined> {
  return markers.openPayment(marker, paymentHash)?.walletId;
}

async function bookPayment({ markers, payments, connection }: Run, record: SentPayment): Promise<unknown> {
  const marked = markers.openPayment(record.marker, record.paymentHash);
  return marked && payments.bookSentPayment(record, marked, connection.nodeId);
}

/** A backup is restored with its SECRET_KEY only, but an empty ledger accepts any. @throws when the key seems to be another one */
function requireOwnRecords({ restored, progress: { receipts, payments } }: Run): void {
  const read = receipts.read + payments.read;
  if (restored.backupCreatedAt > 0 || read === 0 || receipts.foreign + payments.foreign < read) return;
  throw new Error(
    `none of the ${read} records of the node can be read with this SECRET_KEY. Restore DATA_DIR/secret-key, or set SECRET_KEY to the key of the lost service`,
  );
}

/** The accept needs a reconciliation after it. */
async function complete(run: Run): Promise<void> {
  const { database, clock, connection, log } = run;
  await database.transaction(async (tx) => {
    const requester = { requestedBy: '', reason: 'the records of the node were read back' };
    const reconciliationId = await requestReconciliation(tx, 'full', unixSeconds(clock), requester);
    const progress = { ...run.progress, state: 'complete', error: null, reconciliationId } as const;
    await tx.run(writeFact, readBackFact(connection.nodeId), JSON.stringify(progress));
  });
  log.info({ node: connection.nodeId }, 'the records of a node were read back; satchel restore status has the result');
}
