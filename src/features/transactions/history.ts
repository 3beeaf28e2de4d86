import type { Invoice } from '../../core/invoices/invoice.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { entryFrom, entryTo } from '../../core/ledger/ledger.ts';
import type { Payment } from '../../core/payments/payment.ts';
import { parseWalletTransactionId } from '../../core/wallets/wallet-transaction-id.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { type Cut, cutOut, type Listed } from './cut.ts';
import { type FoundLightning, findLightning, type Owner } from './find-lightning.ts';
import { ofPayment } from './lightning-transaction.ts';
import type { Line, ListQuery } from './list.ts';
import { createRenderer, type RenderDependencies } from './render.ts';
import { accountScope, type EntryReader, type ListScope, type Pointed, walletScope } from './scope.ts';
import { lineSearch, type Search } from './search.ts';
import { entriesOfPeriod, type Period } from './statement.ts';
import { ofEntry, ofUnsettled, type WalletTransaction } from './wallet-transaction.ts';

export { type OwnedEntryRow, selectEntries } from './lists.sql.ts';

/** Reads wallet transactions and lightning transactions, which combine ledger entries, invoices and payments. */
export interface History {
  /** Returns a page of a wallet's settled transactions, newest first, and their number. */
  page(wallet: Wallet, limit: number, offset: number): Promise<{ transactions: WalletTransaction[]; total: number }>;
  /** Returns the transactions after `afterId` in that order, at the same cost at any depth; undefined if the wallet has no such transaction. */
  pageAfter(wallet: Wallet, limit: number, afterId: string): Promise<WalletTransaction[] | undefined>;
  /** Returns a part of a filtered list; undefined if the cursor `after` is not a line of the wallet. */
  list(wallet: Wallet, query: ListQuery & Search, cut: Cut): Promise<Listed<WalletTransaction> | undefined>;
  /** Returns the same for all wallets of an account. */
  listOfAccount(accountId: string, query: ListQuery & Search, cut: Cut): Promise<Listed<WalletTransaction> | undefined>;
  /** Returns a wallet transaction of the account by its id. */
  find(accountId: string, id: string): Promise<WalletTransaction | undefined>;
  /** Returns the settled transactions of a period, oldest first, in pages. */
  statement(wallet: Wallet, period: Period): AsyncIterable<WalletTransaction[]>;
  /** Returns both sides of a transfer between two wallets. */
  transfer(id: string, source: Wallet, destination: Wallet): Promise<{ into: WalletTransaction; out: WalletTransaction }>;
  /** Returns the wallet transaction of a payment in any state. */
  ofPayment(payment: Payment): Promise<WalletTransaction>;
  /** Renders lines of any wallets. */
  render(lines: readonly Line[]): Promise<WalletTransaction[]>;
  /** Returns a lightning transaction of the owner by its id or payment hash (hex). */
  lightning(idOrHash: string, owner: Owner): Promise<FoundLightning | undefined>;
}

export function createHistory(deps: RenderDependencies): History {
  const { database, ledger } = deps;
  const { render, renderLines, funded, fundedById } = createRenderer(deps);

  const readEntries: EntryReader = (account, first, last) => ledger.entries(account, first, last);

  async function list(scope: ListScope, query: ListQuery & Search, cut: Cut): Promise<Listed<WalletTransaction> | undefined> {
    const after = cut.after === undefined ? undefined : await scope.find(cut.after);
    if (after && !isOfList(after, query.status)) return undefined;
    const listed = await cutOut(scope, query, after, cut, lineSearch(deps, query));
    return { ...listed, items: await renderLines(listed.items) };
  }

  return {
    async page(wallet, limit, offset) {
      const owner = await funded(wallet);
      const total = owner.balance.entries;
      const last = total - offset;
      const entries = last > 0 ? await ledger.entries(wallet.ledgerAccount, last - limit + 1, last) : [];
      return { transactions: await render(entries, owner), total };
    },
    async pageAfter(wallet, limit, afterId) {
      const after = parseWalletTransactionId(afterId);
      const entry = after && (await database.first(after.side === 'from' ? entryFrom : entryTo, after.transferId, wallet.ledgerAccount));
      if (!entry) return undefined;
      const entries = await ledger.entries(wallet.ledgerAccount, entry.entry - limit, entry.entry - 1);
      return render(entries, await funded(wallet));
    },
    async list(wallet, query, cut) {
      const { entries } = await ledger.balance(wallet.ledgerAccount);
      return list(walletScope(deps, readEntries, wallet, entries), query, cut);
    },
    listOfAccount: (accountId, query, cut) => list(accountScope(deps, accountId), query, cut),
    async find(accountId, id) {
      const scope = accountScope(deps, accountId);
      const { entry, payment, invoice } = await scope.find(id);
      const line = entry ? { entry } : payment ? { payment } : invoice && (await lineOfInvoice(scope, invoice));
      return line && (await renderLines([line]))[0];
    },
    async *statement(wallet, period) {
      const owner = await funded(wallet);
      const account = { account: wallet.ledgerAccount, total: owner.balance.entries };
      for await (const page of entriesOfPeriod(ledger, account, period)) yield await render(page, owner);
    },
    async transfer(id, source, destination) {
      const [from, to] = await Promise.all([
        database.first(entryFrom, id, source.ledgerAccount),
        database.first(entryTo, id, destination.ledgerAccount),
      ]);
      invariant(from && to, `transfer ${id} is not between these wallets`);
      const [payer, payee] = await Promise.all([funded(source), funded(destination)]);
      const [[out], [into]] = await Promise.all([render([from], payer), render([to], payee)]);
      invariant(out && into, 'an entry is rendered');
      return { into, out };
    },
    async ofPayment(payment) {
      const owner = await fundedById(payment.walletId);
      if (payment.state !== 'succeeded') return ofUnsettled(payment, owner);
      const entry = await database.first(entryFrom, payment.transferId, payment.ledgerAccount);
      invariant(entry, `payment ${payment.id} succeeded without a transfer`);
      return ofEntry(entry, owner, { behind: ofPayment(payment), label: payment.userLabel });
    },
    render: renderLines,
    lightning: (idOrHash, owner) => findLightning(deps, idOrHash, owner),
  };
}

/** Returns the line of an invoice: the open invoice, or its credit if it is paid. */
async function lineOfInvoice(scope: ListScope, { paymentHash }: Invoice): Promise<Line | undefined> {
  const { openInvoice, credit } = await scope.ofHash(paymentHash);
  return openInvoice ? { invoice: openInvoice } : credit && { entry: credit };
}

function isOfList({ entry, payment, invoice }: Pointed, status: ListQuery['status']): boolean {
  if (status === 'open') return invoice !== undefined;
  if (status === 'settled') return entry !== undefined;
  return payment !== undefined || (status === 'all' && entry !== undefined);
}
