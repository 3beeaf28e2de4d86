import { Type } from 'typebox';
import { Refusal } from '../../kernel/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { WalletKeyKind, Wallets } from '../../wallets/wallets.ts';
import type { Access } from '../access.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import { KeyParams, plainText, UserLabel } from '../fields.ts';
import { type Objects, WalletObject } from '../objects.ts';
import { CursorQuery, nextHeaders, pageHeaders, readPage, refuseBoth } from '../paging.ts';

const KEY_NAMES: Record<WalletKeyKind, string> = {
  wallet_admin: 'Wallet Admin',
  wallet_invoice: 'Wallet Invoice',
  wallet_read: 'Wallet Read',
  wallet_lnurl_withdraw: 'Wallet LNURL Withdraw',
  wallet_lnurl_pay: 'Wallet LNURL Pay',
};

const NewWalletObject = Type.Object({
  ...WalletObject.properties,
  access_keys: Type.Record(Type.String(), Type.Array(Type.String()), { description: 'Shown this once' }),
});

const WalletBody = Type.Object(
  { user_label: Type.Optional(UserLabel), ln_node_id: Type.Optional(Type.String({ maxLength: 64 })) },
  { additionalProperties: false },
);

export function walletRoutes(app: App, deps: { access: Access; wallets: Wallets; ledger: Ledger; objects: Objects }): void {
  const { access, wallets, ledger, objects } = deps;

  app.get('/v1/wallets', { schema: { querystring: CursorQuery, response: { 200: Type.Array(WalletObject) } } }, async (request, reply) => {
    const accountId = await access.account(request);
    refuseBoth(request.query);
    const page = readPage(request.query);
    if (request.query.after !== undefined) {
      const after = await wallets.find(request.query.after);
      if (after?.accountId !== accountId) throw new Refusal('validation_failed', 'after is not the id of a wallet of this account.');
      const following = await wallets.listAfter(accountId, page.limit, after.id);
      const last = following.length < page.limit ? undefined : following.at(-1)?.wallet.id;
      nextHeaders(request, reply, page.limit, last);
      return following.map(({ wallet, balance }) => objects.wallet(wallet, balance));
    }
    const { wallets: listed, total } = await wallets.list(accountId, page.limit, page.offset);
    pageHeaders(request, reply, page, total);
    return listed.map(({ wallet, balance }) => objects.wallet(wallet, balance));
  });

  app.post('/v1/wallet', { schema: { body: WalletBody, response: { 201: NewWalletObject } } }, async (request, reply) => {
    const accountId = await access.account(request);
    objects.requireOurNode(request.body.ln_node_id);
    const { wallet, accessKeys } = await wallets.create(accountId, plainText('user_label', request.body.user_label ?? ''));
    const keys = Object.entries(accessKeys) as [WalletKeyKind, string][];
    return reply.code(201).send({
      ...objects.wallet(wallet, await ledger.balance(wallet.ledgerAccount)),
      access_keys: Object.fromEntries(keys.map(([kind, text]) => [KEY_NAMES[kind], [text]])),
    });
  });

  for (const base of WALLET_BASES) {
    app.get(base, { schema: { params: KeyParams, response: { 200: WalletObject } } }, async (request) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return objects.wallet(wallet, await ledger.balance(wallet.ledgerAccount));
    });
  }
}
