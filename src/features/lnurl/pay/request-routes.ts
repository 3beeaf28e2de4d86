import { Type } from 'typebox';
import { MAX_MSAT } from '../../../core/kernel/money.ts';
import { type App, WALLET_BASES } from '../../../http/app-type.ts';
import type { RateLimits } from '../../../http/limits/rate-limits.ts';
import { PUBLIC } from '../../../http/openapi/route-schema.ts';
import { acceptsPage } from '../../../http/pages/page.ts';
import { QR_RESPONSE, QrFormat, sendLnurlQr } from '../../../http/pages/qr.ts';
import { anyObject } from '../../../http/responses/response-types.ts';
import { LnurlError, PUBLIC_LNURL } from '../lnurl.ts';
import { redirectToPage } from '../page.ts';
import type { PayLinks } from './pay-links.ts';

const PayOffer = Type.Object(
  {
    tag: Type.Literal('payRequest', { description: 'The kind of LNURL' }),
    callback: Type.String({ description: 'The address to which the paying wallet sends `amount`' }),
    minSendable: Type.Integer({ description: 'The smallest amount in millisatoshis' }),
    maxSendable: Type.Integer({ description: 'The largest amount in millisatoshis' }),
    metadata: Type.String({ description: 'JSON text: pairs of a type and a text for the payer. The invoice contains its SHA-256' }),
    commentAllowed: Type.Optional(Type.Integer({ description: 'The maximum length of a comment, in characters (LUD-12)' })),
    payerData: Type.Optional(anyObject('Which data the payer may or must send (LUD-18)')),
    allowsNostr: Type.Optional(Type.Literal(true, { description: 'Present if the payer may send `nostr`, a zap request (NIP-57)' })),
    nostrPubkey: Type.Optional(Type.String({ description: 'The author of the receipts of zaps: a Nostr public key in hex' })),
  },
  { title: 'PayOffer', description: 'Without `amount`: step 1 of LUD-06' },
);

const PayInvoiceObject = Type.Object(
  {
    status: Type.Literal('OK', { description: 'Always `OK`' }),
    pr: Type.String({ description: 'The BOLT11 invoice' }),
    routes: Type.Array(Type.Object({}), { description: 'Always empty' }),
    disposable: Type.Literal(false, { description: 'Always false: the link can be paid again (LUD-11)' }),
    verify: Type.String({ description: 'The address that returns whether the invoice is paid (LUD-21)' }),
    successAction: Type.Optional(anyObject('What the payer sees after paying (LUD-09, LUD-10)')),
  },
  { title: 'PayInvoice', description: 'With `amount`: step 2 of LUD-06' },
);

const PaymentState = Type.Object(
  {
    status: Type.Literal('OK', { description: 'Always `OK`' }),
    settled: Type.Boolean({ description: 'Whether the invoice is paid' }),
    preimage: Type.Union([Type.String(), Type.Null()], { description: 'The proof of payment, in hex; null until the invoice is paid' }),
    pr: Type.String({ description: 'The BOLT11 invoice' }),
  },
  { title: 'PayVerification', description: 'The state of the invoice' },
);

const HTTP_200 = 'Every error is HTTP 200 in the form of LNURL.';

const paySchema = {
  ...PUBLIC_LNURL,
  operationId: 'payLink',
  summary: 'Request an invoice of a pay link',
  description:
    'The address of the link (LUD-06), which the paying wallet calls. Without `amount` it returns what can be paid. With `amount` it creates ' +
    `an invoice, which expires after ten minutes. ${HTTP_200}`,
  params: Type.Object({
    key: Type.String({ description: 'The `waklp_` key of the wallet. It identifies the wallet and is not a secret' }),
    id: Type.String({ description: 'The `lnurlp_` id of the pay link. `+tag` after it is the tag of an address' }),
  }),
  querystring: Type.Partial(
    Type.Object({
      amount: Type.Integer({ minimum: 1, maximum: MAX_MSAT, unit: 'millisatoshis', description: 'The amount in millisatoshis' }),
      comment: Type.String({ maxLength: 2000, description: 'A comment for the payee (LUD-12)' }),
      payerdata: Type.String({ maxLength: 4000, description: 'JSON text: data of the payer (LUD-18)' }),
      nostr: Type.String({
        maxLength: 4096,
        description: 'JSON text: a zap request (NIP-57). The invoice then contains its SHA-256, and a receipt of the payment is published',
      }),
      nonce: Type.String({ maxLength: 128, description: 'Sent by some wallets against caches; ignored' }),
    }),
  ),
  documentedResponse: { 200: Type.Union([PayOffer, PayInvoiceObject, LnurlError]) },
};

