import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Invoices } from '../../invoices/invoices.ts';
import { satToMsat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { decodeBolt11 } from '../../lightning/bolt11/bolt11.ts';
import { OutcomeUnknown, type OutsidePayment, type PlaygroundControl, PlaygroundRefusal } from '../../lightning/test-network.ts';
import type { App } from '../app-type.ts';
import type { Access } from '../auth/access.ts';
import { customRecordsHex, Expiry, Memo, memoText, NumSatoshis, NumSatoshisOrAny } from '../fields.ts';
import { oneOf } from '../objects.ts';

const OutsideNode = Type.Union([Type.Literal('alice'), Type.Literal('carol')], { description: 'alice (our peer) or carol (behind alice)' });

const OutsidePaymentObject = Type.Object({
  id: Type.Integer(),
  node: Type.String(),
  direction: oneOf(['received', 'sent']),
  payment_hash: Type.String(),
  amount_msat: Type.Integer(),
  fee_msat: Type.Integer(),
  state: oneOf(['succeeded', 'failed', 'pending']),
});

const closed = { additionalProperties: false };

export interface PlaygroundRouteDependencies {
  readonly access: Access;
  readonly invoices: Invoices;
  readonly control: PlaygroundControl;
}

/** The outside of the embedded Lightning network: its other nodes, played by whoever has a secret key. Never there with a real node. */
export function playgroundRoutes(app: App, deps: PlaygroundRouteDependencies): void {
  describeRoute(app, deps);
  payRoutes(app, deps);
  invoiceRoutes(app, deps);
  paymentsRoute(app, deps);
}

function describeRoute(app: App, { access, control }: PlaygroundRouteDependencies): void {
  const Answer = Type.Object({
    network: Type.String(),
    nodes: Type.Array(Type.Object({ name: Type.String(), pubkey: Type.String() })),
    unreachable_pubkey: Type.String({ description: 'A valid key that no node has' }),
  });
  app.get('/playground', { schema: { response: { 200: Answer } } }, async (request) => {
    await access.secretKey(request);
    const { network, nodes, unreachablePubkey } = await playing(() => control.describe());
    return { network, nodes: [...nodes], unreachable_pubkey: unreachablePubkey };
  });
}

function payRoutes(app: App, deps: PlaygroundRouteDependencies): void {
  const { access, invoices, control } = deps;
  const response = { 200: OutsidePaymentObject };

  const PayBody = Type.Object(
    { payment_request: Type.String({ maxLength: 8000 }), from: Type.Optional(OutsideNode), num_satoshis: Type.Optional(NumSatoshis) },
    closed,
  );
  app.post('/playground/pay', { schema: { body: PayBody, response } }, async (request) => {
    await access.secretKey(request);
    const { payment_request: paymentRequest, from = 'alice', num_satoshis: sat } = request.body;
    const invoice = await playing(() => decodeBolt11(paymentRequest));
    const amount = sat === undefined || invoice.amountMsat !== undefined ? {} : { amountMsat: satToMsat(sat) };
    request.mayHaveBooked = true;
    const paid = await playing(() => control.payInvoice({ paymentRequest: invoice.paymentRequest, from, ...amount }));
    if (paid.state === 'succeeded') await untilCredited(invoices, invoice.paymentHash);
    return toObject(paid);
  });

  const FundBody = Type.Object({ wallet_id: Type.String({ maxLength: 128 }), num_satoshis: NumSatoshis }, closed);
  app.post('/playground/fund', { schema: { body: FundBody, response } }, async (request) => {
    const wallet = await access.walletByIdOrKey(request, request.body.wallet_id, 'wallet_deposit');
    const order = { wallet, amountMsat: satToMsat(request.body.num_satoshis), memo: 'Playground', expirySeconds: 3600 };
    const { paymentRequest, paymentHash } = await invoices.create({ ...order, wtxType: 'ln_deposit' });
    request.mayHaveBooked = true;
    const paid = await playing(() => control.payInvoice({ paymentRequest, from: 'alice' }));
    if (paid.state === 'succeeded') await untilCredited(invoices, paymentHash);
    return toObject(paid);
  });

  const KeysendBody = Type.Object(
    {
      num_satoshis: NumSatoshis,
      custom_records: Type.Optional(Type.Object({}, { additionalProperties: true })),
      from: Type.Optional(OutsideNode),
    },
    closed,
  );
  app.post('/playground/keysend', { schema: { body: KeysendBody, response } }, async (request) => {
    await access.secretKey(request);
    const { num_satoshis: sat, custom_records: records, from = 'alice' } = request.body;
    request.mayHaveBooked = true;
    const paid = await playing(() => control.keysend({ from, amountMsat: satToMsat(sat), customRecords: customRecordsHex(records) }));
    if (paid.state === 'succeeded') await untilCredited(invoices, paid.paymentHash);
    return toObject(paid);
  });
}

function invoiceRoutes(app: App, { access, control }: PlaygroundRouteDependencies): void {
  const InvoiceBody = Type.Object(
    {
      num_satoshis: Type.Optional(NumSatoshisOrAny),
      memo: Type.Optional(Memo),
      at: Type.Optional(OutsideNode),
      expiry: Type.Optional(Expiry),
      hold: Type.Optional(Type.Boolean({ description: 'Claimed only when /playground/hold says so' })),
    },
    closed,
  );
  const InvoiceAnswer = Type.Object({ payment_request: Type.String(), payment_hash: Type.String() });
  app.post('/playground/invoice', { schema: { body: InvoiceBody, response: { 200: InvoiceAnswer } } }, async (request) => {
    await access.secretKey(request);
    const { num_satoshis: sat, memo, at = 'alice', expiry = 3600, hold = false } = request.body;
    const amount = sat === undefined ? {} : { amountMsat: satToMsat(sat) };
    const made = await playing(() => control.createInvoice({ ...amount, memo: memoText(memo), at, expirySeconds: expiry, hold }));
    return { payment_request: made.paymentRequest, payment_hash: made.paymentHash };
  });

  const HoldParams = Type.Object({ hash: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }) });
  const HoldBody = Type.Object({ action: Type.Union([Type.Literal('settle'), Type.Literal('cancel')]) }, closed);
  const HoldAnswer = Type.Object({ payment_hash: Type.String(), action: Type.String() });
  app.post('/playground/hold/:hash', { schema: { params: HoldParams, body: HoldBody, response: { 200: HoldAnswer } } }, async (request) => {
    await access.secretKey(request);
    const hash = request.params.hash.toLowerCase();
    await playing(() => control.resolveHold(hash, request.body.action));
    return { payment_hash: hash, action: request.body.action };
  });
}

