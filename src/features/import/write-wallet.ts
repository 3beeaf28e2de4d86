import { newKeyRow } from '../../core/accounts/accounts.ts';
import { openImportedAccount } from '../../core/accounts/imported.ts';
import { parseKey } from '../../core/accounts/keys.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { importedInvoiceRow, markCredited, mayStillBePaid } from '../../core/invoices/imported.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { msat } from '../../core/kernel/money.ts';
import { type Ledger, type Posting, type RowWrite, SYSTEM_ACCOUNTS, type TransferOrder } from '../../core/ledger/ledger.ts';
import { importedPayment } from '../../core/payments/imported.ts';
import { importedWallet, isWalletIdFree, reserveLedgerAccount } from '../../core/wallets/imported.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { importedLoginRows, isLoginFree } from '../lndhub/imported-login.ts';
import type { ImportedLinkRules } from '../lnurl/pay/link-settings.ts';
import { defaultLinkRow } from '../lnurl/pay/pay-links.ts';
import { importedWebhookRow } from '../webhooks/imported-webhooks.ts';
import type { SecretBox } from '../webhooks/secrets.ts';
import * as sql from './import.sql.ts';
import { invoiceOf } from './invoice-of.ts';
import { linkRows } from './link-rows.ts';
import type { ImportChoices, PlannedWallet } from './plan.ts';
import { openInvoiceOf } from './signers.ts';
import type { SourceHistoryRow, SourceKey, SourceName, SourceWallet } from './source.ts';

/** What the writer uses. */
export interface WriteContext extends ImportedLinkRules {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly source: SourceName;
  readonly runId: string;
  readonly plan: string;
  readonly choices: ImportChoices;
  readonly node: { readonly id: string; readonly ledgerAccount: number };
  /** Seals the secrets of webhooks; undefined if the plan has none. */
  readonly secretBox: SecretBox | undefined;
}

/** A wallet that was imported. */
export interface WrittenWallet {
  readonly source_id: string;
  readonly wallet_id: string;
  readonly account_id: string;
  readonly warnings: readonly string[];
}

const ROWS_AT_ONCE = 1000;

/**
 * Imports one wallet: reserves its ids, stores its history, and then creates it in one posting with its opening balance, keys, links, open invoices
 * and pending payments. A process that stops in between leaves no wallet, and the next one continues with the same ids.
 */
export async function writeWallet(
  context: WriteContext,
  planned: PlannedWallet,
  source: SourceWallet,
  history: AsyncIterable<SourceHistoryRow>,
): Promise<WrittenWallet> {
  const { accountId, walletId, ledgerAccount, warnings } = await reserve(context, source);
  const login = await freeLogin(context, source);
  const live = await storeHistory(context, walletId, history);
  const { id: nodeId } = context.node;
  const { label: userLabel, isInactive } = source;
  const status = isInactive ? 'inactive' : 'active';
  // Not the time of the source: a proof of liabilities has a leaf for each wallet that was created before it.
  const createdAt = unixSeconds(context.clock);
  const wallet: Wallet = { id: walletId, accountId, ledgerAccount, nodeId, userLabel, status, createdAt, updatedAt: createdAt };
  const links = await linkRows(context, wallet, source.links);
  await context.ledger.post(walletPosting(context, planned, wallet, source, live, [...links.rows, ...login.rows(wallet)]));
  return {
    source_id: source.id,
    wallet_id: walletId,
    account_id: accountId,
    warnings: [...warnings, ...links.warnings, ...login.warnings],
  };
}

/** Returns the rows of the login of wallet apps, unless another wallet has it. */
async function freeLogin(
  { database, clock }: WriteContext,
  { id, appLogin }: SourceWallet,
): Promise<{ rows: (wallet: Wallet) => RowWrite[]; warnings: string[] }> {
  if (!appLogin) return { rows: () => [], warnings: [] };
  if (await isLoginFree(database, appLogin.login)) return { rows: (wallet) => importedLoginRows(clock, wallet, appLogin), warnings: [] };
  return { rows: () => [], warnings: [`the login of the wallet ${id} of the source is not imported, because another wallet has it`] };
}

