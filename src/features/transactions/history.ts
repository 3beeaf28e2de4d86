import type { KeyOwner } from '../../core/accounts/accounts.ts';
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
import { type List, mapList } from '../../core/kernel/list.ts';
import { type Msat, msat } from '../../core/kernel/money.ts';
import { PER_TURN } from '../../core/kernel/turns.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { completeRows, fundedWallets, renderOpenInvoices, renderRows, type Sources } from './complete.ts';
import { findLightning } from './find-lightning.ts';
import { findOpenItem, isOwn, type ListQuery, type ListScope, listTransactions, readWholeList } from './lists.ts';
import type { WalletTransaction } from './wallet-transaction.ts';
import type { RenderedTransaction } from './wallet-transaction-object.ts';

/** A transfer as the wallet that sent the money sees it. */
export interface TransferOut {
  /** The id of the transfer. */
  readonly id: string;
  readonly amountMsat: Msat;
  readonly memo: string;
  readonly destinationId: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Reads wallet transactions and lightning transactions. */
export type History = ReturnType<typeof createHistory>;

export function createHistory(sources: Sources) {
  const { database, clock } = sources;

  /** Returns wallet transactions by their ids. */
  async function findMany(ids: readonly string[]): Promise<RenderedTransaction[]> {
    return renderRows(sources, await findTransactions(database, ids));
  }

  return {
    findMany,

    /** Returns the list of the transactions of a wallet, or of all wallets of an account. */
    list(of: ListScope, query: ListQuery): List<RenderedTransaction> {
      return mapList(listTransactions(sources, of, query), (items) => items.map(sources.objects.walletTransaction));
    },

    /** Returns all transactions of a list in pages, one for each turn. */
    export: (of: ListScope, query: ListQuery, order: 'asc' | 'desc') => readWholeList(sources, of, query, { order, limit: PER_TURN.rows }),

    /** Returns a wallet transaction of the account by its id: also an open invoice, or the credit of the invoice that was open. */
    async find(accountId: string, id: string): Promise<RenderedTransaction | undefined> {
      const found = await findTransaction(database, id);
      const invoice = found ? undefined : await findOpenItem(sources, id, { accountId });
      if (invoice && (invoice.state === 'closing' || (invoice.state === 'open' && (invoice.expiresAt ?? 0) > unixSeconds(clock))))
        return (await renderOpenInvoices(sources, [invoice]))[0];
      const row = invoice ? await findCredit(database, invoice.id) : found;
      return row && isOwn(row, { accountId }) ? (await renderRows(sources, [row]))[0] : undefined;
    },

    /** Returns the settled transactions of a period (Unix seconds, inclusive), oldest first, in pages, one for each turn. */
    async *statement({ ledgerAccount }: Wallet, { from, to }: { from: number; to: number }): AsyncGenerator<WalletTransaction[]> {
      const query = { status: 'settled', order: 'asc', fromMs: from * 1000, untilMs: to * 1000 + 999 } as const;
      for (let after: number | undefined = 0; after !== undefined; ) {
        const part: TransactionPart = await readTransactions(database, { ledgerAccount }, query, { after, limit: PER_TURN.rows });
        yield await completeRows(sources, part.rows);
        after = part.next?.position;
      }
    },

    /** Returns both sides of a transfer between two wallets. */
    async transfer(id: string): Promise<{ into: RenderedTransaction; out: RenderedTransaction }> {
      const sides = await findMany([walletTransactionId(id, 'from'), walletTransactionId(id, 'to')]);
      const [out, into] = [sides.find(({ num_msat }) => num_msat < 0), sides.find(({ num_msat }) => num_msat > 0)];
      invariant(out && into, `transfer ${id} is between wallets`);
      return { into, out };
    },

    /** Returns transfers between wallets by their ids, in the same order. */
    async transfersOut(ids: readonly string[]): Promise<TransferOut[]> {
      const rows = await findTransactions(
        database,
        ids.map((id) => walletTransactionId(id, 'from')),
      );
      const owners = await sources.wallets.ownersOf(rows.map(({ other_account }) => other_account ?? 0));
      const rowOf = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = rowOf.get(walletTransactionId(id, 'from'));
        const destinationId = owners.get(row?.other_account ?? 0);
        invariant(row && destinationId, `transfer ${id} is between wallets`);
        return { id, amountMsat: msat(-row.amount_msat), memo: row.label, destinationId, createdAt: Math.floor(row.placed_at_ms / 1000) };
      });
    },

    /** Returns the wallet transaction of a payment in any state. */
    async ofPayment({ transferId }: Payment): Promise<RenderedTransaction> {
      const [found] = await findMany([walletTransactionId(transferId, 'from')]);
      invariant(found, 'a payment has a wallet transaction');
      return found;
    },

    /** Returns wallets with their balances, by their ids. */
    fundedWallets: (ids: readonly string[]) => fundedWallets(sources, ids),

    /** Returns a lightning transaction of the owner by its id or payment hash (hex). */
    lightning: (idOrHash: string, owner: KeyOwner) => findLightning(sources, idOrHash, owner),
  };
}