function paymentsRoute(app: App, { access, control }: PlaygroundRouteDependencies): void {
  const After = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only payments with a larger id' });
  const Query = Type.Object({ after: Type.Optional(After) });
  const Answer = Type.Object({ payments: Type.Array(OutsidePaymentObject) });
  app.get('/playground/payments', { schema: { querystring: Query, response: { 200: Answer } } }, async (request) => {
    await access.secretKey(request);
    const payments = await playing(() => control.payments(request.query.after ?? 0, PAYMENTS_PAGE));
    return { payments: payments.map(toObject) };
  });
}

/** Payments of one answer; `after` with the last id gives the next. */
const PAYMENTS_PAGE = 1000;
const CREDIT_WAIT_MS = 10_000;
const CREDIT_POLL_MS = 10;
const STOPPED =
  'The playground stopped before it answered, so the outcome is unknown. GET /playground/payments lists what its nodes have sent and received.';

/** The payer may know of its success a moment before our ledger does; whoever plays wants to see the balance move. */
async function untilCredited(invoices: Invoices, paymentHash: string): Promise<void> {
  for (const deadline = Date.now() + CREDIT_WAIT_MS; Date.now() < deadline; await delay(CREDIT_POLL_MS)) {
    if ((await invoices.findByHash(paymentHash))?.state === 'settled') return;
  }
}

/** Runs a command of the playground. @throws Refusal when the playground rejects it, or stops before it answers. */
async function playing<T>(play: () => T | Promise<T>): Promise<T> {
  try {
    return await play();
  } catch (error) {
    if (error instanceof OutcomeUnknown) throw new Refusal('node_unavailable', STOPPED);
    if (error instanceof PlaygroundRefusal || (error instanceof Error && error.name === 'InvalidInvoice')) {
      throw new Refusal('playground_refused', error.message);
    }
    throw error;
  }
}

function toObject(payment: OutsidePayment) {
  return {
    id: payment.id,
    node: payment.node,
    direction: payment.direction,
    payment_hash: payment.paymentHash,
    amount_msat: payment.amountMsat,
    fee_msat: payment.feeMsat,
    state: payment.state,
  };
}
