import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { History } from '../../history/history.ts';
import { ofSucceeded, ofUnsettled } from '../../history/wallet-transaction.ts';
import { invariant } from '../../kernel/assert.ts';
import { type Msat, satToMsat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { RowWrite } from '../../ledger/ledger.ts';
import type { Payment } from '../../payments/payment.ts';
import type { Payments } from '../../payments/payments.ts';
import type { StartedPayment } from '../../payments/saga.ts';
import { walletTransactionId } from '../../wallets/wallet-transaction-id.ts';
import type { Wallet, Wallets } from '../../wallets/wallets.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access, WalletAuthorization } from '../auth/access.ts';
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
  publicKey,
} from '../fields.ts';
import type { IdempotentHandler } from '../idempotent.ts';
import type { Objects } from '../objects/objects.ts';
import { PaymentObject } from '../objects/wallet-transaction.ts';
import { EXAMPLE } from '../openapi/example-values.ts';
import { requires } from '../openapi/route-schema.ts';

const OUTCOME =
  '201: the payment succeeded. 202: it is in flight or its outcome is unknown, and its money is held; poll `GET /v1/lntx/{id}` with the id of ' +
  '`lnTx` until `status` is not `pending`. 4xx: nothing was or will be paid; `payment_failed` names the reason. 500, a timeout or a lost ' +
  'connection: the outcome is unknown; send the same request again with the same `Idempotency-Key`.';

const WITHDRAWAL_TYPE = { name: 'ln_withdrawal', display_name: 'LN Withdrawal' };

/** The Lightning transaction of a payment that is in flight. */
const IN_FLIGHT = { payment_preimage: null, settled: 0, settled_at: null, status: 'pending', fee_msat: null };

/** 1000 sat to an invoice of another service, from a wallet with 5000 sat. Routing cost 1 sat. */
const WITHDRAWAL = {
  id: EXAMPLE.walletTransactionOut,
  num_satoshis: -1000,
  num_msat: -1_000_000,
  user_label: 'rent',
  wal: { balance: 3999, balance_msat: 3_999_000, max_payable_msat: 3_808_572 },
  wtxType: WITHDRAWAL_TYPE,
  lnTx: {
    dest_pubkey: EXAMPLE.pubkey,
    payment_request: 'lnbcrt10u1p4szcp7…',
    memo: 'rent',
    num_satoshis: 1000,
    fee_msat: 1000,
    expiry: 3600,
    expires_at: EXAMPLE.now + 3540,
    passThru: {},
  },
  passThru: {},
};

/** The same payment in flight: its amount and its fee limit are held. */
const WITHDRAWAL_IN_FLIGHT = {
  ...WITHDRAWAL,
  wal: { balance: 3950, balance_msat: 3_950_000, max_payable_msat: 3_761_905, pending_msat: 1_050_000 },
  lnTx: { ...WITHDRAWAL.lnTx, ...IN_FLIGHT },
  status: 'pending',
};

const withdrawSchema = {
  operationId: 'withdraw',
  tags: ['Money'],
  summary: 'Pay an invoice',
  description: `Pays a BOLT11 invoice. Paying the same invoice again from the same wallet returns the first payment. ${OUTCOME}`,
  ...requires('wallet_withdraw'),
  params: KeyParams,
  body: Type.Object(
    {
      payment_request: PaymentRequest,
      num_satoshis: Type.Optional(
        described(
          NumSatoshis,
          'The amount in whole satoshis. Required for an invoice without an amount; otherwise it must equal its amount',
        ),
      ),
      fee_limit_msat: Type.Optional(FeeLimit),
      passThru: Type.Optional(PassThru),
    },
    { additionalProperties: false, examples: [{ payment_request: 'lnbcrt10u1p4szcp7…', fee_limit_msat: 50_000 }] },
  ),
  response: { 201: PaymentObject, 202: PaymentObject },
  exampleChanges: { 201: WITHDRAWAL, 202: WITHDRAWAL_IN_FLIGHT },
};

