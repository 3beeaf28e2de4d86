import { Type } from 'typebox';
import type { Invoice } from '../../core/invoices/invoice.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { AMOUNT, FIAT_AMOUNT, readAnyAmount } from '../../http/amounts.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import {
  described,
  FeeLimit,
  KeyParams,
  Memo,
  memoText,
  PassThru,
  PositiveMsat,
  passThruWith,
  plainText,
  requestBody,
} from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { anyObject, namedObject, nullable } from '../../http/responses/response-types.ts';
import { type Destination, payeeFields, readDestination } from '../lnurl/remote/destination.ts';
import type { PayOffer } from '../lnurl/remote/offers.ts';
import type { RequestedWithdrawal } from '../lnurl/remote/remote-links.ts';
import { LightningTransactionObject } from '../transactions/lightning-transaction-object.ts';
import { PaymentObject } from '../transactions/wallet-transaction-object.ts';
import { OUTCOME } from './routes.ts';
import { type PaymentRouteContext, runPayment } from './run-payment.ts';

/** The longest LNURL, and some space around it. */
const MAX_LNURL = 4400;
const MAX_COMMENT = 1000;

const Lnurl = Type.String({
  maxLength: MAX_LNURL,
  description: 'An LNURL of another service, in any case, with or without `lightning:`, or a link with its own scheme',
});

const PayerData = anyObject(
  'What the payee asks about the payer (LUD-18): `name`, `email`, `identifier`, `pubkey`, each a text. The probe lists the names that the ' +
    'payee accepts and those that it requires; only these are allowed',
);

const probeSchema = {
  operationId: 'probePayLink',
  tags: ['LNURL'],
  summary: 'Read what a payee accepts',
  description:
    'Reads the parameters of an LNURL pay link or a Lightning address of another service (LUD-06, LUD-16), without paying. The texts are the ' +
    "payee's: escape them where you show them. A withdraw link is rejected; its holder can withdraw, so do not send it in this URL.",
  ...requires('any_key'),
  params: Type.Object({
    lnurl: Type.String({ description: 'An LNURL, an `lnurlp:` link, or a Lightning address' }),
  }),
  response: {
    200: namedObject('ProbedPayLink', {
      tag: Type.Literal('payRequest', { description: 'The kind of LNURL' }),
      domain: Type.String({ description: 'The host of the payee’s service' }),
      ln_address: nullable(Type.String({ description: 'The Lightning address in lower case; null for an LNURL' })),
      callback: Type.String({ description: 'The address that creates invoices' }),
      minSendable: Type.Integer({ description: 'The smallest amount in millisatoshis' }),
      maxSendable: Type.Integer({ description: 'The largest amount in millisatoshis' }),
      commentAllowed: Type.Integer({ description: 'The longest comment in characters; 0: none' }),
      payerData: nullable(anyObject('The data about the payer that the payee accepts (LUD-18): name → `{mandatory}`; null: none')),
      metadata: Type.Object(
        {
          text: Type.String({ description: 'What is paid, at most 1000 characters' }),
          long_desc: nullable(Type.String({ description: 'A longer description; null when there is none' })),
          identifier: nullable(
            Type.String({ description: 'The Lightning address or email address that the payee states; null when there is none' }),
          ),
          image: nullable(Type.String({ description: 'A PNG or JPEG image as a data URL; null when there is none' })),
        },
        { description: 'The description of the payee' },
      ),
    }),
  },
};

const probeWithdrawSchema = {
  operationId: 'probeWithdrawLink',
  tags: ['LNURL'],
  summary: 'Read what a withdraw link offers',
  description:
    'Reads the parameters of a withdraw link (LUD-03) of this or another service, without withdrawing. The description is that of the other ' +
    'service: escape it where you show it. The link is in the body, because its holder can withdraw, and proxies log URLs. For an LNURL of a pay ' +
    'link the error is `lnurl_invalid`, so send an LNURL of unknown kind here first.',
  ...requires('any_key'),
  body: requestBody({ lnurl: described(Lnurl, 'The LNURL of a withdraw link, or an `lnurlw:` link') }),
  response: {
    200: namedObject('ProbedWithdrawLink', {
      tag: Type.Literal('withdrawRequest', { description: 'The kind of LNURL' }),
      domain: Type.String({ description: 'The host of the service of the link' }),
      minWithdrawable: Type.Integer({ description: 'The smallest amount in millisatoshis' }),
      maxWithdrawable: Type.Integer({ description: 'The largest amount in millisatoshis' }),
      description: Type.String({ description: 'What is withdrawn, at most 150 characters; empty when the service states nothing' }),
    }),
  },
};

