import { createHash, type Hash } from 'node:crypto';
import { counted } from '../../core/kernel/counted.ts';
import { MAX_MSAT } from '../../core/kernel/money.ts';
import { invoiceOf } from './invoice-of.ts';
import { mergeHistory } from './merge.ts';
import { openInvoiceOf, Signers, type SigningNode } from './signers.ts';
import type { ImportSource, NotImported, SourceHistoryRow, SourceWallet } from './source.ts';

/** What the operator decides. All of it is part of the plan. */
export interface ImportChoices {
  /** The node that has the money. */
  readonly node: SigningNode;
  /** Why the import is right although another node has signed invoices of the source; they are skipped. Undefined: it is refused then. */
  readonly otherNode?: string | undefined;
  /** The account of all wallets; undefined: an account for each one of the source. */
  readonly accountId?: string | undefined;
  /** Only these wallets of the source; undefined: all. */
  readonly only?: readonly string[] | undefined;
  /** These wallets are left out. */
  readonly except?: readonly string[] | undefined;
  /** Also wallets that the source leaves out, such as deleted ones. */
  readonly isAll?: boolean | undefined;
  readonly hasHistory: boolean;
  /**
   * A wallet with a negative balance is refused, or it begins with 0 and the operator bears the shortfall. `zero`: nothing is booked. `forgive`: the
   * earned fees of the service pay it, so that the ledger owes what the source did.
   */
  readonly negative: 'refuse' | 'zero' | 'forgive';
  /** Why a wallet is imported with the computed balance although the source's own figure differs, by the wallet. */
  readonly allowedMismatches: ReadonlyMap<string, string>;
  /** The domain of imported Lightning addresses; undefined: they are not imported. */
  readonly addressDomain?: string | undefined;
}

