import { Type } from 'typebox';
import { type App, WALLET_BASES } from '../../../http/app-type.ts';
import { described, NumSatoshis } from '../../../http/fields.ts';
import type { RateLimits } from '../../../http/limits/rate-limits.ts';
import { PUBLIC } from '../../../http/openapi/route-schema.ts';
import { acceptsPage } from '../../../http/pages/page.ts';
import { QR_RESPONSE, QrFormat, sendLnurlQr } from '../../../http/pages/qr.ts';
import { LnurlError, PUBLIC_LNURL } from '../lnurl.ts';
import { sendWithdrawPage } from '../page.ts';
import type { WithdrawLinks } from './withdraw-links.ts';

const LnurlOk = Type.Object(
  { status: Type.Literal('OK', { description: 'Always `OK`' }) },
  { title: 'LnurlOk', description: 'With `pr`: the invoice is being paid, or this link has paid it' },
);

const WithdrawOffer = Type.Object(
  {
    tag: Type.Literal('withdrawRequest', { description: 'The kind of LNURL' }),
    callback: Type.String({ description: 'The address to which the claiming wallet sends `k1` and `pr`' }),
    k1: Type.String({ description: 'A value to send back with `pr`' }),
    defaultDescription: Type.String({ description: 'The memo of the link' }),
    minWithdrawable: Type.Integer({ description: 'The smallest amount in millisatoshis' }),
    maxWithdrawable: Type.Integer({ description: 'The largest amount in millisatoshis' }),
    balanceCheck: Type.Optional(
      Type.String({
        description:
          'The address to read later what can be withdrawn (LUD-14). It changes every 30 days and works for at least 360. Absent when the ' +
          'request had no `ott`',
      }),
    ),
    currentBalance: Type.Optional(
      Type.Integer({
        description: 'The millisatoshis that all claims together can withdraw (LUD-14), if that is more than `maxWithdrawable`',
      }),
    ),
    payLink: Type.Optional(
      Type.String({
        description:
          'The `lnurlp://` address of the pay link that was created with the wallet (LUD-19). Absent when the link is inactive, or the service has ' +
          'neither https nor an onion address',
      }),
    ),
  },
  { title: 'WithdrawOffer', description: 'Without `pr`: step 1 of LUD-03' },
);

const processSchema = {
  ...PUBLIC_LNURL,
  operationId: 'processWithdrawLink',
  summary: 'Claim a withdraw link',
  description:
    'The address of the link (LUD-03), which the claiming wallet calls. Without `pr` it returns what can be withdrawn. With `pr` it pays that ' +
    'invoice; the same `pr` again returns OK and pays nothing more. Every error is HTTP 200 in the form of LNURL.',
  params: Type.Object({
    key: Type.String({ description: 'The `waklw_` key of the wallet. It identifies the wallet and is not a secret' }),
  }),
  querystring: Type.Partial(
    Type.Object({
      ott: Type.String({ minLength: 1, maxLength: 128, description: 'The token of the link' }),
      num_satoshis: described(NumSatoshis, 'A lower limit for this claim, in whole satoshis; it cannot raise the limit of the link'),
      k1: Type.String({ maxLength: 128, description: 'The `k1` of step 1. It identifies the link when `ott` is absent' }),
      pr: Type.String({ maxLength: 8000, description: 'The BOLT11 invoice to pay (step 2)' }),
      balanceNotify: Type.String({
        maxLength: 2048,
        description:
          'With `pr`: an address of the claiming wallet (LUD-15). The service sends it a POST without a body when more can be withdrawn with ' +
          'the link. Ignored for a link with one use',
      }),
    }),
  ),
  documentedResponse: { 200: Type.Union([WithdrawOffer, LnurlOk, LnurlError]) },
};

const qrSchema = {
  operationId: 'getWithdrawLinkQr',
  tags: ['LNURL'],
  summary: 'Read a withdraw link as a QR code',
  description: 'The address of the link with `/qr.svg` or `/qr.png` after its path and the same query.',
  ...PUBLIC,
  params: Type.Object({ ...processSchema.params.properties, format: QrFormat }),
  querystring: Type.Pick(processSchema.querystring, ['ott', 'num_satoshis', 'k1']),
  ...QR_RESPONSE,
};

/** The public address of withdraw links. */
export function claimRoutes(app: App, { links, limits }: { links: WithdrawLinks; limits: RateLimits }): void {
  const route = { schema: processSchema, exposeHeadRoute: false, config: { lnurl: true, hasSideEffect: true } };
  for (const base of WALLET_BASES) {
    app.get(`${base}/lnurl-process`, route, async (request, reply) => {
      const claim = { ...request.query, ...request.params };
      if (claim.pr !== undefined) {
        await links.claim(claim, claim.pr);
        return { status: 'OK' };
      }
      const offer = await links.claimParameters(claim);
      if (!acceptsPage(request)) return offer;
      limits.admitQrCode(request);
      return sendWithdrawPage(request, reply, offer);
    });

    app.get(`${base}/lnurl-process/qr.:format`, { schema: qrSchema, config: { isPublic: true } }, async (request, reply) => {
      limits.admitQrCode(request);
      const offer = await links.claimParameters({ ...request.query, ...request.params });
      return sendLnurlQr(request, reply, request.params.format, offer.callback);
    });
  }
}
