import { Type } from 'typebox';
import type { History } from '../../history/history.ts';
import type { Access } from '../access.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import { KeyParams } from '../fields.ts';
import { type Objects, WalletTransactionObject } from '../objects.ts';
import { PageQuery, pageHeaders, readPage } from '../paging.ts';

export function transactionRoutes(app: App, deps: { access: Access; history: History; objects: Objects }): void {
  const { access, history, objects } = deps;
  const schema = { params: KeyParams, querystring: PageQuery, response: { 200: Type.Array(WalletTransactionObject) } };

  for (const base of WALLET_BASES) {
    app.get(`${base}/transactions`, { schema }, async (request, reply) => {
      const wallet = await access.wallet(request, 'wallet_tx_read');
      const page = readPage(request.query);
      const { transactions, total } = await history.page(wallet, page.limit, page.offset);
      pageHeaders(request, reply, page, total);
      return transactions.map(objects.walletTransaction);
    });
  }
}
