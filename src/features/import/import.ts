import type { Database, SqlReader } from '../../core/db/database.ts';
import { readPages } from '../../core/db/pages.ts';
import { findRunningInstance } from '../../core/db/running-instance.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { createLedger, SYSTEM_ACCOUNTS, systemAccounts } from '../../core/ledger/ledger.ts';
import { type BoundNode, firstBoundNode } from '../../core/wallets/imported.ts';
import type { ImportedLinkRules } from '../lnurl/pay/link-settings.ts';
import { verify } from '../verify/verify.ts';
import type { SecretBox } from '../webhooks/secrets.ts';
import * as sql from './import.sql.ts';
import { mergeHistory } from './merge.ts';
import { type ImportChoices, type ImportPlan, makePlan, type PlannedWallet } from './plan.ts';
import type { ImportSource } from './source.ts';
import { type WriteContext, type WrittenWallet, writeWallet } from './write-wallet.ts';

/** The import was refused. Nothing was written. The message has the reason and the remedy. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

/** An import was interrupted, so balances, open invoices or pending payments may be missing. */
export class ImportUnfinished extends Error {
  override readonly name = 'ImportUnfinished';
}

/** Returns the first node of the ledger, which has the money of the source. @throws ImportRefused unless it is bound to a Lightning node */
export async function findImportNode(database: SqlReader): Promise<BoundNode> {
  const node = await firstBoundNode(database);
  if (node) return node;
  throw new ImportRefused(
    'The ledger is not bound to a Lightning node yet. Start the service once with LIGHTNING_URL of the node that has the money, and stop it.',
  );
}

/** @throws ImportUnfinished while an import has not ended. Called before the service starts. */
export async function requireNoUnfinishedImport(database: SqlReader): Promise<void> {
  const run = await database.first(sql.findWritingRun);
  if (run)
    throw new ImportUnfinished(
      `an import from ${run.source} has not ended. Repeat the command \`satchel import ${run.source}\` with --plan ${run.plan} --resume.`,
    );
}

export interface ImportOptions extends ImportedLinkRules {
  readonly database: Database;
  readonly clock: Clock;
  readonly source: ImportSource;
  readonly choices: Omit<ImportChoices, 'node'>;
  readonly node: BoundNode;
  readonly progress?: (step: string, done: number) => void;
}

export interface ImportReport extends ImportPlan {
  /** The wallets of the source that were imported before. */
  readonly already: readonly string[];
  /** The fees that the service has earned, if they pay for negative balances. */
  readonly service_fees_msat: number | null;
}

/** Reads the source and reports what would be imported. Writes nothing. */
export async function planImport({ database, source, choices, node, progress = () => {} }: ImportOptions): Promise<ImportReport> {
  const plan = await makePlan(source, { ...choices, node }, (wallets) => progress('checked wallets', wallets));
  const already: string[] = [];
  for (const { source_id, action } of plan.wallets) {
    if (action !== 'left_out' && (await database.first(sql.findItem, source.name, 'wallet', source_id))?.state === 'done')
      already.push(source_id);
  }
  if (choices.negative !== 'forgive') return { ...plan, already, service_fees_msat: null };
  const accounts = await database.snapshot(systemAccounts);
  const feesMsat = accounts.find(({ id }) => id === SYSTEM_ACCOUNTS.serviceFees)?.balanceMsat ?? 0;
  const forgivenMsat = wantedOf({ ...plan, already }).reduce((sum, { forgiven_msat }) => sum + forgiven_msat, 0);
  const problem = `the negative balances are ${forgivenMsat} msat, and the service has earned ${feesMsat} msat in fees to pay for them. Use --negative zero-and-report, or --except`;
  return { ...plan, already, service_fees_msat: feesMsat, problems: [...plan.problems, ...(forgivenMsat > feesMsat ? [problem] : [])] };
}

/** Returns the wallets that are to be imported and were not imported before. */
function wantedOf({ wallets, already }: Pick<ImportReport, 'wallets' | 'already'>): PlannedWallet[] {
  const done = new Set(already);
  return wallets.filter(({ action, source_id }) => action === 'import' && !done.has(source_id));
}

