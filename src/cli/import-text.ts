import { counted } from '../core/kernel/counted.ts';
import type { ImportReport, ImportResult } from '../features/import/import.ts';
import type { PlannedWallet } from '../features/import/plan.ts';
import { grouped, table } from './table.ts';

const RIGHT = [2, 3, 4, 5, 6];

/** Formats what an import would do. */
export function reportText(report: ImportReport): string {
  const { source, source_version, plan, wallets, sums, not_imported, already } = report;
  const done = new Set(already);
  const rows = wallets.map((wallet) => [
    wallet.source_id,
    done.has(wallet.source_id) ? 'imported' : wallet.action.replace('_', ' '),
    grouped(wallet.opening_msat),
    grouped(wallet.held_msat),
    grouped(wallet.history_rows),
    grouped(wallet.open_invoices),
    grouped(wallet.pending_payments),
    wallet.label,
  ]);
  const head = ['wallet', 'action', 'msat', 'held', 'history', 'open', 'pending', 'label'];
  const notes = wallets.flatMap(notesOf);
  const left = not_imported.map(({ what, reason }) => `- ${what}: ${reason}`);
  return [
    `${source}, ${source_version}:`,
    table([head, ...rows], RIGHT),
    '',
    `${counted(sums.wallets, 'wallet')} with ${grouped(sums.opening_msat)} msat, of which pending payments hold ${grouped(sums.held_msat)} msat.`,
    ...(sums.webhooks > 0 ? [`${counted(sums.webhooks, 'webhook')}, paused until the owners set status=active.`] : []),
    ...negativeText(report),
    ...report.problems.map((text) => `! ${text}`),
    ...(notes.length > 0 ? ['', ...notes] : []),
    ...(left.length > 0 ? ['', 'Not imported:', ...left] : []),
    '',
    `Nothing was written. To import exactly this, stop the source and the service, and repeat the command with --plan ${plan}`,
  ].join('\n');
}

function negativeText({ negative, sums, service_fees_msat }: ImportReport): string[] {
  if (sums.shortfall_msat === 0) return [];
  const bears = `You bear ${grouped(sums.shortfall_msat)} msat of negative balances`;
  if (negative === 'forgive') return [`${bears}: the fees of the service, ${grouped(service_fees_msat ?? 0)} msat, pay for them.`];
  return [`${bears}: these wallets begin with 0, and nothing is booked for them.`];
}

function notesOf({ source_id, problems, remarks }: PlannedWallet): string[] {
  return [...problems.map((text) => `! ${source_id}: ${text}`), ...remarks.map((text) => `- ${source_id}: ${text}`)];
}

/** Formats the result of an import. */
export function resultText(result: ImportResult): string {
  const { wallets, opening_msat, owed_msat, node_msat, problems, warnings } = result;
  return [
    `${counted(wallets, 'wallet')} with ${grouped(opening_msat)} msat are imported.`,
    `The ledger owes ${grouped(owed_msat)} msat, and the node has ${node_msat === null ? 'not answered' : `${grouped(node_msat)} msat`}.`,
    ...warnings.map((text) => `- ${text}`),
    ...problems.map((text) => `! ${text}`),
    problems.length === 0 ? NEXT : 'The import has not ended, and the service does not start.',
  ].join('\n');
}

const NEXT =
  'The ledger is clean. Next: start the service, and run `satchel reconcile --new-baseline --yes --reason "import"`. Do not start the source again.';
