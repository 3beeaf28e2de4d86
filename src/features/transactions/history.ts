import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import {
  findCredit,
  findTransaction,
  findTransactions,
  readTransactions,
  type TransactionPart,
} from '../../core/journal/wallet-transactions.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import type { List } from '../../core/kernel/list.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { FundedWallet, Wallet } from '../../core/wallets/wallets.ts';
import { completeInvoices, completeRows, fundedWallets, type Sources } from './complete.ts';
import { type FoundLightning, findLightning, type Owner } from './find-lightning.ts';
import { findOpenItem, isOwn, type Lister, type ListQuery, listTransactions } from './lists.ts';
import type { WalletTransaction } from './wallet-transaction.ts';
import type { RenderedTransaction } from './wallet-transaction-object.ts';

/** The page size of statements: the memory that a slow client occupies. */
const STATEMENT_PAGE = 100;

/** Reads wallet transactions and lightning transactions. */
export class History {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Returns the list of the transactions of a wallet, or of all wallets of an account. */
  list(of: Lister, query: ListQuery): List<RenderedTransaction> {
    return listTransactions(this.#sources, of, query);
  }

  /** Returns a wallet transaction of the account by its id: also an open invoice, or the credit of the invoice that was open. */
  async find(accountId: string, id: string): Promise<RenderedTransaction | undefined> {
    const { database, objects, clock } = this.#sources;
    const found = await findTransaction(database, id);
    const invoice = found ? undefined : await findOpenItem(this.#sources, id, { accountId });
    if (invoice && (invoice.state === 'closing' || (invoice.state === 'open' && (invoice.expiresAt ?? 0) > unixSeconds(clock))))
      return (await completeInvoices(this.#sources, [invoice])).map(objects.walletTransaction)[0];
    const row = invoice ? await findCredit(database, invoice.id) : found;
    return row && isOwn(row, { accountId }) ? (await completeRows(this.#sources, [row])).map(objects.walletTransaction)[0] : undefined;
  }

  /** Returns wallet transactions by their ids. */
  async findMany(ids: readonly string[]): Promise<RenderedTransaction[]> {
    const { database, objects } = this.#sources;
    return (await completeRows(this.#sources, await findTransactions(database, ids))).map(objects.walletTransaction);
  }

  /** Returns the settled transactions of a period (Unix seconds, inclusive), oldest first, in pages. */
  async *statement({ ledgerAccount }: Wallet, { from, to }: { from: number; to: number }): AsyncGenerator<WalletTransaction[]> {
    const query = { status: 'settled', order: 'asc', fromMs: from * 1000, untilMs: to * 1000 + 999 } as const;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const part: TransactionPart = await readTransactions(this.#sources.database, { ledgerAccount }, query, {
        after,
        limit: STATEMENT_PAGE,
      });
      yield await completeRows(this.#sources, part.rows);
      after = part.next?.position;
    }
  }

  /** Returns both sides of a transfer between two wallets. */
  async transfer(id: string): Promise<{ into: RenderedTransaction; out: RenderedTransaction }> {
    const sides = await this.findMany([walletTransactionId(id, 'from'), walletTransactionId(id, 'to')]);
    const [out, into] = [sides.find(({ num_msat }) => num_msat < 0), sides.find(({ num_msat }) => num_msat > 0)];
    invariant(out && into, `transfer ${id} is between wallets`);
    return { into, out };
  }

  /** Returns the wallet transaction of a payment in any state. */
  async ofPayment({ transferId }: Payment): Promise<RenderedTransaction> {
    const [found] = await this.findMany([walletTransactionId(transferId, 'from')]);
    invariant(found, 'a payment has a wallet transaction');
    return found;
  }

  /** Returns wallets with their balances, by their ids. */
  fundedWallets(ids: readonly string[]): Promise<(id: string) => FundedWallet> {
    return fundedWallets(this.#sources, ids);
  }

  /** Returns a lightning transaction of the owner by its id or payment hash (hex). */
  lightning(idOrHash: string, owner: Owner): Promise<FoundLightning | undefined> {
    return findLightning(this.#sources, idOrHash, owner);
  }
}