const KEYSEND_LABEL = `100 keysend to ${EXAMPLE.pubkey}`;
const PREIMAGE_RECORD = '5482373484';

/** 100 sat to a peer, so that routing cost nothing. */
const KEYSEND = {
  id: EXAMPLE.walletTransactionOut,
  num_satoshis: -100,
  num_msat: -100_000,
  user_label: KEYSEND_LABEL,
  wal: { balance: 4900, balance_msat: 4_900_000, max_payable_msat: 4_666_667 },
  wtxType: WITHDRAWAL_TYPE,
  lnTx: {
    dest_pubkey: EXAMPLE.pubkey,
    payment_request: `${EXAMPLE.pubkey}:100`,
    memo: KEYSEND_LABEL,
    num_satoshis: 100,
    fee_msat: 0,
    expiry: 432_000,
    expires_at: null,
    is_keysend: 1,
    custom_records: { '7629169': 'hello', [PREIMAGE_RECORD]: EXAMPLE.preimage },
    passThru: { method: 'api' },
  },
  passThru: { method: 'api' },
};

/** The same payment in flight, with the smallest fee limit. */
const KEYSEND_IN_FLIGHT = {
  ...KEYSEND,
  wal: { balance: 4890, balance_msat: 4_890_000, max_payable_msat: 4_657_143, pending_msat: 110_000 },
  lnTx: { ...KEYSEND.lnTx, ...IN_FLIGHT, custom_records: { '7629169': 'hello' } },
  status: 'pending',
};

const keysendSchema = {
  operationId: 'keysend',
  tags: ['Money'],
  summary: 'Pay a node without an invoice',
  description: `Sends money to a node by its public key. ${OUTCOME}`,
  ...requires('wallet_withdraw'),
  params: KeyParams,
  body: Type.Object(
    {
      dest_pubkey: Pubkey,
      num_satoshis: NumSatoshis,
      fee_limit_msat: Type.Optional(FeeLimit),
      custom_records: Type.Optional(CustomRecords),
      passThru: Type.Optional(PassThru),
    },
    {
      additionalProperties: false,
      examples: [{ dest_pubkey: EXAMPLE.pubkey, num_satoshis: 100, custom_records: { '7629169': 'hello' } }],
    },
  ),
  response: { 201: PaymentObject, 202: PaymentObject },
  exampleChanges: { 201: KEYSEND, 202: KEYSEND_IN_FLIGHT },
};

export interface PaymentRouteDependencies {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly history: History;
  readonly objects: Objects;
  /** How long a response waits for a payment's end. */
  readonly paymentWaitSeconds: number;
}

export function paymentRoutes(app: App, deps: PaymentRouteDependencies): void {
  for (const base of WALLET_BASES) {
    withdrawRoute(app, deps, base);
    keysendRoute(app, deps, base);
  }
}

function withdrawRoute(app: App, deps: PaymentRouteDependencies, base: string): void {
  app.post(`${base}/withdraw`, { schema: withdrawSchema }, async (request, reply) => {
    const authorized = await deps.access.authorizeWallet(request, 'wallet_withdraw');
    const { payment_request, num_satoshis: sat, fee_limit_msat: feeLimitMsat, passThru } = request.body;
    return pay(deps, request, reply, authorized, (extraRows) =>
      deps.payments.payInvoice({
        wallet: authorized.wallet,
        invoice: payment_request,
        amountMsat: sat === undefined ? undefined : satToMsat(sat),
        feeLimitMsat: feeLimitMsat as Msat | undefined,
        passThru: passThruText(passThru),
        wtxType: 'ln_withdrawal',
        guards: authorized.guards,
        limits: authorized.credential.key.limits,
        extraRows,
      }),
    );
  });
}