/** `import`: it will be imported. `left_out`: it is not selected. `refused`: its problems must be solved, or it must be left out. */
export interface PlannedWallet {
  readonly source_id: string;
  readonly label: string;
  readonly account: string;
  readonly action: 'import' | 'left_out' | 'refused';
  /** The source's own figure, and the sum of the rows. */
  readonly source_balance_msat: number | null;
  readonly computed_balance_msat: number;
  /** What is credited. Pending payments hold a part of it. */
  readonly opening_msat: number;
  readonly held_msat: number;
  /** What a negative balance lacks, and the part of it that the fees of the service pay. */
  readonly shortfall_msat: number;
  readonly forgiven_msat: number;
  readonly keys: number;
  readonly links: number;
  readonly history_rows: number;
  readonly open_invoices: number;
  readonly pending_payments: number;
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

export interface ImportPlan {
  readonly source: string;
  readonly source_version: string;
  /** A hash of everything that the import would write. */
  readonly plan: string;
  /** What becomes of negative balances. */
  readonly negative: ImportChoices['negative'];
  readonly wallets: readonly PlannedWallet[];
  readonly sums: {
    readonly wallets: number;
    readonly opening_msat: number;
    readonly held_msat: number;
    readonly shortfall_msat: number;
    readonly forgiven_msat: number;
    readonly history_rows: number;
    readonly open_invoices: number;
    readonly pending_payments: number;
    readonly webhooks: number;
  };
  readonly not_imported: readonly NotImported[];
  /** Why nothing can be imported, whatever the wallets are. */
  readonly problems: readonly string[];
}

/** More open invoices or pending payments of one wallet would not fit into one transaction. */
const MAX_OPEN = 10_000;

/** Reads the whole source, recomputes every balance, and decides what would be imported. Writes nothing. Memory grows with the wallets only. */
export async function makePlan(
  source: ImportSource,
  choices: ImportChoices,
  progress: (wallets: number, rows: number) => void = () => {},
): Promise<ImportPlan> {
  const digest = createHash('sha256').update(choicesText(source, choices));
  const problems = await problemsByWallet(source);
  const wallets: PlannedWallet[] = [];
  /** The number of webhooks by the account. */
  const webhooks = new Map<string, number>();
  const signers = new Signers();
  let rows = 0;
  for await (const { wallet, history } of mergeHistory(source.wallets(), source.history())) {
    const tally = await tallyHistory(history, digest, choices, signers);
    rows += tally.rows;
    const planned = planWallet(wallet, tally, problems.get(wallet.id) ?? [], choices);
    digest.update(JSON.stringify([planned, wallet]));
    wallets.push(planned);
    // In an account of all, a webhook would get the events of the wallets of others.
    if (planned.action === 'import' && choices.accountId === undefined)
      webhooks.set(wallet.account.id, wallet.account.webhooks?.length ?? 0);
    progress(wallets.length, rows);
  }
  const otherNode = choices.otherNode === undefined ? signers.problemAt(choices.node) : undefined;
  const selected = wallets.filter(({ action }) => action === 'import');
  const sum = (of: (wallet: PlannedWallet) => number) => selected.reduce((total, wallet) => total + of(wallet), 0);
  return {
    source: source.name,
    source_version: source.version,
    plan: digest.digest('hex').slice(0, 32),
    negative: choices.negative,
    wallets,
    sums: {
      wallets: selected.length,
      opening_msat: sum((wallet) => wallet.opening_msat),
      held_msat: sum((wallet) => wallet.held_msat),
      shortfall_msat: sum((wallet) => wallet.shortfall_msat),
      forgiven_msat: sum((wallet) => wallet.forgiven_msat),
      history_rows: sum((wallet) => wallet.history_rows),
      open_invoices: sum((wallet) => wallet.open_invoices),
      pending_payments: sum((wallet) => wallet.pending_payments),
      webhooks: [...webhooks.values()].reduce((total, count) => total + count, 0),
    },
    not_imported: await source.notImported(),
    problems: otherNode === undefined ? [] : [otherNode],
  };
}

function choicesText(source: ImportSource, choices: ImportChoices): string {
  const { only, except, allowedMismatches } = choices;
  const lists = { only: [...(only ?? [])].sort(), except: [...(except ?? [])].sort(), allowedMismatches: [...allowedMismatches].sort() };
  return JSON.stringify([source.name, source.version, { ...choices, ...lists }]);
}

async function problemsByWallet(source: ImportSource): Promise<ReadonlyMap<string, string[]>> {
  const byWallet = new Map<string, string[]>();
  for await (const { walletId, text } of source.problems()) byWallet.set(walletId, [...(byWallet.get(walletId) ?? []), text]);
  return byWallet;
}

interface Tally {
  readonly rows: number;
  readonly settledMsat: number;
  readonly heldMsat: number;
  readonly open: number;
  readonly pending: number;
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

async function tallyHistory(
  history: AsyncIterable<SourceHistoryRow>,
  digest: Hash,
  choices: ImportChoices,
  signers: Signers,
): Promise<Tally> {
  let [rows, settledMsat, heldMsat, open, pending, others, invalid, foreign] = [0, 0, 0, 0, 0, 0, 0, 0];
  const problems: string[] = [];
  for await (const row of history) {
    digest.update(JSON.stringify(row));
    rows += 1;
    if (row.state === 'settled') settledMsat += row.amountMsat - row.feeMsat;
    if (row.state === 'pending') heldMsat += row.feeMsat - row.amountMsat;
    if (row.state === 'pending') pending += 1;
    if (row.state === 'open') {
      const invoice = openInvoiceOf(row, choices.node);
      if (invoice === 'invalid') invalid += 1;
      else if (invoice === 'of another node') foreign += 1;
      else open += 1;
    }
    signers.add(row);
    if (row.state === 'settled' && row.kind === 'other') others += 1;
    const problem = problemOf(row, choices.node.network);
    if (problem !== undefined && problems.length < MAX_PROBLEMS) problems.push(problem);
    if (Math.max(Math.abs(settledMsat), heldMsat) > MAX_MSAT)
      throw new RangeError(`the sum of wallet ${row.walletId} exceeds 2^53 − 1 msat`);
  }
  if (open > MAX_OPEN || pending > MAX_OPEN) problems.push(`it has more than ${MAX_OPEN} open invoices or pending payments`);
  if (foreign > 0 && choices.otherNode === undefined)
    problems.push(`${counted(foreign, 'open invoice')} of another node: let them be paid or expire, or add --other-node with the reason`);
  const remarks = [
    ...(others > 0 ? [`${others} settled rows are no payments over Lightning, such as fees or payments in other currencies`] : []),
    ...(foreign > 0 ? [`open invoices that are not imported, because they are of another node: ${foreign}`] : []),
    ...(pending > 0 && choices.otherNode !== undefined
      ? [`payments in flight that stay pending if they are at the other node, where they are not looked up: ${pending}`]
      : []),
    ...(invalid > 0 ? [`open invoices that are not imported, because they are not valid or belong to another row: ${invalid}`] : []),
  ];
  return { rows, settledMsat, heldMsat, open, pending, problems, remarks };
}

const MAX_PROBLEMS = 10;

function problemOf(row: SourceHistoryRow, network: string): string | undefined {
  const { id, state, kind, amountMsat, feeMsat } = row;
  if (feeMsat < 0) return `the fee of ${id} is negative`;
  if (state === 'pending' && amountMsat >= 0) return `${id} is a pending payment that takes no money`;
  if (state === 'pending' && kind !== 'lightning') return `${id} is pending and not a payment over Lightning: end it in the source`;
  if (state === 'pending' && !invoiceOf(row, network))
    return `the pending payment ${id} has no valid invoice of ${network}, so its outcome cannot be looked up: end it in the source`;
  return undefined;
}

function planWallet(wallet: SourceWallet, tally: Tally, sourceProblems: readonly string[], choices: ImportChoices): PlannedWallet {
  const leftOut = reasonToLeaveOut(wallet, choices);
  const computedMsat = tally.settledMsat;
  const problems = [...sourceProblems, ...tally.problems];
  const remarks = [...(wallet.remarks ?? []), ...tally.remarks, ...linkRemarks(wallet, choices)];
  const { balanceMsat } = wallet;
  if (balanceMsat !== undefined && balanceMsat !== computedMsat) {
    const difference = `the source's own balance is ${balanceMsat} msat, and its rows add up to ${computedMsat} msat`;
    const reason = choices.allowedMismatches.get(wallet.id);
    if (reason === undefined) problems.push(`${difference}. Correct the source, or use --allow-mismatch ${wallet.id}=<reason>`);
    else remarks.push(`${difference}; accepted: ${reason}`);
  }
  const isNegative = computedMsat - tally.heldMsat < 0;
  if (isNegative && choices.negative === 'refuse')
    problems.push(
      `it has ${computedMsat - tally.heldMsat} msat. Cover it in the source, or bear it with --negative zero-and-report or --negative forgive`,
    );
  if (isNegative && tally.pending > 0)
    problems.push('its balance is negative while payments are pending: wait for their end in the source');
  const openingMsat = Math.max(0, computedMsat);
  const shortfallMsat = isNegative ? openingMsat - computedMsat : 0;
  if (leftOut !== undefined) remarks.push(leftOut);
  else if (wallet.leftOut !== undefined) remarks.push(wallet.leftOut);
  if (leftOut !== undefined && computedMsat > 0) remarks.push(`it has ${computedMsat} msat, which are not credited`);
  return {
    source_id: wallet.id,
    label: wallet.label,
    account: wallet.account.name ?? wallet.account.id,
    action: leftOut !== undefined ? 'left_out' : problems.length > 0 ? 'refused' : 'import',
    source_balance_msat: balanceMsat ?? null,
    computed_balance_msat: computedMsat,
    opening_msat: openingMsat,
    held_msat: tally.heldMsat,
    shortfall_msat: shortfallMsat,
    forgiven_msat: choices.negative === 'forgive' ? shortfallMsat : 0,
    keys: wallet.keys.length,
    links: wallet.links.filter((link) => link.leftOut === undefined).length,
    history_rows: tally.rows,
    open_invoices: tally.open,
    pending_payments: tally.pending,
    problems,
    remarks,
  };
}

function reasonToLeaveOut({ id, leftOut, isNeverImported }: SourceWallet, { only, except, isAll }: ImportChoices): string | undefined {
  if (only && !only.includes(id)) return 'it is not among the wallets of --wallet';
  if (except?.includes(id)) return 'it is among the wallets of --except';
  return isAll && !isNeverImported ? undefined : leftOut;
}

function linkRemarks({ links }: SourceWallet, { addressDomain }: ImportChoices): string[] {
  return links.flatMap(({ id, leftOut, name, domain }) => {
    if (leftOut !== undefined) return [`pay link ${id} is not imported: ${leftOut}`];
    if (name === undefined) return [];
    const address = domain === undefined ? name : `${name}@${domain}`;
    if (addressDomain === undefined) return [`the Lightning address ${address} is not imported without --address-domain`];
    if (domain === undefined || domain === addressDomain) return [];
    return [
      `${address} becomes ${name}@${addressDomain}. To keep it, add ${domain} to ADDRESS_DOMAINS, and use --address-domain ${domain}`,
    ];
  });
}
