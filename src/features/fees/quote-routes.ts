import { Type } from 'typebox';
import type { FeeDirection } from '../../core/fees/fee-rule.ts';
import type { Fees } from '../../core/fees/fees.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { type Msat, msat, ZERO_MSAT } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { feeLimit, PAYMENT_FEE_RULE } from '../../core/payments/fee-limit.ts';
import type { Payments } from '../../core/payments/payments.ts';
import { AMOUNT, optionalAmount } from '../../http/amounts.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../http/app-type.ts';
import { choice, described, KeyParams, PaymentRequest } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { FeeScheduleObject, renderSchedule } from './fee-object.ts';

const DIRECTIONS = ['ln_out', 'ln_in', 'internal'] as const satisfies readonly FeeDirection[];

type Direction = (typeof DIRECTIONS)[number];

const QuoteObject = namedObject('Quote', {
  direction: oneOf(DIRECTIONS, { description: 'What the fee is charged for' }),
  amount_msat: Type.Integer({ description: 'The amount in millisatoshis' }),
  service_fee_msat: Type.Integer({ description: 'The fee of this service in millisatoshis' }),
  fee_limit_msat: Type.Integer({
    description: 'The default limit for routing fees in millisatoshis, of which only the real cost is charged; 0 without routing',
  }),
  total_msat: Type.Integer({
    description: 'Millisatoshis that the wallet pays at most, with both fees. For money that arrives: what it is credited',
  }),
  fee_schedule_id: nullable(Type.String({ description: 'The schedule that requires the fee, `fee_…`; null if there is none' })),
});

const QuoteQuery = Type.Object({
  ...AMOUNT,
  payment_request: Type.Optional(
    described(PaymentRequest, 'A BOLT11 invoice to be paid. It decides the direction, and the amount if it has one'),
  ),
  direction: Type.Optional(
    choice(DIRECTIONS, { description: 'Without `payment_request`: what the fee is charged for. Default: `ln_out`' }),
  ),
});

export interface QuoteRouteContext extends RouteContext {
  readonly fees: Fees;
  readonly invoices: Invoices;
  readonly payments: Payments;
}

/** Routes with which a wallet reads its fees before it pays. */
export function quoteRoutes(app: App, { access, fees, invoices, payments }: QuoteRouteContext): void {
  const feesSchema = {
    operationId: 'getFeeSchedule',
    tags: ['Money'],
    summary: 'Read the fees that this service charges to a wallet',
    ...requires('wallet_read'),
    params: KeyParams,
    response: { 200: FeeScheduleObject },
  };
  const quoteSchema = {
    operationId: 'getQuote',
    tags: ['Money'],
    summary: 'Compute what a payment or a receipt will cost',
    description: 'Nothing is reserved. The fees of a payment are fixed when it is started.',
    ...requires('wallet_read'),
    params: KeyParams,
    querystring: QuoteQuery,
    response: { 200: QuoteObject },
  };

  /** Returns direction and amount of the payment that a query describes. */
  async function readPayment(paymentRequest: string, stated: Msat | undefined): Promise<{ direction: Direction; amountMsat: Msat }> {
    const invoice = payments.readInvoice(paymentRequest);
    const issued = await invoices.findByHash(invoice.paymentHash);
    const requestedMsat = invoice.amountMsat ?? invoice.requestedMsat;
    const amountMsat = requestedMsat ?? stated;
    if (amountMsat === undefined) throw new Refusal('invoice_amount_missing');
    if (stated !== undefined && stated !== amountMsat) throw new Refusal('invoice_amount_fixed');
    return { direction: issued?.paymentRequest === invoice.paymentRequest ? 'internal' : 'ln_out', amountMsat };
  }

  for (const base of WALLET_BASES) {
    app.get(`${base}/fees`, { schema: feesSchema }, async (request) => {
      const { id } = await access.wallet(request, 'wallet_read');
      return renderSchedule(await fees.ofWallet(id));
    });

    app.get(`${base}/quote`, { schema: quoteSchema }, async (request) => {
      const { id } = await access.wallet(request, 'wallet_read');
      const { payment_request: paymentRequest, direction: wanted = 'ln_out', ...amounts } = request.query;
      const stated = optionalAmount(amounts)?.amountMsat;
      if (paymentRequest === undefined && stated === undefined)
        throw new Refusal('validation_failed', 'Send `num_satoshis` or `num_msat`, or a `payment_request` with an amount.');
      const { direction, amountMsat } =
        paymentRequest === undefined ? { direction: wanted, amountMsat: stated ?? ZERO_MSAT } : await readPayment(paymentRequest, stated);
      const quoted = await fees.quote(id, direction, amountMsat);
      const feeMsat = quoted?.feeMsat ?? ZERO_MSAT;
      const limitMsat = direction === 'ln_out' ? feeLimit(PAYMENT_FEE_RULE, amountMsat) : ZERO_MSAT;
      return {
        direction,
        amount_msat: amountMsat,
        service_fee_msat: feeMsat,
        fee_limit_msat: limitMsat,
        total_msat:
          direction === 'ln_in' ? msat(amountMsat - feeMsat) : msat(Math.min(amountMsat + feeMsat + limitMsat, Number.MAX_SAFE_INTEGER)),
        fee_schedule_id: quoted?.scheduleId ?? null,
      };
    });
  }
}
