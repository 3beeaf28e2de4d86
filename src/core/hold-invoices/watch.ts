import { listHeld, listOpenHolds, listOpenHoldsAfter, storeDecision } from '../invoices/hold.ts';
import { areHoldsStopped, EXPIRED_SECONDS } from '../invoices/hold-switch.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { pause, unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { listReceivingRestricted } from '../wallets/wallets.ts';
import { carryOut, checkAtNode, expire } from './at-node.ts';
import type { HoldInvoiceContext } from './hold-invoices.ts';

/*
 * Finds the payments of hold invoices that have arrived at a node, carries decisions out, and cancels payments in time. LND reports an accepted
 * payment only in a stream of its own per invoice, so the invoices are looked up: new ones often, others in turn.
 */

export interface HoldTiming {
  /** Between two rounds. */
  readonly roundMs: number;
  /** After so many rounds, the payments that wait are looked up, and alerts are updated. */
  readonly heldEvery: number;
}

const TIMING: HoldTiming = { roundMs: 2000, heldEvery: 5 };
/** An invoice that was created within this time is looked up in every round. */
const NEW_SECONDS = 900;
const MAX_NEW = 1000;
/** How many other invoices are looked up in a round. */
const PER_ROUND = 200;
const PAGE = 200;
const AT_ONCE = 8;
/** After the deadline by so much, an alert is raised. */
const OVERDUE_SECONDS = 300;

/** Watches the hold invoices of a node until the signal aborts. Only the holder of the lease of its events may call it. */
export async function watchHolds(
  context: HoldInvoiceContext,
  nodeId: string,
  signal: AbortSignal,
  timing: HoldTiming = TIMING,
): Promise<void> {
  let cursor = { expiresAt: 0, id: '' };
  for (let round = 0; !signal.aborted; round += 1) {
    try {
      if (round % timing.heldEvery === 0) await checkHeld(context, nodeId, signal);
      if (await areHoldsStopped(context.database)) await cancelOpen(context, nodeId, signal);
      else cursor = await checkOpen(context, nodeId, cursor, signal);
    } catch (error) {
      context.log.warn({ node: nodeId, reason: errorMessage(error) }, 'the hold invoices could not be checked; they are checked again');
    }
    await pause(timing.roundMs, signal);
  }
}

/** Looks up open invoices: all new ones, and the next page of the others. @returns the cursor of the next page */
async function checkOpen(
  context: HoldInvoiceContext,
  nodeId: string,
  cursor: { readonly expiresAt: number; readonly id: string },
  signal: AbortSignal,
): Promise<{ expiresAt: number; id: string }> {
  const now = unixSeconds(context.clock);
  const expiredSince = now - EXPIRED_SECONDS;
  const created = await listOpenHolds(context, { nodeId, expiredSince, createdSince: now - NEW_SECONDS, limit: MAX_NEW });
  const after = cursor.expiresAt > expiredSince ? cursor : { expiresAt: expiredSince, id: '' };
  const others = await listOpenHoldsAfter(context, nodeId, after, PER_ROUND);
  const all = new Map([...created, ...others].map((invoice) => [invoice.id, invoice]));
  await checkAll(context, nodeId, [...all.values()], signal);
  const last = others.at(-1);
  if (!last || others.length < PER_ROUND) return { expiresAt: 0, id: '' };
  return { expiresAt: last.expiresAt ?? 0, id: last.id };
}

/** Cancels all invoices that can be paid, because hold invoices are stopped. A payment that has arrived goes back. */
async function cancelOpen(context: HoldInvoiceContext, nodeId: string, signal: AbortSignal): Promise<void> {
  let after = { expiresAt: unixSeconds(context.clock) - EXPIRED_SECONDS, id: '' };
  for (;;) {
    const page = await listOpenHoldsAfter(context, nodeId, after, PAGE);
    for (const invoice of page) {
      if (signal.aborted) return;
      if (invoice.decision === undefined) await storeDecision(context, invoice, { decision: 'cancel' }, []);
      const now = await context.invoices.find(invoice.id);
      if (now?.decision !== undefined) await carryOut(context, now).catch(logged(context, now));
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = { expiresAt: last.expiresAt ?? 0, id: last.id };
  }
}

/** Looks up all payments that wait, and carries decisions out. */
async function checkHeld(context: HoldInvoiceContext, nodeId: string, signal: AbortSignal): Promise<void> {
  const overdueSince = unixSeconds(context.clock) - OVERDUE_SECONDS;
  let overdue = 0;
  let oldest: Invoice | undefined;
  for (let after = ''; !signal.aborted; ) {
    const page = await listHeld(context, nodeId, after, PAGE);
    const restricted = await listReceivingRestricted(context.database, [...new Set(page.map(({ walletId }) => walletId))]);
    await checkAll(context, nodeId, page, signal, restricted);
    for (const invoice of await context.invoices.findMany(page.map(({ id }) => id))) {
      if (invoice.state !== 'held' || (invoice.heldUntil ?? 0) > overdueSince) continue;
      overdue += 1;
      if (!oldest || (invoice.heldUntil ?? 0) < (oldest.heldUntil ?? 0)) oldest = invoice;
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) break;
  }
  await updateAlert(context, nodeId, overdue, oldest);
}

async function updateAlert({ alerts }: HoldInvoiceContext, nodeId: string, overdue: number, oldest: Invoice | undefined): Promise<void> {
  if (oldest) {
    const decided = oldest.decision === 'settle' ? 'its wallet has settled it' : 'it is to be cancelled';
    const message = `held payments of hold invoices that the node has neither settled nor cancelled in time: ${overdue}; the oldest: ${oldest.id}, ${decided}`;
    const details = {
      ln_node_id: nodeId,
      count: overdue,
      lntx_id: oldest.id,
      wallet_id: oldest.walletId,
      since: oldest.heldUntil ?? undefined,
    };
    await alerts.raise({ kind: 'holds_overdue', subject: nodeId, message, details });
  } else if ((await alerts.openSubjects('holds_overdue')).includes(nodeId)) await alerts.clear('holds_overdue', nodeId);
}

/** `restricted`: the wallets of accounts that may not receive, whose payments go back to their payers. */
async function checkAll(
  context: HoldInvoiceContext,
  nodeId: string,
  invoices: readonly Invoice[],
  signal: AbortSignal,
  restricted: ReadonlySet<string> = new Set(),
): Promise<void> {
  if (invoices.length === 0) return;
  const answers = await context.connections.of(nodeId).answers();
  const rest = invoices.values();
  const checkRest = async () => {
    for (const invoice of rest) {
      if (signal.aborted) return;
      // The ledger alone holds the payment of another wallet.
      if (answers || invoice.heldPaymentId !== undefined)
        await checkOne(context, invoice, !restricted.has(invoice.walletId)).catch(logged(context, invoice));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, checkRest));
}

async function checkOne(context: HoldInvoiceContext, invoice: Invoice, mayReceive: boolean): Promise<void> {
  if (invoice.heldPaymentId !== undefined) {
    const isOver = !mayReceive || unixSeconds(context.clock) >= (invoice.heldUntil ?? 0);
    if (isOver) await context.payments.endHeld(invoice, { decision: 'expire' });
  } else if (invoice.decision !== undefined) await carryOut(context, invoice);
  else if (mayReceive) await checkAtNode(context, invoice);
  else await expire(context, invoice);
}

function logged({ log }: HoldInvoiceContext, { id }: Invoice) {
  return (error: unknown): void =>
    log.warn({ invoice: id, reason: errorMessage(error) }, 'a hold invoice was not checked; it is checked again');
}
