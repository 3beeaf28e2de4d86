import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Key } from '../../core/accounts/accounts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { HoldInvoices } from '../../core/hold-invoices/hold-invoices.ts';
import type { NewInvoice } from '../../core/invoices/create.ts';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { isId } from '../../core/kernel/ids.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { Guard } from '../../core/ledger/ledger.ts';
import type { Rates } from '../../core/rates/rates.ts';
import { AMOUNT, FIAT_AMOUNT, optionalAnyAmount } from '../../http/amounts.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../http/app-type.ts';
import { requirePermission } from '../../http/auth/access.ts';
import {
  described,
  Expiry,
  KeyParams,
  Memo,
  memoText,
  NumSatoshisOrAny,
  PassThru,
  passThruText,
  requestBody,
  WaitQuery,
} from '../../http/fields.ts';
import type { RateLimits } from '../../http/limits/rate-limits.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { lightningUri, QR_RESPONSE, QrFormat, sendQr } from '../../http/pages/qr.ts';
import type { StatusWaits } from '../events/status-waits.ts';
import type { FoundLightning } from '../transactions/find-lightning.ts';
import type { History } from '../transactions/history.ts';
import {
  CreatedInvoiceObject,
  LightningTransactionDetailsObject,
  LightningTransactionObject,
} from '../transactions/lightning-transaction-object.ts';
import type { Objects } from '../transactions/objects.ts';
import { invoicePageUrl, statusUrl } from './status-routes.ts';

const DEFAULT_EXPIRY_SECONDS = 86_400;

const InvoiceBody = requestBody({
  num_satoshis: Type.Optional(NumSatoshisOrAny),
  num_msat: AMOUNT.num_msat,
  ...FIAT_AMOUNT,
  memo: Type.Optional(described(Memo, 'The description in the invoice, which the payer sees. At most 639 bytes in UTF-8')),
  description_hash: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The SHA-256 of a longer description: 64 hexadecimal characters, or 32 bytes in base64. The invoice contains it instead of `memo`',
    }),
  ),
  expiry: Type.Optional(described(Expiry, 'How long the invoice can be paid, in seconds. Default: 86400, one day')),
  passThru: Type.Optional(PassThru),
  hold_hash: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        'Makes it a hold invoice: the SHA-256 of a preimage that only you know, 64 hexadecimal characters. Its payment waits until you settle it with ' +
        'the preimage, or cancel it',
    }),
  ),
});

const createSchema = {
  operationId: 'createInvoice',
  tags: ['Money'],
  summary: 'Create an invoice',
  description: 'Returns a BOLT11 invoice in `payment_request`. Its payment is credited to the wallet.',
  ...requires('wallet_deposit'),
  params: KeyParams,
  body: InvoiceBody,
  response: { 201: CreatedInvoiceObject },
};

const getSchema = {
  operationId: 'getLightningTransaction',
  tags: ['History'],
  summary: 'Read a Lightning transaction',
  description:
    'Returns an invoice or an outgoing payment. To learn the outcome of a 202, repeat the request, best with `wait`, until `status` is ' +
    'neither `open`, `pending` nor `arriving`. A public API key sees it without preimage, `passThru` and custom records.',
  ...requires('any_key'),
  params: Type.Object({
    id: Type.String({ description: 'The `lntx_` id, or the payment hash in hex' }),
  }),
  querystring: WaitQuery,
  response: { 200: LightningTransactionDetailsObject },
};

const qrSchema = {
  operationId: 'getInvoiceQr',
  tags: ['Money'],
  summary: 'Read an invoice as a QR code',
  description: 'Returns an image of the `payment_request`. In an `<img>` of a web page, send a public API key (pak_) as `access-token`.',
  ...requires('any_key'),
  params: Type.Object({
    id: Type.String({ description: 'The `lntx_` id, or the payment hash in hex' }),
    format: QrFormat,
  }),
  ...QR_RESPONSE,
};

const cancelSchema = {
  operationId: 'cancelInvoice',
  tags: ['Money'],
  summary: 'Cancel an open invoice',
  description:
    'Cancels it at the node first, so that it can no longer be paid. 400 `invoice_paid` when it has been paid or a payment is arriving.',
  ...requires('wallet_deposit'),
  params: Type.Object({ id: Type.String({ description: 'The `lntx_` id of the invoice' }) }),
  response: { 200: LightningTransactionObject },
};