const paySchema = {
  operationId: 'payLnurl',
  tags: ['LNURL'],
  summary: 'Pay an LNURL or a Lightning address',
  description:
    'Requests an invoice from the payee’s service, checks that it is for exactly this amount and commits to `payer_data` if it was sent, and pays it. ' +
    'Each request without an `Idempotency-Key` is another payment. `ln_address` or `lnurl_domain`, and `comment`, are added to `passThru`. A ' +
    'comment that the payee does not accept is left out; `passThru.comment_not_sent` then has the reason. ' +
    OUTCOME,
  ...requires('wallet_withdraw'),
  params: KeyParams,
  body: requestBody({
    lnurlpay_encoded: Type.Optional(described(Lnurl, 'The LNURL of a pay link, or an `lnurlp:` link')),
    ln_address: Type.Optional(
      Type.String({
        maxLength: MAX_LNURL,
        description: 'A Lightning address. Send it or `lnurlpay_encoded`',
      }),
    ),
    ...AMOUNT,
    ...FIAT_AMOUNT,
    amt_msat: Type.Optional(described(PositiveMsat, 'The same as `num_msat`, for old clients')),
    comment: Type.Optional(
      Type.String({ maxLength: MAX_COMMENT, description: 'A text for the payee. Left out if it is longer than the payee allows' }),
    ),
    payer_data: Type.Optional(PayerData),
    fee_limit_msat: Type.Optional(FeeLimit),
    passThru: Type.Optional(PassThru),
  }),
  response: { 201: PaymentObject, 202: PaymentObject },
};

const pullSchema = {
  operationId: 'pullLnurl',
  tags: ['LNURL'],
  summary: 'Withdraw from a link of another service',
  description:
    'Creates an invoice of the wallet and sends it to the service of a withdraw link (LUD-03), which pays it later: poll `GET /v1/lntx/{id}` ' +
    'until `status` is neither `open` nor `arriving`. The other service may pay until the invoice expires after an hour, even if its response was ' +
    'lost. 400: it does not pay, and the invoice is cancelled.',
  ...requires('wallet_deposit'),
  params: KeyParams,
  body: requestBody({
    lnurl: described(Lnurl, 'The LNURL of a withdraw link, or an `lnurlw:` link'),
    ...AMOUNT,
    ...FIAT_AMOUNT,
    memo: Type.Optional(
      described(Memo, 'The description in the invoice. Default: the description of the link. At most 639 bytes in UTF-8'),
    ),
  }),
  response: { 201: LightningTransactionObject },
};

/** The routes by which wallets use links and addresses of other services. */
export function remoteLinkRoutes(app: App, deps: PaymentRouteContext): void {
  const { access, remoteLinks } = deps;
  app.get('/v1/lnurlp/probe/:lnurl', { schema: probeSchema }, async (request) => {
    const { accountId } = await access.anyKey(request);
    const destination = readDestination(request.params.lnurl, 'pay');
    return renderOffer(destination, await remoteLinks.probe(destination, accountId));
  });
  app.post('/v1/lnurlw/probe', { schema: probeWithdrawSchema, config: { isRead: true } }, async (request) => {
    const { accountId } = await access.anyKey(request);
    const offer = await remoteLinks.probeWithdrawal(readDestination(request.body.lnurl, 'withdraw'), accountId);
    const { domain, minWithdrawable, maxWithdrawable, description } = offer;
    return { tag: 'withdrawRequest' as const, domain, minWithdrawable, maxWithdrawable, description };
  });
  for (const base of WALLET_BASES) {
    payRoute(app, deps, base);
    pullRoute(app, deps, base);
  }
}