export interface RunOptions extends ImportOptions {
  /** The hash that the dry run printed. */
  readonly plan: string;
  readonly isResume: boolean;
  /** Opens the seal of secrets of webhooks. Called if the plan has any. */
  readonly openSecretBox?: () => Promise<SecretBox>;
  /** Returns the balance of the node in msat; undefined if it does not answer. */
  readonly readNodeBalance: () => Promise<number | undefined>;
  /** Why the import may end although the node has less than the ledger owes, or does not answer. */
  readonly acceptedShortfall?: string | undefined;
}

/** A wallet of the source, and what was made of it. */
export interface MadeWallet {
  readonly source_id: string;
  readonly wallet_id: string;
  readonly account_id: string;
}

export interface ImportResult {
  readonly report: ImportReport;
  readonly written: readonly WrittenWallet[];
  /** What was made of every wallet of the source that is imported, also by earlier commands. */
  readonly made: readonly MadeWallet[];
  /** The wallets of this import, and what they were credited. */
  readonly wallets: number;
  readonly opening_msat: number;
  readonly node_msat: number | null;
  readonly owed_msat: number;
  /** What is wrong. Empty: the import has ended, and the service may start. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Imports what the plan names, and proves the result. An interrupted import is continued with `isResume`. @throws ImportRefused */
export async function runImport(options: RunOptions): Promise<ImportResult> {
  const { database, source, plan, isResume } = options;
  const running = await findRunningInstance(database);
  if (running !== undefined)
    throw new ImportRefused(`The instance ${running} of the service is running on this database. Stop all instances first.`);
  const report = await planImport(options);
  if (report.plan !== plan)
    throw new ImportRefused(
      `The source or the options have changed since the dry run: the plan is ${report.plan} now, and --plan is ${plan}. Stop the source, and look at a new dry run.`,
    );
  const refused = report.wallets.filter(({ action }) => action === 'refused');
  if (refused.length > 0) throw new ImportRefused(refusedMessage(refused));
  if (report.problems.length > 0) throw new ImportRefused(`Nothing was imported: ${report.problems.join('; ')}.`);
  const unfinished = await database.first(sql.findWritingRun);
  if (unfinished && unfinished.plan !== plan)
    throw new ImportRefused(
      `An import with the plan ${unfinished.plan} has not ended. End it first, with --plan ${unfinished.plan} --resume.`,
    );
  if (unfinished && !isResume) throw new ImportRefused('An import with this plan has not ended. Continue it with --resume.');
  const wanted = wantedOf(report);
  if (!unfinished && wanted.length === 0) return prove(options, report, [], await database.first(sql.findRunOfPlan, plan));
  const secretBox = report.sums.webhooks > 0 ? await options.openSecretBox?.() : undefined;
  const run = unfinished ?? (await beginRun(options, wanted));
  if (run.source !== source.name || run.node_id !== options.node.id)
    throw new ImportRefused(
      `The import that has not ended is from ${run.source} onto the node ${run.node_id}. Continue it with the same options.`,
    );
  return prove(options, report, await writeWallets(options, run, wanted, secretBox), run);
}

function refusedMessage(refused: readonly PlannedWallet[]): string {
  const [first] = refused;
  return `${refused.length} of the wallets cannot be imported, so nothing was. The first is ${first?.source_id}: ${first?.problems[0]}. Solve the problems, or use --except.`;
}

async function beginRun({ database, clock, source, plan, node }: RunOptions, wanted: readonly PlannedWallet[]): Promise<sql.RunRow> {
  const openingMsat = wanted.reduce((sum, { opening_msat }) => sum + opening_msat, 0);
  const run = {
    id: `imp_${newId(clock.nowMs())}`,
    source: source.name,
    plan,
    node_id: node.id,
    wallets: wanted.length,
    opening_msat: openingMsat,
  };
  await database.transaction((tx) =>
    tx.run(sql.insertRun, run.id, run.source, plan, node.id, run.wallets, openingMsat, unixSeconds(clock)),
  );
  return { ...run, state: 'writing' };
}

async function writeWallets(
  options: RunOptions,
  run: sql.RunRow,
  wanted: readonly PlannedWallet[],
  secretBox: SecretBox | undefined,
): Promise<WrittenWallet[]> {
  const { database, clock, source, choices, node, plan, progress = () => {} } = options;
  const ledger = createLedger(database, clock);
  const { addressDomains, publicUrl } = options;
  const context: WriteContext = {
    ...{ database, ledger, clock, plan, node, addressDomains, publicUrl, secretBox },
    source: source.name,
    runId: run.id,
    choices: { ...choices, node },
  };
  const planned = new Map(wanted.map((wallet) => [wallet.source_id, wallet]));
  const written: WrittenWallet[] = [];
  try {
    for await (const { wallet, history } of mergeHistory(source.wallets(), source.history())) {
      const plannedWallet = planned.get(wallet.id);
      if (!plannedWallet) continue;
      written.push(await writeWallet(context, plannedWallet, wallet, history));
      progress('imported wallets', written.length);
    }
  } finally {
    await ledger.drain();
  }
  return written;
}

/** Compares the written balances with the plan, verifies the ledger, compares it with the node, and ends the import if all agree. */
async function prove(
  options: RunOptions,
  report: ImportReport,
  written: readonly WrittenWallet[],
  run: sql.RunRow | undefined,
): Promise<ImportResult> {
  const { database, clock, node, acceptedShortfall, progress = () => {} } = options;
  const problems: string[] = [];
  const sums = run && (await database.first(sql.sumRun, run.id));
  if (run && (sums?.opening_msat !== run.opening_msat || sums.wallets !== run.wallets))
    problems.push(
      `${sums?.wallets} wallets were credited ${sums?.opening_msat} msat, and the plan has ${run.wallets} with ${run.opening_msat} msat`,
    );
  const { problems: contradictions } = await verify(database, (done) => progress('verified transfers', done));
  problems.push(...contradictions.map((text) => `verify: ${text}`));
  const ledger = createLedger(database, clock);
  const owedMsat = 0 - (await ledger.balance(node.ledgerAccount)).balanceMsat;
  const nodeMsat = await options.readNodeBalance();
  const shortfall = await shortfallOf(database, node, owedMsat, nodeMsat);
  if (shortfall !== undefined && acceptedShortfall === undefined) problems.push(shortfall);
  if (run?.state === 'writing' && problems.length === 0)
    await database.transaction((tx) =>
      tx.run(sql.endRun, run.id, unixSeconds(clock), shortfall === undefined ? null : (acceptedShortfall ?? null)),
    );
  return {
    report,
    written,
    made: await readMade(database, options.source.name),
    wallets: sums?.wallets ?? 0,
    opening_msat: sums?.opening_msat ?? 0,
    node_msat: nodeMsat ?? null,
    owed_msat: owedMsat,
    problems,
    warnings: [...written.flatMap(({ warnings }) => warnings), ...(await doubleCredits(database))],
  };
}

/** Payments that are under way have left the balance of the node and are still owed. */
async function shortfallOf(
  database: SqlReader,
  node: BoundNode,
  owedMsat: number,
  nodeMsat: number | undefined,
): Promise<string | undefined> {
  const remedy = 'Correct that and repeat the command with --resume, or add --accept-shortfall with the reason';
  if (nodeMsat === undefined) return `the node does not answer, so it is not certain that it has what the ledger owes. ${remedy}`;
  const heldMsat = (await database.first(sql.heldAtNode, node.id))?.held_msat ?? 0;
  if (nodeMsat + heldMsat >= owedMsat) return undefined;
  return `the node has ${nodeMsat} msat, and the ledger owes ${owedMsat} msat. ${remedy}`;
}

async function doubleCredits(database: SqlReader): Promise<string[]> {
  const { receipts = 0, amount_msat = 0 } = (await database.first(sql.creditedTwice)) ?? {};
  if (receipts === 0) return [];
  return [
    `${receipts} receipts of the source, ${amount_msat} msat, are in suspense, too, because this service ran while the source did: the opening balances contain them`,
  ];
}

const PAGE = 1000;

async function readMade(database: SqlReader, source: string): Promise<MadeWallet[]> {
  const made: MadeWallet[] = [];
  for await (const page of readPages(database, sql.madeWallets, PAGE, (last) => [source, last?.source_id ?? ''])) made.push(...page);
  return made;
}