const InvoiceParams = Type.Object({ id: Type.String({ description: 'The `lntx_` id of the invoice' }) });

const settleSchema = {
  operationId: 'settleHoldInvoice',
  tags: ['Money'],
  summary: 'Settle a hold invoice',
  description:
    'Takes the payment that waits, and credits it. 202 while that is not certain: the decision is stored, and is carried out as soon as ' +
    'possible. A repetition has no second effect. 400 `invoice_not_held` before a payment has arrived.',
  ...requires('wallet_deposit'),
  params: InvoiceParams,
  body: requestBody({
    preimage: Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'The 32 bytes, in hex, whose SHA-256 is the `hold_hash`' }),
  }),
  response: { 200: LightningTransactionObject, 202: LightningTransactionObject },
};

const cancelHoldSchema = {
  operationId: 'cancelHoldInvoice',
  tags: ['Money'],
  summary: 'Cancel a hold invoice',
  description:
    'Sends the payment that waits back to its payer, and cancels the invoice. 202 while the node has not confirmed it: the decision is stored. ' +
    'Also cancels any open invoice, like DELETE. 400 `invoice_paid` after it was settled.',
  ...requires('wallet_deposit'),
  params: InvoiceParams,
  response: { 200: LightningTransactionObject, 202: LightningTransactionObject },
};

interface InvoiceRouteContext extends RouteContext {
  readonly connections: Pick<NodeConnections, 'receivableMsat'>;
  readonly invoices: Invoices;
  readonly holdInvoices: HoldInvoices;
  readonly rates: Rates;
  readonly history: History;
  readonly objects: Objects;
  readonly limits: RateLimits;
  readonly waits: StatusWaits;
  readonly publicUrl: string;
}

export function invoiceRoutes(app: App, deps: InvoiceRouteContext): void {
  const { access, runIdempotent, invoices, rates, objects, publicUrl, connections } = deps;

  for (const base of WALLET_BASES) {
    app.post(`${base}/invoice`, { schema: createSchema }, async (request, reply) => {
      const { wallet, guards, credential } = await access.authorizeWallet(request, 'wallet_deposit');
      const readAmount = optionalAnyAmount(rates, request.body);
      const order = { wallet, guards, ...invoiceOrder(request.body) };
      const invoice = await runIdempotent(
        request,
        reply,
        { credential, walletId: wallet.id },
        {
          async make({ rows }) {
            const { amountMsat, fiat } = (await readAmount?.()) ?? {};
            return invoices.create({ ...order, amountMsat, fiat, extraRows: (id) => rows(id) });
          },
          async replay(id) {
            const made = await invoices.find(id);
            invariant(made, `invoice ${id} is gone`);
            return made;
          },
        },
      );
      return reply.code(201).send({
        ...objects.invoice(invoice),
        receivable_msat: receivableBelow(connections, invoice),
        status_url: statusUrl(publicUrl, invoice),
        page_url: invoicePageUrl(publicUrl, invoice),
      });
    });
  }

  lntxRoutes(app, deps);
}

/** Returns what the node can receive now, if that is less than the amount of an invoice. */
function receivableBelow(connections: InvoiceRouteContext['connections'], { nodeId, amountMsat }: Invoice): number | null {
  const receivableMsat = connections.receivableMsat(nodeId);
  return receivableMsat !== undefined && amountMsat !== undefined && amountMsat > receivableMsat ? receivableMsat : null;
}

