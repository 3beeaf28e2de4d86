import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import { AMOUNT, FIAT_AMOUNT, optionalAnyAmount, readAnyAmount } from '../../http/amounts.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import {
  CustomRecords,
  customRecordsHex,
  described,
  FeeLimit,
  KeyParams,
  NumSatoshis,
  PassThru,
  PaymentRequest,
  Pubkey,
  passThruText,
  passThruWith,
  publicKey,
  requestBody,
} from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { isDestination, payeeFields, readDestination } from '../lnurl/remote/destination.ts';
import { PaymentObject } from '../transactions/wallet-transaction-object.ts';
import { type PaymentRouteContext, runPayment } from './run-payment.ts';

export const OUTCOME =
  '201: the payment succeeded. 202: it is in flight or its outcome is unknown, and its money is held; poll `GET /v1/lntx/{id}` with the id of ' +
  '`lnTx` until `status` is not `pending`. 4xx: nothing was or will be paid; `payment_failed` names the reason. 500, a timeout or a lost ' +
  'connection: the outcome is unknown; send the same request again with the same `Idempotency-Key`.';

const withdrawSchema = {
  operationId: 'withdraw',
  tags: ['Money'],
  summary: 'Pay an invoice',
  description:
    'Pays a BOLT11 invoice. Paying the same invoice again from the same wallet returns the first payment. A Lightning address or an LNURL is ' +
    `paid as by payLnurl. ${OUTCOME}`,
  ...requires('wallet_withdraw'),
  params: KeyParams,
  body: requestBody({
    payment_request: described(PaymentRequest, 'A BOLT11 invoice, a Lightning address, or the LNURL of a pay link'),
    num_satoshis: Type.Optional(
      described(
        NumSatoshis,
        'The amount in whole satoshis. Unless `num_msat` is sent, it is required for an invoice without an amount, a Lightning address and an LNURL. ' +
          'For an invoice with an amount, it must be absent or equal that amount',
      ),
    ),
    num_msat: AMOUNT.num_msat,
    ...FIAT_AMOUNT,
    fee_limit_msat: Type.Optional(FeeLimit),
    passThru: Type.Optional(PassThru),
  }),
  response: { 201: PaymentObject, 202: PaymentObject },
};

const keysendSchema = {
  operationId: 'keysend',
  tags: ['Money'],
  summary: 'Pay a node without an invoice',
  description: `Sends money to a node by its public key. ${OUTCOME}`,
  ...requires('wallet_withdraw'),
  params: KeyParams,
  body: requestBody({
    dest_pubkey: Pubkey,
    ...AMOUNT,
    ...FIAT_AMOUNT,
    fee_limit_msat: Type.Optional(FeeLimit),
    custom_records: Type.Optional(CustomRecords),
    passThru: Type.Optional(PassThru),
  }),
  response: { 201: PaymentObject, 202: PaymentObject },
};

export function paymentRoutes(app: App, deps: PaymentRouteContext): void {
  for (const base of WALLET_BASES) {
    withdrawRoute(app, deps, base);
    keysendRoute(app, deps, base);
  }
}

function withdrawRoute(app: App, deps: PaymentRouteContext, base: string): void {
  const { access, payments, rates, remoteLinks } = deps;
  app.post(`${base}/withdraw`, { schema: withdrawSchema }, async (request, reply) => {
    const authorized = await access.authorizeWallet(request, 'wallet_withdraw');
    const { payment_request: invoice, passThru } = request.body;
    const readAmount = optionalAnyAmount(rates, request.body);
    if (!isDestination(invoice)) {
      const order = { invoice, passThru: passThruText(passThru), wtxType: 'ln_withdrawal' as const };
      return runPayment(deps, request, reply, authorized, async (common) =>
        payments.payInvoice({ ...common, ...order, ...(await readAmount?.()) }),
      );
    }
    const destination = readDestination(invoice, 'pay');
    if (readAmount === undefined)
      throw new Refusal(
        'validation_failed',
        '`num_satoshis` or `num_msat` must be given for a Lightning address or an LNURL, which has no amount.',
      );
    const order = { destination, passThru: passThruWith(passThru, payeeFields(destination)) };
    return runPayment(deps, request, reply, authorized, async (common) =>
      remoteLinks.pay({ ...common, ...order, ...(await readAmount()) }),
    );
  });
}

function keysendRoute(app: App, deps: PaymentRouteContext, base: string): void {
  app.post(`${base}/keysend`, { schema: keysendSchema }, async (request, reply) => {
    const authorized = await deps.access.authorizeWallet(request, 'wallet_withdraw');
    const { dest_pubkey, custom_records, passThru } = request.body;
    const readAmount = readAnyAmount(deps.rates, request.body);
    const destination = publicKey('dest_pubkey', dest_pubkey);
    return runPayment(deps, request, reply, authorized, async (common) =>
      deps.payments.keysend({
        ...common,
        destination,
        ...(await readAmount()),
        customRecords: customRecordsHex(custom_records),
        passThru: passThruWith(passThru, { method: 'api' }),
      }),
    );
  });
}