function keysendRoute(app: App, deps: PaymentRouteDependencies, base: string): void {
  app.post(`${base}/keysend`, { schema: keysendSchema }, async (request, reply) => {
    const authorized = await deps.access.authorizeWallet(request, 'wallet_withdraw');
    const { dest_pubkey, num_satoshis, fee_limit_msat, custom_records, passThru } = request.body;
    const destination = publicKey('dest_pubkey', dest_pubkey);
    return pay(deps, request, reply, authorized, (extraRows) =>
      deps.payments.keysend({
        wallet: authorized.wallet,
        destination,
        amountMsat: satToMsat(num_satoshis),
        feeLimitMsat: fee_limit_msat as Msat | undefined,
        customRecords: customRecordsHex(custom_records),
        passThru: passThruText(passThru, { method: 'api' }),
        guards: authorized.guards,
        limits: authorized.credential.key.limits,
        extraRows,
      }),
    );
  });
}

/** Starts a payment, once per Idempotency-Key, and sends its outcome. */
function pay(
  deps: PaymentRouteDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { wallet, credential }: WalletAuthorization,
  begin: (extraRows: (paymentId: string) => readonly RowWrite[]) => Promise<StartedPayment>,
): Promise<FastifyReply> {
  return deps.runIdempotent(
    request,
    reply,
    { credential, walletId: wallet.id },
    {
      async make(outcome) {
        const started = await begin((id) => outcome.rows(id));
        request.mayHaveBooked = true;
        if (started.replayed) await outcome.saveExisting(started.payment.id);
        return sendPayment(deps, request, reply, { wallet, started });
      },
      async replay(id) {
        const payment = await deps.payments.find(id);
        invariant(payment, `payment ${id} is gone`);
        return sendPayment(deps, request, reply, { wallet, started: { payment, replayed: true } });
      },
    },
  );
}

/**
 * Waits a limited time for the payment's end. Responds 4xx only if it failed finally. While the outcome is unknown the response is 202, and
 * the money is held. With `Prefer: respond-async` (RFC 7240), and beyond the limits of its key, a request does not wait.
 */
async function sendPayment(
  deps: PaymentRouteDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { wallet, started }: { wallet: Wallet; started: StartedPayment },
): Promise<FastifyReply> {
  if (started.replayed) reply.header('idempotency-replayed', 'true');
  try {
    const { payment, receipt } = await deps.payments.wait(started.payment.id, wantsNoWait(request) ? 0 : deps.paymentWaitSeconds);
    if (payment.state === 'failed') throw await paymentFailed(deps, payment);
    const made = receipt ? ofSucceeded(payment, wallet, receipt) : await deps.history.ofPayment(payment);
    const wtx = deps.objects.walletTransaction(made);
    return reply.code(payment.state === 'succeeded' ? 201 : 202).send(wtx);
  } catch (error) {
    if (error instanceof Refusal || !started.balance) throw error;
    return reply.code(202).send(deps.objects.walletTransaction(ofUnsettled(started.payment, { wallet, balance: started.balance })));
  }
}

/** Old clients read the reason out of the message, so it stays in front. */
async function paymentFailed({ payments }: PaymentRouteDependencies, payment: Payment): Promise<Refusal> {
  const feeLimitMsat = payment.failureReason === 'NO_ROUTE' ? await payments.feeLimitMsat(payment) : undefined;
  const limit = feeLimitMsat === undefined ? '' : `. No route was found within the fee limit of ${feeLimitMsat} msat.`;
  const message = `Failure reason: FAILURE_REASON_${payment.failureReason}${limit}`;
  return new Refusal('payment_failed', message, walletTransactionId(payment.transferId, 'from'));
}

function wantsNoWait({ mustNotWait, headers }: FastifyRequest): boolean {
  if (mustNotWait || /\brespond-async\b/i.test(String(headers.prefer ?? ''))) return true;
  return !FALSE_WORDS.has(
    String(headers['x-lnpay-async'] ?? '')
      .trim()
      .toLowerCase(),
  );
}

/** Values of `X-LNPAY-ASYNC` that do not request an asynchronous response; old clients send `1`, others `true` or `yes`. */
const FALSE_WORDS = new Set(['', '0', 'false', 'no', 'off', 'null', 'undefined']);