function lntxRoutes(app: App, deps: InvoiceRouteContext): void {
  const { access, runIdempotent, invoices, history, objects, limits, waits } = deps;

  app.get('/v1/lntx/:id', { schema: getSchema }, async (request, reply) => {
    const key = await access.anyKey(request);
    const read = () => history.lightning(request.params.id, key);
    // An unknown one and one of another account get the same response.
    const found = requireFound(await read());
    const view = visibleTo(key, found);
    const { wait } = request.query;
    if (wait === undefined) return view;
    const name = `${request.params.id} ${key.accountId} ${key.walletId ?? ''}`;
    return visibleTo(key, await waits.wait(request, reply, wait, { known: found, name, read }));
  });

  app.get('/v1/lntx/:id/qr.:format', { schema: qrSchema }, async (request, reply) => {
    const { id, format } = request.params;
    const found = await history.lightning(id, await access.anyKey(request));
    const invoice = found && (await invoices.find(found.transaction.id));
    if (!invoice || invoice.isKeysend) throw new Refusal('not_found', 'There is no such invoice of this service.');
    limits.admitQrCode(request);
    return sendQr(request, reply, format, lightningUri(invoice.paymentRequest));
  });

  /** Returns the invoice of a request that decides about it. @throws Refusal */
  async function authorizeDecision(request: FastifyRequest, id: string) {
    const found = isId(id) ? await history.lightning(id, await access.anyKey(request)) : undefined;
    const { guards, credential } = await access.authorizeWalletId(request, found?.walletId, 'wallet_deposit');
    const invoice = await invoices.find(id);
    if (!invoice) throw new Refusal('validation_failed', 'This is a payment; only an invoice can be settled or cancelled.');
    return { invoice, guards, credential };
  }

  app.delete('/v1/lntx/:id', { schema: cancelSchema }, async (request) => {
    const { invoice, guards } = await authorizeDecision(request, request.params.id);
    return objects.invoice(await deps.holdInvoices.cancel(invoice, guards));
  });

  const decide = async (request: FastifyRequest<{ Params: Static<typeof InvoiceParams> }>, reply: FastifyReply, work: DecisionWork) => {
    const { invoice, guards, credential } = await authorizeDecision(request, request.params.id);
    const scope = { credential, walletId: invoice.walletId, objectId: invoice.id };
    const after = await runIdempotent(request, reply, scope, {
      // The decision is stored with the invoice, so a repetition has the same outcome.
      async make({ saveExisting }) {
        const decided = await work(invoice, guards);
        await saveExisting(decided.id);
        return decided;
      },
      async replay(id) {
        const decided = await invoices.find(id);
        invariant(decided, `invoice ${id} is gone`);
        return decided;
      },
    });
    const isPending = after.state === 'open' || after.state === 'held' || after.state === 'arriving';
    return reply.code(isPending ? 202 : 200).send(objects.invoice(after));
  };

  app.post('/v1/lntx/:id/settle', { schema: settleSchema }, (request, reply) =>
    decide(request, reply, (invoice, guards) => deps.holdInvoices.settle(invoice, request.body.preimage.toLowerCase(), guards)),
  );

  app.post('/v1/lntx/:id/cancel', { schema: cancelHoldSchema }, (request, reply) =>
    decide(request, reply, (invoice, guards) => deps.holdInvoices.cancel(invoice, guards)),
  );
}

type DecisionWork = (invoice: Invoice, guards: readonly Guard[]) => Promise<Invoice>;

/** Returns the invoice that the body describes, without its amount. @throws Refusal */
function invoiceOrder(body: Static<typeof InvoiceBody>): Omit<NewInvoice, 'wallet' | 'amountMsat'> {
  const { memo, description_hash: hash, expiry, passThru, hold_hash: holdHash } = body;
  const text = passThruText(passThru);
  return {
    memo: memoText(memo),
    expirySeconds: expiry ?? DEFAULT_EXPIRY_SECONDS,
    wtxType: 'ln_deposit',
    ...(hash !== undefined && { descriptionHash: descriptionHashHex(hash) }),
    ...(text !== undefined && { passThru: text }),
    ...(holdHash !== undefined && { hold: { paymentHash: holdHash.toLowerCase() } }),
  };
}

/** Returns what a key may see of a lightning transaction: a public key sees no secrets and no other transaction. */
function visibleTo(key: Key, { transaction }: FoundLightning): FoundLightning['transaction'] {
  if (key.kind === 'public_api') {
    const { success_action, ...visible } = transaction;
    const secrets = { payment_preimage: null, passThru: null, custom_records: null, custom_records_json: null };
    return { ...visible, ...secrets, counterpart_id: null, held_msat: null, fee_limit_msat: null };
  }
  requirePermission(key.kind, 'wallet_tx_read');
  return transaction;
}

/** @throws Refusal when it is not 32 bytes in hex or base64. */
function descriptionHashHex(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 32 && /^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return bytes.toString('hex');
  throw new Refusal('validation_failed', '`description_hash` must be 32 bytes, as 64 hexadecimal characters or in base64.');
}
