import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Wallet } from '../../core/wallets/wallets.ts';
import type { Access } from './access.ts';

/** The filter `wallet_id` of an account's list. @param items what the list contains */
export function walletFilter(items: string) {
  return Type.Optional(Type.String({ maxLength: 128, description: `Only ${items} of this wallet: its id or one of its access keys` }));
}

/** Returns the wallet of the filter `wallet_id`, or the account. @throws Refusal `unauthorized`, `forbidden`, `not_found` */
export async function accountScope(
  access: Access,
  request: FastifyRequest & { query: { wallet_id?: string } },
): Promise<{ readonly wallet: Wallet } | { readonly accountId: string }> {
  const accountId = await access.account(request);
  const wallet = await filteredWallet(access, request, 'wallet_tx_read');
  return wallet ? { wallet } : { accountId };
}

/** Returns the wallet of the filter `wallet_id`; undefined without the filter. @throws Refusal `unauthorized`, `forbidden`, `not_found` */
export async function filteredWallet(
  access: Access,
  request: FastifyRequest & { query: { wallet_id?: string } },
  permission: Parameters<Access['walletByIdOrKey']>[2],
): Promise<Wallet | undefined> {
  const { wallet_id: walletId } = request.query;
  if (walletId === undefined) return undefined;
  const wallet = await access.walletByIdOrKey(request, walletId, permission);
  // The links of the response repeat the query, and a wallet may have been named by a key.
  request.query.wallet_id = wallet.id;
  return wallet;
}
