import type { AlertKind } from '../../core/alerts/alert-kinds.ts';
import type { Row } from '../../core/db/database.ts';
import type { Statement } from '../../core/db/statement.ts';
import { firstIdAt } from '../../core/kernel/ids.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import type { LightningNode } from '../../core/lightning/node.ts';
import { type Findings, MAX_LISTED } from './reconciliation-object.ts';
import { type ReconciliationRun, readNodeFact, writeNodeFact } from './run.ts';

/**
 * `unfinished`: the node has not ended what the ledger has, and an operator has explained it. `known`: they differ, and that is stored already.
 */
type Verdict = 'agreed' | 'different' | 'unanswered' | 'unfinished' | 'known';

/** How rows of the ledger are compared with the node. `R`: a payment or an invoice. `S`: what the node reports about it. */
export interface Comparison<R extends Row, S> {
  readonly name: string;
  readonly counter: 'compared_payments' | 'compared_invoices';
  /** The alerts that are cleared when ledger and node agree. */
  readonly alerts: readonly AlertKind[];
  /** Returns the row with an id. */
  readonly find: Statement<R>;
  lookUp(node: LightningNode, row: R): Promise<S | undefined>;
  /** Returns whether another module keeps track of the difference. Such rows are not compared. */
  isKnown?(row: R): boolean;
  agrees(row: R, status: S | undefined): boolean;
  /** Called when they agree. */
  onAgreement?(row: R, status: S | undefined): Promise<void>;
  /** Called at the first difference, which it may correct. @returns whether the row is unfinished */
  onDifference?(row: R, status: S | undefined): Promise<boolean>;
  /** Called when they still differ after both sides were read again. */
  onContradiction(row: R, status: S | undefined): Promise<Verdict>;
}

/** Compares rows that this run has not compared yet. @returns the ids to compare again: the node did not answer, or has not ended them. */
export type Visit<R> = (rows: readonly R[]) => Promise<ReadonlySet<string>>;

/** Compares the rows that have an open alert. @returns a function that compares other rows */
export async function beginComparison<R extends Row & { id: string; node_id: string }, S>(
  run: ReconciliationRun,
  comparison: Comparison<R, S>,
): Promise<Visit<R>> {
  const { database, nodeId, probe, alerts, findings } = run;
  const alerted = new Map<AlertKind, ReadonlySet<string>>();
  for (const kind of comparison.alerts) alerted.set(kind, new Set(await alerts.openSubjects(kind)));
  const seen = new Set<string>();

  async function compare(row: R): Promise<Verdict> {
    if (comparison.isKnown?.(row)) return 'known';
    const lookUp = () => probe.call((node) => comparison.lookUp(node, row));
    const first = await lookUp();
    if (!first.answered) return 'unanswered';
    findings[comparison.counter] += 1;
    if (comparison.agrees(row, first.value)) {
      await comparison.onAgreement?.(row, first.value);
      return 'agreed';
    }
    if (await comparison.onDifference?.(row, first.value)) return 'unfinished';
    // Either side may have changed between the two reads.
    const second = await lookUp();
    const now = await database.first(comparison.find, row.id);
    if (!second.answered) return 'unanswered';
    if (!now || comparison.agrees(now, second.value)) return 'agreed';
    return comparison.onContradiction(now, second.value);
  }

  async function clearAlerts(id: string): Promise<void> {
    for (const [kind, subjects] of alerted) if (subjects.has(id)) await alerts.clear(kind, id);
  }

  async function visit(rows: readonly R[]): Promise<ReadonlySet<string>> {
    const again = new Set<string>();
    const unseen = rows.filter(({ id }) => !seen.has(id));
    for (const { id } of unseen) seen.add(id);
    await probe.each(unseen, async (row) => {
      const verdict = await compare(row);
      if (verdict === 'unanswered' || verdict === 'unfinished') again.add(row.id);
      if (verdict === 'agreed' || verdict === 'unfinished') await clearAlerts(row.id);
    });
    run.state.progress = `${comparison.name}: ${findings[comparison.counter]}`;
    return again;
  }

  for (const id of new Set([...alerted.values()].flatMap((subjects) => [...subjects]))) {
    const row = await database.first(comparison.find, id);
    if (row?.node_id === nodeId) await visit([row]);
  }
  return visit;
}

/** Lists a contradiction and raises its alert. */
export async function reportContradiction(
  { findings, alerts }: ReconciliationRun,
  kind: AlertKind,
  found: Findings['contradictions'][number],
  message: string,
): Promise<Verdict> {
  if (findings.contradictions.length < MAX_LISTED) findings.contradictions.push(found);
  const details = {
    lntx_id: found.id,
    wallet_id: found.wallet_id,
    amount_msat: found.num_msat,
    status: found.ledger_state,
    reason: found.node_state,
  };
  await alerts.raise({ kind, subject: found.id, message, details });
  return 'different';
}

/** The number of rows that are read and compared at the same time. */
export const PAGE = 100;
/** The maximum of rows that a periodic reconciliation compares repeatedly. */
const PERIODIC_ROWS = 500;
/** Payments and invoices of the last week are compared repeatedly. */
const WINDOW_SECONDS = 7 * 24 * 60 * 60;

/** Returns an id that sorts before all Lightning transactions created from this second on. */
export function idAt(seconds: number): string {
  return `lntx_${firstIdAt(Math.max(0, seconds) * 1000)}`;
}

/** Returns the id at the start of the window. */
export function windowStart({ startedAt }: Pick<ReconciliationRun, 'startedAt'>): string {
  return idAt(startedAt - WINDOW_SECONDS);
}

/**
 * Visits the rows of the window in a circle, in the order of their ids: from where the last run stopped, past the end to the start, each row at
 * most once. The cursor is stored in a fact after every page. A full run starts at the start and visits all rows.
 */
export async function sweepWindow<R extends { readonly id: string }>(
  run: ReconciliationRun,
  fact: string,
  readPage: (after: string, limit: number) => Promise<R[]>,
  visit: (rows: readonly R[]) => Promise<unknown>,
): Promise<void> {
  const start = windowStart(run);
  const isFull = run.scope !== 'periodic';
  const cursor = isFull ? '' : ((await readNodeFact(run, fact)) ?? '');
  const stored = cursor > start ? cursor : start;
  let after = stored;
  let left = isFull ? Number.MAX_SAFE_INTEGER : PERIODIC_ROWS;
  for (let isSecondHalf = false; left > 0 && !(isSecondHalf && after >= stored); ) {
    const limit = Math.min(PAGE, left);
    await takeTurn();
    const page = await readPage(after, limit);
    const rows = isSecondHalf ? page.filter(({ id }) => id <= stored) : page;
    await visit(rows);
    if (run.probe.stopReason !== undefined) return;
    left -= rows.length;
    if (rows.length === limit) after = rows.at(-1)?.id ?? after;
    else {
      after = isSecondHalf ? stored : start;
      isSecondHalf = true;
    }
    await writeNodeFact(run, fact, after);
  }
}
