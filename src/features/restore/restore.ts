import { ledgerNodes } from '../../core/connection/ledger-nodes.ts';
import type { Database, SqlReader } from '../../core/db/database.ts';
import { timeText } from '../../core/kernel/clock.ts';
import { counted } from '../../core/kernel/counted.ts';
import { satText } from '../../core/kernel/money.ts';
import { type Quarantined, readLastAccepted, readQuarantine } from '../../core/quarantine/quarantine.ts';
import { findRecoveredAccount } from '../../core/wallets/recovery.ts';
import type { NodeComparison } from '../reconcile/reconciliation-object.ts';
import { listReconciliations } from '../reconcile/requests.ts';
import { type ReadBackProgress, readProgress } from './progress.ts';
import * as sql from './restore.sql.ts';
import type { Restore } from './restore-object.ts';

const MAX_LISTED = 100;
/** The newest reconciliations among which the one after the read-back is looked for. */
const MAX_RECONCILIATIONS = 50;

/** Reads what is known about the restore that was not accepted yet, or the report about the last one as it was accepted. */
export async function readRestore(database: Database): Promise<Restore> {
  const restored = await readQuarantine(database);
  const report = restored ? undefined : (await readLastAccepted(database))?.report;
  if (report) return { ...(report as Restore), quarantined: false };
  const nodes = await readNodes(database);
  const isComplete = nodes.every(({ progress }) => progress?.state === 'complete');
  return {
    quarantined: restored !== undefined,
    backup_created_at: restored?.backupCreatedAt ?? null,
    restored_at: restored?.restoredAt ?? null,
    lost_from: restored?.backupCreatedAt ?? null,
    lost_until: restored?.restoredAt ?? null,
    read_back: { status: isComplete ? 'complete' : 'running', nodes: nodes.map(renderNode) },
    ...(await readFigures(database, restored)),
    recovered_wallets: await readRecoveredWallets(database),
    reconciliation: await readReconciliation(database, isComplete ? nodes : undefined),
    not_recovered: restored ? [...notRecovered(restored), ...holdsNotRecovered(restored, nodes)] : [],
  };
}

/** Returns why a restore should not be accepted yet, and what to do; undefined if nothing speaks against it. */
export function objectionTo({ read_back, reconciliation }: Restore): string | undefined {
  const failing = read_back.nodes.find(({ error }) => error !== null);
  if (failing)
    return `the records of the node ${failing.ln_node_id} could not be read back: ${failing.error}. The running service tries again; \`satchel restore status\` shows the progress`;
  if (read_back.status !== 'complete')
    return 'the records of the nodes are being read back. Start the service, and wait until `satchel restore status` shows that this is complete';
  if (reconciliation.status === 'waiting')
    return 'no reconciliation has ended since the records were read back. The running service begins one by itself; otherwise run `satchel reconcile`';
  if (reconciliation.status === 'differs')
    return `${reconciliation.detail} Run \`satchel reconcile\` for the details, and explain the difference or accept the balance of the node with --new-baseline`;
  return undefined;
}

type ReadNode = { readonly nodeId: string; readonly progress: ReadBackProgress | undefined };

async function readNodes(database: SqlReader): Promise<ReadNode[]> {
  const nodes = await ledgerNodes(database);
  return Promise.all(nodes.map(async ({ id }) => ({ nodeId: id, progress: await readProgress(database, id) })));
}

function renderNode({ nodeId, progress }: ReadNode): Restore['read_back']['nodes'][number] {
  const { receipts, payments } = progress ?? {};
  return {
    ln_node_id: nodeId,
    status: progress?.state ?? 'waiting',
    step: progress?.step ?? 'receipts',
    read_receipts: receipts?.read ?? 0,
    read_payments: payments?.read ?? 0,
    foreign: (receipts?.foreign ?? 0) + (payments?.foreign ?? 0),
    error: progress?.error ?? null,
  };
}

async function readFigures(
  database: Database,
  restored: Quarantined | undefined,
): Promise<Pick<Restore, 'receipts' | 'payments' | 'shortfalls'>> {
  return database.snapshot(async (tx) => {
    // Without a restore, nothing was booked since.
    const booked = await tx.first(sql.sumBooked, restored?.lastPosition ?? Number.MAX_SAFE_INTEGER);
    const readBack = await tx.first(sql.sumReadBack);
    return {
      receipts: { count: booked?.receipts ?? 0, num_msat: booked?.received_msat ?? 0 },
      payments: {
        count: booked?.payments ?? 0,
        num_msat: booked?.sent_msat ?? 0,
        fee_msat: booked?.fee_msat ?? 0,
        pending: readBack?.pending ?? 0,
      },
      shortfalls: { num_msat: readBack?.shortfall_msat ?? 0, items: await tx.all(sql.listShortfalls, MAX_LISTED) },
    };
  });
}

