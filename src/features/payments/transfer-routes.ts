import { Type } from 'typebox';
import { termsOfKey } from '../../core/accounts/accounts.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { AMOUNT, FIAT_AMOUNT, readAnyAmount } from '../../http/amounts.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import { described, KeyParams, Memo, memoText, PassThru, passThruText, requestBody } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { anyObject, namedObject } from '../../http/responses/response-types.ts';
import { transactionFromTransfer } from '../transactions/wallet-transaction.ts';
import { hideWallet, OtherSideObject, WalletTransactionObject } from '../transactions/wallet-transaction-object.ts';
import type { PaymentRouteContext } from './run-payment.ts';

/** The wallet that receives a transfer. */
export const DestinationWallet = Type.String({ maxLength: 128, description: 'The id or an access key of a wallet of the same account' });

const TransferBody = requestBody({
  dest_wallet_id: DestinationWallet,
  ...AMOUNT,
  ...FIAT_AMOUNT,
  memo: Type.Optional(described(Memo, 'The label of both transactions. At most 639 bytes in UTF-8')),
  passThru: Type.Optional(PassThru),
  lnPayParams: Type.Optional(
    described(PassThru, 'Another JSON object of your own, for old clients: `passThru` contains it under this name'),
  ),
});

const TransferObject = namedObject('Transfer', {
  wtx_transfer_in: described(OtherSideObject, 'The transaction of the wallet that received the money'),
  wtx_transfer_out: described(WalletTransactionObject, 'The transaction of the wallet that sent the money'),
  passThru: anyObject('The `passThru` of both transactions'),
  source_wallet_id: Type.String({ description: 'The wallet that sent the money, `wal_…`' }),
  dest_wallet_id: Type.String({ description: 'The wallet that received the money, `wal_…`' }),
});

/** The schema of `POST …/transfer`. */
export const transferSchema = {
  operationId: 'transfer',
  tags: ['Money'],
  summary: 'Move money to another wallet of the account',
  description:
    'Is complete at once: both wallets change, or neither. It has no routing fee. The `passThru` of both transactions contains the two wallet ids ' +
    'and `lnPayParams`. A key of one wallet sees only the `id` of the other wallet.',
  ...requires('wallet_transfer'),
  params: KeyParams,
  body: TransferBody,
  response: { 201: TransferObject },
};

export function unknownDestination(): Refusal {
  return new Refusal('not_found', '`dest_wallet_id` must be the id or an access key of a wallet of this account.');
}

export function transferRoutes(app: App, deps: PaymentRouteContext): void {
  for (const base of WALLET_BASES) transferRoute(app, deps, base);
}

function transferRoute(app: App, deps: PaymentRouteContext, base: string): void {
  const { access, wallets, payments, history, objects } = deps;
  app.post(`${base}/transfer`, { schema: transferSchema }, async (request, reply) => {
    const { wallet: source, guards, credential } = await access.authorizeWallet(request, 'wallet_transfer');
    const { dest_wallet_id, memo, passThru, lnPayParams } = request.body;
    const extra = lnPayParams === undefined ? {} : { lnPayParams };
    const readAmount = readAnyAmount(deps.rates, request.body);
    const order = {
      source,
      memo: memo === undefined ? undefined : memoText(memo),
      passThru: passThruText(passThru === undefined && lnPayParams === undefined ? undefined : { ...passThru, ...extra }),
      guards,
      ...termsOfKey(credential.key),
    };
    const scope = { credential, walletId: source.id };
    const { destination, into, out } = await deps.runIdempotent(request, reply, scope, {
      async make({ rows }) {
        const named = (await wallets.resolve(dest_wallet_id))?.wallet;
        if (named?.accountId !== source.accountId) throw unknownDestination();
        const extraRows = (id: string) => rows(`${id} ${named.id}`);
        const amount = await readAmount();
        const receipt = await payments.transfer({ ...order, ...amount, destination: named, extraRows });
        const fiat = amount.fiat && JSON.stringify(amount.fiat);
        // Rendered from the receipt, so that nothing has to be read back.
        return {
          destination: named,
          into: objects.walletTransaction(transactionFromTransfer(receipt, 'to', named, { otherWalletId: source.id, fiat })),
          out: objects.walletTransaction(transactionFromTransfer(receipt, 'from', source, { otherWalletId: named.id, fiat })),
        };
      },
      async replay(made) {
        // The key that named the destination may be gone; the wallet is not.
        const [id = '', walletId = ''] = made.split(' ');
        const named = await wallets.find(walletId);
        invariant(named, `wallet ${walletId} is gone`);
        return { destination: named, ...(await history.transfer(id)) };
      },
    });
    return reply.code(201).send({
      // The key of one wallet does not see what is in another.
      wtx_transfer_in: credential.key.walletId === undefined ? into : hideWallet(into),
      wtx_transfer_out: out,
      passThru: out.passThru,
      source_wallet_id: source.id,
      dest_wallet_id: destination.id,
    });
  });
}
