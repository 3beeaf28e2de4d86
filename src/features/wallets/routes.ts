import { Type } from 'typebox';
import { keyGuards } from '../../core/accounts/accounts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Fees } from '../../core/fees/fees.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { mapList } from '../../core/kernel/list.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Balance, Ledger } from '../../core/ledger/ledger.ts';
import type { NewWallet, Wallet, WalletKeyKind, Wallets } from '../../core/wallets/wallets.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../http/app-type.ts';
import { ChangedLabel, choice, KeyParams, plainText, requestBody, requireNoKey, UserLabel } from '../../http/fields.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { NumberedListQuery, sendList } from '../../http/responses/list.ts';
import { CSV_FORMAT } from '../../http/responses/list-csv.ts';
import { namedObject } from '../../http/responses/response-types.ts';
import { renderWallet, WalletObject } from './wallet-object.ts';

const KEY_NAMES: Record<WalletKeyKind, string> = {
  wallet_admin: 'Wallet Admin',
  wallet_invoice: 'Wallet Invoice',
  wallet_read: 'Wallet Read',
  wallet_lnurl_withdraw: 'Wallet LNURL Withdraw',
  wallet_lnurl_pay: 'Wallet LNURL Pay',
};

const NewWalletObject = namedObject('NewWallet', {
  ...WalletObject.properties,
  access_keys: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'The access keys of the wallet, by kind. Only this response contains them: the service stores their hashes',
  }),
});

const WalletBody = requestBody({
  user_label: Type.Optional(UserLabel),
  ln_node_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The Lightning node of the wallet, `lnd_…`. Default: the active one with the fewest wallets; one that does not answer only if none does',
    }),
  ),
});

const WalletChangeBody = requestBody({
  user_label: Type.Optional(ChangedLabel),
  status: Type.Optional(choice(['active', 'inactive'], { description: '`inactive`: the wallet receives, but sends no money' })),
});

const ListQuery = Type.Object({
  ...NumberedListQuery.properties,
  ...CSV_FORMAT,
  id: Type.Optional(
    Type.String({
      mayBeEmpty: false,
      pattern: '^walx?_[0-9A-Za-z]{1,32}(,walx?_[0-9A-Za-z]{1,32}){0,99}$',
      rule: 'ids of wallets, at most 100, separated by commas',
      description: 'Only the wallets with these ids: at most 100, separated by commas. Ids of no wallet of the account are ignored',
    }),
  ),
  label: Type.Optional(
    Type.String({
      mayBeEmpty: false,
      maxLength: 255,
      description: 'Only wallets whose label contains this text, in upper or lower case. Not together with `page`',
    }),
  ),
  status: Type.Optional(choice(['active', 'inactive'], { description: 'Only wallets with this status. Not together with `page`' })),
});

const listSchema = {
  operationId: 'listWallets',
  tags: ['Wallets'],
  summary: 'List the wallets of the account',
  description:
    'A request with `label` or `status` looks at 20,000 wallets at most, so a page can be short although the header `Link` has a next one.',
  ...requires('account'),
  querystring: ListQuery,
  response: { 200: Type.Array(WalletObject) },
};

const createSchema = {
  ...MANAGES,
  errorStatuses: [409],
  operationId: 'createWallet',
  tags: ['Wallets'],
  summary: 'Create a wallet',
  description:
    'The response contains the access keys of the wallet; no later response does. They have no limits, so an API key with a budget or a ' +
    'maximum per payment may not create wallets: 403.',
  ...requires('account'),
  body: WalletBody,
  response: { 201: NewWalletObject },
};

const getSchema = {
  operationId: 'getWallet',
  tags: ['Wallets'],
  summary: 'Read a wallet and its balance',
  ...requires('wallet_read'),
  params: KeyParams,
  response: { 200: WalletObject },
};