const addressSchema = {
  ...PUBLIC_LNURL,
  operationId: 'payAddress',
  summary: 'Find the pay link of a Lightning address',
  description:
    'Returns what can be paid to the address `name@domain` (LUD-16), in upper or lower case. The Host header selects one of the domains of the ' +
    `service. \`name+tag\` is the address \`name\`; the payment gets the tag as \`passThru.address_tag\`. ${HTTP_200}`,
  params: Type.Object({ name: Type.String({ description: 'The name of the address' }) }),
  documentedResponse: { 200: Type.Union([PayOffer, LnurlError]) },
};

const verifySchema = {
  ...PUBLIC_LNURL,
  operationId: 'verifyPayment',
  summary: 'Check whether an invoice of a pay link is paid',
  description: `For the payer and those to whom the payer gives the address (LUD-21). ${HTTP_200}`,
  params: Type.Object({ token: Type.String({ description: 'The token from `verify` of the invoice' }) }),
  documentedResponse: { 200: Type.Union([PaymentState, LnurlError]) },
};

const qrSchema = {
  operationId: 'getPayLinkQr',
  tags: ['LNURL'],
  summary: 'Read a pay link as a QR code',
  description: 'The address of the link with `/qr.svg` or `/qr.png` after its path.',
  ...PUBLIC,
  params: Type.Object({ ...paySchema.params.properties, format: QrFormat }),
  ...QR_RESPONSE,
};

/** The public routes that payers' wallets call. */
export function payRequestRoutes(app: App, { payLinks, limits }: { payLinks: PayLinks; limits: RateLimits }): void {
  const payRoute = { schema: paySchema, exposeHeadRoute: false, config: { lnurl: true, hasSideEffect: true } };
  for (const base of WALLET_BASES) {
    app.get(`${base}/lnurlp/:id`, payRoute, async (request, reply) => {
      const { params, query } = request;
      if (query.amount === undefined) {
        if (acceptsPage(request)) return redirectToPage(reply, await payLinks.pageUrl(params));
        return payLinks.payParameters(params);
      }
      limits.admitInvoiceRequest(request, params.key);
      return payLinks.createPayInvoice(params, { ...query, amount: query.amount }, request.ip);
    });

    app.get(`${base}/lnurlp/:id/qr.:format`, { schema: qrSchema, config: { isPublic: true } }, async (request, reply) => {
      limits.admitQrCode(request);
      return sendLnurlQr(request, reply, request.params.format, await payLinks.callback(request.params));
    });
  }

  app.get('/.well-known/lnurlp/:name', { schema: addressSchema, config: { lnurl: true } }, async (request, reply) => {
    const { params, headers } = request;
    if (acceptsPage(request)) return redirectToPage(reply, await payLinks.addressPageUrl(params.name, headers.host));
    return payLinks.addressParameters(params.name, headers.host);
  });

  app.get('/@:name', { config: { undocumented: true, lnurl: true } }, async (request, reply) => {
    const { name } = request.params as { name: string };
    return redirectToPage(reply, await payLinks.addressPageUrl(name, request.headers.host));
  });

  app.get('/v1/lnurlp/verify/:token', { schema: verifySchema, config: { lnurl: true } }, (request) =>
    payLinks.verifyPayment(request.params.token),
  );
}
