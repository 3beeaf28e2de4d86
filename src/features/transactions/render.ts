import type { Database } from '../../core/db/database.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { EntryRow, Ledger } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Side } from '../../core/wallets/wallet-transaction-id.ts';
import type { FundedWallet, Wallet, Wallets } from '../../core/wallets/wallets.ts';
import { ofInvoice, ofPayment } from './lightning-transaction.ts';
import { idOf, type Line } from './list.ts';
import { paidEntries } from './lists.sql.ts';
import { isTransfer, ofEntry, ofOpenInvoice, ofUnsettled, type WalletTransaction } from './wallet-transaction.ts';

export interface RenderDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly clock: Clock;
}

/** Combines entries and payments with their invoices and wallets. */
export interface Renderer {
  render(entries: readonly EntryRow[], owner: FundedWallet): Promise<WalletTransaction[]>;
  renderLines(lines: readonly Line[]): Promise<WalletTransaction[]>;
  funded(wallet: Wallet): Promise<FundedWallet>;
  fundedById(walletId: string): Promise<FundedWallet>;
}

interface OwnedEntry {
  readonly entry: EntryRow;
  readonly owner: FundedWallet;
}

export function createRenderer(deps: RenderDependencies): Renderer {
  const { database, ledger, wallets } = deps;

  async function funded(wallet: Wallet): Promise<FundedWallet> {
    return { wallet, balance: await ledger.balance(wallet.ledgerAccount) };
  }

  async function fundedById(walletId: string): Promise<FundedWallet> {
    const wallet = await wallets.find(walletId);
    invariant(wallet, `wallet ${walletId} is gone`);
    return funded(wallet);
  }

  /** Reads each wallet once, and all entries of payments with one statement. */
  async function renderLines(lines: readonly Line[]): Promise<WalletTransaction[]> {
    const walletIds = [...new Set(lines.map(walletIdOf))];
    const owners = new Map(await Promise.all(walletIds.map(async (id) => [id, await fundedById(id)] as const)));
    const ownerOf = (line: Line) => owners.get(walletIdOf(line)) as FundedWallet;
    const ended = lines.flatMap((line) => ('payment' in line && line.payment.state === 'succeeded' ? [line.payment.transferId] : []));
    const rows: EntryRow[] = ended.length === 0 ? [] : await database.all(paidEntries, ended);
    const entryOf = new Map(rows.map((entry) => [entry.transfer_id, entry]));
    const booked = lines.flatMap((line) => {
      const entry = 'entry' in line ? line.entry.entry : 'payment' in line ? entryOf.get(line.payment.transferId) : undefined;
      return entry ? [{ entry, owner: ownerOf(line) }] : [];
    });
    const rendered = new Map((await renderOwned(deps, booked)).map((wtx) => [wtx.id, wtx]));
    return lines.map((line) => {
      const wtx = rendered.get(idOf(line));
      if (wtx) return wtx;
      if ('invoice' in line) return ofOpenInvoice(line.invoice, ownerOf(line), unixSeconds(deps.clock));
      invariant('payment' in line && line.payment.state !== 'succeeded', 'a settled line has its entry');
      return ofUnsettled(line.payment, ownerOf(line));
    });
  }

  return {
    funded,
    fundedById,
    renderLines,
    render: (entries, owner) =>
      renderOwned(
        deps,
        entries.map((entry) => ({ entry, owner })),
      ),
  };
}

function walletIdOf(line: Line): string {
  if ('entry' in line) return line.entry.walletId;
  return 'payment' in line ? line.payment.walletId : line.invoice.walletId;
}

/** Reads the invoices, payments and other wallets of all entries with three statements. */
async function renderOwned(
  { wallets, invoices, payments, clock }: RenderDependencies,
  owned: readonly OwnedEntry[],
): Promise<WalletTransaction[]> {
  const idsOf = (side: Side) => owned.flatMap(({ entry }) => (entry.side === side && entry.lntx !== null ? [entry.lntx] : []));
  const others = owned.flatMap(({ entry }) => (isTransfer(entry) ? [entry.other_account] : []));
  const [paid, received, otherWallets] = await Promise.all([
    payments.findMany(idsOf('from')),
    invoices.findMany(idsOf('to')),
    wallets.ownersOf(others),
  ]);
  const now = unixSeconds(clock);
  const labels = new Map([
    ...paid.map((payment) => [payment.id, payment.userLabel] as const),
    ...received.map((invoice) => [invoice.id, invoice.memo] as const),
  ]);
  const behind = new Map([
    ...paid.map((payment) => [payment.id, ofPayment(payment)] as const),
    ...received.map((invoice) => [invoice.id, ofInvoice(invoice, now)] as const),
  ]);
  return owned.map(({ entry, owner }) => {
    const lntx = entry.lntx ?? '';
    return ofEntry(entry, owner, {
      behind: behind.get(lntx),
      label: labels.get(lntx) ?? entry.memo ?? '',
      otherWalletId: isTransfer(entry) ? otherWallets.get(entry.other_account) : undefined,
    });
  });
}