function renderOffer({ address }: Destination, { callback, description, ...offer }: PayOffer) {
  return { ...offer, tag: 'payRequest' as const, ln_address: address ?? null, callback: callback.href, metadata: description };
}

function payRoute(app: App, deps: PaymentRouteContext, base: string): void {
  app.post(`${base}/lnurlp/pay`, { schema: paySchema }, async (request, reply) => {
    const authorized = await deps.access.authorizeWallet(request, 'wallet_withdraw');
    const { lnurlpay_encoded: lnurl, ln_address: address, comment, payer_data, passThru } = request.body;
    const text = lnurl ?? address;
    if (text === undefined || (lnurl !== undefined && address !== undefined))
      throw new Refusal('validation_failed', 'Send either `lnurlpay_encoded` or `ln_address`.');
    const destination = readDestination(text, 'pay');
    const message = comment === undefined ? undefined : commentText(comment);
    const readAmountNow = readAnyAmount(deps.rates, request.body);
    const order = {
      destination,
      comment: message,
      payerData: readPayerData(payer_data),
      passThru: passThruWith(passThru, payeeFields(destination, message)),
    };
    return runPayment(deps, request, reply, authorized, async (common) =>
      deps.remoteLinks.pay({ ...common, ...order, ...(await readAmountNow()) }),
    );
  });
}

/** @throws Refusal for a comment that no payee can show. */
function commentText(text: string): string {
  if (!/[^\P{Cc}\n]/u.test(text)) return plainText('comment', text);
  throw new Refusal('validation_failed', '`comment` must not contain control characters.');
}

const PAYER_FIELDS: ReadonlySet<string> = new Set(['name', 'email', 'identifier', 'pubkey']);
const MAX_PAYER_TEXT = 255;

/** @throws Refusal naming the field. */
function readPayerData(data: object | undefined): Record<string, string> | undefined {
  if (data === undefined) return undefined;
  for (const [name, value] of Object.entries(data)) {
    if (!PAYER_FIELDS.has(name))
      throw new Refusal('validation_failed', '`payer_data` must contain only `name`, `email`, `identifier` and `pubkey`.');
    if (typeof value !== 'string' || value === '' || value.length > MAX_PAYER_TEXT || /\p{Cc}/u.test(plainText('payer_data', value)))
      throw new Refusal(
        'validation_failed',
        `\`${name}\` in \`payer_data\` must be a text of 1 to ${MAX_PAYER_TEXT} characters without control characters.`,
      );
  }
  return data as Record<string, string>;
}

function pullRoute(app: App, deps: PaymentRouteContext, base: string): void {
  const { access, runIdempotent, remoteLinks, invoices, objects } = deps;
  app.post(`${base}/lnurl/pull`, { schema: pullSchema }, async (request, reply) => {
    const { wallet, guards, credential } = await access.authorizeWallet(request, 'wallet_deposit');
    const { lnurl, memo } = request.body;
    const destination = readDestination(lnurl, 'withdraw');
    const readAmount = readAnyAmount(deps.rates, request.body);
    const order = {
      wallet,
      guards,
      destination,
      memo: memo === undefined ? undefined : memoText(memo),
    };
    const scope = { credential, walletId: wallet.id };
    const { invoice, refusal } = await runIdempotent<RequestedWithdrawal>(request, reply, scope, {
      make: async ({ rows }) => remoteLinks.pull({ ...order, ...(await readAmount()), extraRows: rows }),
      async replay(id) {
        const made = await invoices.find(id);
        invariant(made, `invoice ${id} is gone`);
        return { invoice: made, refusal: made.state === 'canceled' ? refusedBefore(made) : undefined };
      },
    });
    // Not thrown inside, where a refusal means that nothing was stored.
    if (refusal) throw refusal;
    return reply.code(201).send(objects.invoice(invoice));
  });
}

function refusedBefore({ id }: Invoice): Refusal {
  return new Refusal('lnurl_refused', `An earlier request with this Idempotency-Key was refused, or its invoice ${id} was cancelled.`);
}