const changeSchema = {
  ...MANAGES,
  operationId: 'changeWallet',
  tags: ['Wallets'],
  summary: 'Change a wallet',
  description: 'Changes the label, the status, or both. An inactive wallet receives, but sends no money. Its pay links cannot be paid.',
  ...requires('account'),
  params: KeyParams,
  body: WalletChangeBody,
  response: { 200: WalletObject },
};

type WalletRouteContext = RouteContext & {
  readonly wallets: Wallets;
  readonly ledger: Ledger;
  readonly fees: Fees;
  readonly connections: Pick<NodeConnections, 'spendableMsat'>;
};

export function walletRoutes(app: App, deps: WalletRouteContext): void {
  const { access, runIdempotent, wallets, ledger, fees, connections } = deps;

  async function render(wallet: Wallet) {
    const feeOf = await fees.feeFunction(wallet.id, 'ln_out');
    return renderWallet(wallet, await ledger.balance(wallet.ledgerAccount), {
      feeOf,
      nodeSpendableMsat: connections.spendableMsat(wallet.nodeId),
    });
  }

  listRoute(app, deps);

  app.post('/v1/wallet', { schema: createSchema }, async (request, reply) => {
    // The keys of the new wallet have no limits, so creating it is creating keys.
    const credential = await access.keyManager(request);
    const nodeId = request.body.ln_node_id;
    const label = plainText('user_label', request.body.user_label ?? '');
    const { wallet, accessKeys } = await runIdempotent(
      request,
      reply,
      { credential, hasSecret: true },
      {
        make: ({ rows }) =>
          wallets.create(credential.key.accountId, label, {
            guards: keyGuards(credential.key),
            nodeId,
            extraRows: ({ wallet: { id }, accessKeys }) => rows(id, accessKeys),
          }),
        async replay(id, secret) {
          const made = await wallets.find(id);
          invariant(made, `wallet ${id} is gone`);
          return { wallet: made, accessKeys: secret() as NewWallet['accessKeys'] };
        },
      },
    );
    const keys = Object.entries(accessKeys) as [WalletKeyKind, string][];
    return reply.code(201).send({
      ...(await render(wallet)),
      access_keys: Object.fromEntries(keys.map(([kind, text]) => [KEY_NAMES[kind], [text]])),
    });
  });

  for (const base of WALLET_BASES) {
    app.get(base, { schema: getSchema }, async (request) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return render(wallet);
    });

    app.patch(base, { schema: changeSchema }, async (request) => {
      await access.account(request);
      const { user_label, status } = request.body;
      const userLabel = user_label === undefined ? undefined : plainText('user_label', user_label);
      const { wallet: before, guards } = await access.authorizeWallet(request, 'wallet_read');
      const wallet = await wallets.change(before, { userLabel, status }, guards);
      return render(wallet);
    });
  }
}

function listRoute(app: App, { access, wallets, ledger, fees, connections }: WalletRouteContext): void {
  app.get('/v1/wallets', { schema: listSchema }, async (request, reply) => {
    const accountId = await access.account(request);
    const { page, id, label, status } = request.query;
    requireNoKey('`label`', label ?? '');
    const isSearch = label !== undefined || status !== undefined;
    if (page !== undefined && isSearch)
      throw new Refusal('validation_failed', 'Send either `page`, or `label` and `status`, not both. `after` continues the list.');
    const list = mapList(wallets.list(accountId, { ids: id?.split(','), label, status }), async (listed) => {
      const balances = await ledger.balances(listed.map(({ ledgerAccount }) => ledgerAccount));
      const feesOf = await Promise.all(listed.map(({ id }) => fees.feeFunction(id, 'ln_out')));
      return listed.map((wallet, index) =>
        renderWallet(wallet, balances[index] as Balance, {
          feeOf: feesOf[index],
          nodeSpendableMsat: connections.spendableMsat(wallet.nodeId),
        }),
      );
    });
    return sendList(request, reply, list, (object) => object, { allowsPages: !isSearch });
  });
}