/** Returns the ids of the wallet; the same ones after an interruption. */
function reserve(context: WriteContext, { id, ownId, account }: SourceWallet) {
  const { database, clock, source, runId } = context;
  return database.transaction(async (tx) => {
    const owner = await openAccountOf(tx, context, account);
    const reserved = await tx.first(sql.findItem, source, 'wallet', id);
    if (reserved?.ledger_account) return { ...owner, walletId: reserved.made, ledgerAccount: reserved.ledger_account };
    const ledgerAccount = await reserveLedgerAccount(tx);
    const isKept = ownId !== undefined && (await isWalletIdFree(tx, ownId));
    const walletId = isKept ? ownId : `wal_${newId(clock.nowMs())}`;
    await tx.run(sql.reserveWalletItem, source, id, runId, walletId, ledgerAccount);
    const isLost = ownId !== undefined && !isKept;
    const lost = isLost ? [`the wallet ${ownId} of the source gets the id ${walletId}, because another wallet has its own`] : [];
    return { ...owner, warnings: [...owner.warnings, ...lost], walletId, ledgerAccount };
  });
}

async function openAccountOf(
  tx: Tx,
  { clock, source, runId, choices, secretBox }: WriteContext,
  { id, email, passwordHash, keys = [], webhooks = [] }: SourceWallet['account'],
): Promise<{ accountId: string; warnings: string[] }> {
  if (choices.accountId !== undefined) return { accountId: choices.accountId, warnings: [] };
  const known = await tx.first(sql.findItem, source, 'account', id);
  if (known) return { accountId: known.made, warnings: [] };
  const { accountId, hasEmail } = await openImportedAccount(tx, clock, {
    email,
    passwordHash,
    keys: keys.map((key) => withExpiry(clock, key)),
  });
  await tx.run(sql.insertAccountItem, source, id, runId, accountId);
  for (const { id: label, ...webhook } of webhooks) {
    if (!secretBox) throw new Error('the secret of a webhook cannot be sealed');
    await writeRows(tx, [importedWebhookRow(clock, secretBox, accountId, { ...webhook, label })]);
  }
  const isLost = email !== undefined && !hasEmail;
  return {
    accountId,
    warnings: isLost ? [`the account ${accountId} has no e-mail, because another account has the one of the source`] : [],
  };
}

/** The rows of a wallet that are not only history. */
interface LiveRows {
  readonly open: readonly SourceHistoryRow[];
  readonly pending: readonly SourceHistoryRow[];
}

/** Stores the history, a thousand rows at a time, and returns what is still open. */
async function storeHistory(context: WriteContext, walletId: string, history: AsyncIterable<SourceHistoryRow>): Promise<LiveRows> {
  const [open, pending]: [SourceHistoryRow[], SourceHistoryRow[]] = [[], []];
  let rows: SourceHistoryRow[] = [];
  for await (const row of history) {
    if (row.state === 'open') open.push(row);
    if (row.state === 'pending') pending.push(row);
    rows.push(row);
    if (rows.length < ROWS_AT_ONCE) continue;
    await storeRows(context, walletId, rows);
    rows = [];
  }
  if (rows.length > 0) await storeRows(context, walletId, rows);
  return { open, pending };
}

async function storeRows(
  { database, clock, source, choices }: WriteContext,
  walletId: string,
  rows: readonly SourceHistoryRow[],
): Promise<void> {
  const stored = rows.map((row) => historyColumns(row, `itx_${newId(clock.nowMs())}`, walletId, source));
  const credited = rows.filter(isReceipt).flatMap(({ paymentHash }) => paymentHash ?? []);
  await database.transaction(async (tx) => {
    if (choices.hasHistory) await tx.run(sql.insertHistory, JSON.stringify(stored));
    await markCredited(tx, credited);
  });
}

/** Returns whether the node has reported, or will report, money that the opening balance contains. */
function isReceipt({ state, kind, amountMsat }: SourceHistoryRow): boolean {
  return state === 'settled' && kind === 'lightning' && amountMsat > 0;
}

const MAX_MEMO = 2000;
const MAX_REQUEST = 7100;
const MAX_DATA = 10_000;