async function readRecoveredWallets(database: SqlReader): Promise<Restore['recovered_wallets']> {
  const accountId = await findRecoveredAccount(database);
  if (accountId === undefined) return { count: 0, account_id: null, items: [] };
  const count = (await database.first(sql.countRecoveredWallets, accountId))?.n ?? 0;
  const items = (await database.all(sql.listRecoveredWallets, accountId, MAX_LISTED)).map(({ id }) => id);
  return { count, account_id: accountId, items };
}

/** `nodes` are given once all were read back. */
async function readReconciliation(database: SqlReader, nodes: readonly ReadNode[] | undefined): Promise<Restore['reconciliation']> {
  const waiting = { status: 'waiting', detail: 'No reconciliation has ended since the records of the nodes were read back.' } as const;
  // Ids are in the order of their creation.
  const requested = nodes?.map(({ progress }) => progress?.reconciliationId ?? '').sort();
  const first = requested?.at(-1);
  if (first === undefined) return waiting;
  const { items } = await listReconciliations(database).readPage({ limit: MAX_RECONCILIATIONS, order: 'desc', after: undefined });
  const last = items.find(({ id, status }) => status === 'done' && id >= first);
  if (!last) return waiting;
  if (last.is_clean) return { status: 'agrees', detail: 'The ledger and the nodes agree.' };
  return { status: 'differs', detail: `${last.nodes.flatMap(differenceAt).join('. ')}.` };
}

function differenceAt(node: NodeComparison): string[] {
  const { ln_node_id, incomplete_reason, contradictions, missed_settlements: missed, difference_msat } = node;
  return [
    ...(incomplete_reason === null ? [] : [`The node ${ln_node_id} was not compared completely: ${incomplete_reason}`]),
    ...(contradictions.length === 0
      ? []
      : [`The ledger and the node ${ln_node_id} disagree about ${contradictions.length} payments or invoices`]),
    ...(missed.length === 0 ? [] : [`The reconciliation found ${missed.length} receipts at the node ${ln_node_id} that were not booked`]),
    ...(difference_msat !== null && difference_msat < 0
      ? [`The node ${ln_node_id} has ${satText(-difference_msat)} less than expected`]
      : []),
  ];
}

function notRecovered({ backupCreatedAt, restoredAt }: Quarantined): string[] {
  const [from, until] = [
    backupCreatedAt === 0 ? undefined : timeText(backupCreatedAt),
    restoredAt === null ? 'the restore' : timeText(restoredAt),
  ];
  const period = from === undefined ? `until ${until}` : `from ${from} until ${until}`;
  return [
    `Transfers and payments between wallets of this service ${period} are lost: a wallet may have money that it has sent to another one.`,
    `Accounts, keys, links, webhooks and settings that were created or changed ${period} are lost. Keys and links that were revoked then work again.`,
    `The Idempotency-Keys of requests ${period} are lost: a client that repeats such a request makes another payment or transfer.`,
    'Keysends for KEYSEND_WALLET_ID name no wallet. Those that the ledger lacks are in suspense, or, in an empty ledger, not booked.',
    'Memos, labels and other data of what was read back are lost, and the limits of its keys do not count it.',
  ];
}

function unknownHoldsAt(nodeId: string, progress: ReadBackProgress | undefined): string[] {
  const { unknown = 0 } = progress?.holds ?? {};
  if (unknown === 0) return [];
  const held = `The node ${nodeId} held ${counted(unknown, 'payment')} that the ledger does not know when its records were read back`;
  return [`${held}: \`satchel held list\` lists them. Settle or cancel each before it expires, unless another program owns it.`];
}

/** Returns what the recovery log could not bring back of the hold invoices of the lost time. All nodes share the log. */
function holdsNotRecovered({ backupCreatedAt }: Quarantined, nodes: readonly ReadNode[]): string[] {
  const holds = nodes.find(({ progress }) => progress?.holds)?.progress?.holds;
  if (!holds) return [];
  const { damaged, completeSince } = holds;
  const from = backupCreatedAt === 0 ? '' : ` from ${timeText(backupCreatedAt)}`;
  const log = 'the recovery log (recovery-log in the folder of backups)';
  return [
    ...(completeSince === null ? [`Hold invoices that were created${from} until the restore are lost: ${log} is missing.`] : []),
    ...(completeSince !== null && completeSince > backupCreatedAt
      ? [`Hold invoices that were created${from} until ${timeText(completeSince)}, if any, are lost: ${log} begins later.`]
      : []),
    ...nodes.flatMap(({ nodeId, progress }) => unknownHoldsAt(nodeId, progress)),
    ...(damaged > 0 ? [`${damaged} lines of ${log} could not be read. The hold invoices in them are lost.`] : []),
  ];
}