function historyColumns(row: SourceHistoryRow, id: string, walletId: string, source: SourceName): Record<string, unknown> {
  const data = row.data && JSON.stringify(row.data);
  return {
    id,
    wallet_id: walletId,
    source,
    source_id: row.id,
    state: row.state,
    kind: row.kind,
    amount_msat: row.amountMsat,
    fee_msat: row.feeMsat,
    memo: Array.from(row.memo.slice(0, 2 * MAX_MEMO))
      .slice(0, MAX_MEMO)
      .join(''),
    created_at: row.createdAt,
    settled_at: row.settledAt ?? null,
    payment_hash: row.paymentHash ?? null,
    preimage: row.state === 'open' ? null : (row.preimage ?? null),
    payment_request: row.paymentRequest === undefined || row.paymentRequest.length > MAX_REQUEST ? null : row.paymentRequest,
    data: data === undefined || data.length > MAX_DATA ? null : data,
  };
}

function walletPosting(
  context: WriteContext,
  { opening_msat, shortfall_msat, forgiven_msat }: PlannedWallet,
  wallet: Wallet,
  source: SourceWallet,
  live: LiveRows,
  links: readonly RowWrite[],
): Posting {
  const { clock, choices } = context;
  const created = importedWallet(clock, wallet, new Set(source.keys.map(({ text }) => parseKey(text)?.kind ?? '')));
  const opening = opening_msat > 0 ? openingTransfer(context, wallet, source, opening_msat) : undefined;
  const forgiven = forgiven_msat > 0 ? forgivenTransfer(context, source, forgiven_msat) : undefined;
  const payments = live.pending.map((row) => pendingPayment(context, wallet, row));
  const owner = { accountId: wallet.accountId, walletId: wallet.id };
  const keys = source.keys.map((key) => withExpiry(clock, key)).map(({ text, ...key }) => newKeyRow(clock, text, owner, key).row);
  const invoices = live.open.flatMap((row) => {
    const invoice = openInvoiceOf(row, choices.node);
    return typeof invoice === 'object' && mayStillBePaid(clock, invoice.expiresAt)
      ? [importedInvoiceRow(clock, wallet, { invoice, memo: row.memo, preimage: row.preimage })]
      : [];
  });
  const completed: RowWrite = {
    statement: sql.completeWalletItem,
    parameters: [context.source, source.id, opening_msat, opening?.id ?? null, shortfall_msat, forgiven?.id ?? null],
    onMiss: () => new Error(`the wallet ${source.id} was imported before`),
  };
  return {
    transfers: [opening, forgiven].filter((transfer) => transfer !== undefined),
    holds: payments.flatMap(({ holds }) => holds),
    rows: [...created.rows, ...keys, ...links, defaultLinkRow(wallet), ...invoices, ...payments.flatMap(({ rows }) => rows), completed],
    events: created.events,
  };
}

const WEAK_KEY_SECONDS = 90 * 86_400;

function withExpiry(clock: Clock, { text, label, isWeak }: SourceKey) {
  return { text, label, expiresAt: isWeak ? unixSeconds(clock) + WEAK_KEY_SECONDS : undefined };
}

function openingTransfer(
  { clock, node, source, plan }: WriteContext,
  wallet: Wallet,
  { id }: SourceWallet,
  openingMsat: number,
): TransferOrder {
  return {
    id: newId(clock.nowMs()),
    from: node.ledgerAccount,
    to: wallet.ledgerAccount,
    amountMsat: msat(openingMsat),
    toType: 'opening_balance',
    memo: 'Opening balance',
    passThru: JSON.stringify({ import: { source, source_id: id, plan } }),
  };
}

/** The wallet owes nothing, and the fees of the service are less by what it owed. */
function forgivenTransfer({ clock, node, source, plan }: WriteContext, { id }: SourceWallet, forgivenMsat: number): TransferOrder {
  return {
    id: newId(clock.nowMs()),
    from: SYSTEM_ACCOUNTS.serviceFees,
    to: node.ledgerAccount,
    amountMsat: msat(forgivenMsat),
    memo: `Negative balance of the wallet ${id} of ${source}, forgiven`,
    passThru: JSON.stringify({ import: { source, source_id: id, plan } }),
  };
}

function pendingPayment({ clock, choices }: WriteContext, wallet: Wallet, row: SourceHistoryRow) {
  const invoice = invoiceOf(row, choices.node.network);
  if (!invoice) throw new Error(`the pending payment ${row.id} has no valid invoice`);
  const amounts = { amountMsat: msat(-row.amountMsat), reserveMsat: msat(row.feeMsat) };
  return importedPayment(clock, wallet, { invoice, ...amounts, memo: row.memo, createdAt: row.createdAt });
}
