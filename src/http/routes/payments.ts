import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { History } from '../../history/history.ts';
import { ofBooked, ofSucceeded, ofUnsettled, type WalletTransaction } from '../../history/wallet-transaction.ts';
import { invariant } from '../../kernel/assert.ts';
import { type Msat, satToMsat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { Receipt, RowWrite } from '../../ledger/ledger.ts';
import { isPublicKey } from '../../lightning/public-key.ts';
import type { Payment } from '../../payments/payment.ts';
import type { Payments } from '../../payments/payments.ts';
import type { StartedPayment } from '../../payments/saga.ts';
import { walletTransactionId } from '../../wallets/wallet-transaction-id.ts';
import type { Wallet, Wallets } from '../../wallets/wallets.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access, WalletAuthorization } from '../auth/access.ts';
import { AmountMsat, customRecordsHex, KeyParams, Memo, memoText, NumSatoshis, PassThru, Pubkey, passThruText } from '../fields.ts';
import type { IdempotentHandler } from '../idempotent.ts';
import { type Objects, OtherSideObject, PaymentObject, WalletTransactionObject } from '../objects.ts';

const WithdrawBody = Type.Object(
  {
    payment_request: Type.String({ maxLength: 8000, description: 'A BOLT11 invoice' }),
    num_satoshis: Type.Optional(NumSatoshis),
    fee_limit_msat: Type.Optional(AmountMsat),
    passThru: Type.Optional(PassThru),
  },
  { additionalProperties: false },
);

const KeysendBody = Type.Object(
  {
    dest_pubkey: Pubkey,
    num_satoshis: NumSatoshis,
    fee_limit_msat: Type.Optional(AmountMsat),
    custom_records: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'TLV type → text or object' })),
    passThru: Type.Optional(PassThru),
  },
  { additionalProperties: false },
);

const TransferBody = Type.Object(
  {
    dest_wallet_id: Type.String({ maxLength: 128, description: 'Id or access key of a wallet of the same account' }),
    num_satoshis: NumSatoshis,
    memo: Type.Optional(Memo),
    passThru: Type.Optional(PassThru),
    lnPayParams: Type.Optional(PassThru),
  },
  { additionalProperties: false },
);

const TransferObject = Type.Object({
  wtx_transfer_in: OtherSideObject,
  wtx_transfer_out: WalletTransactionObject,
  passThru: Type.Object({}, { additionalProperties: true }),
  source_wallet_id: Type.String(),
  dest_wallet_id: Type.String(),
});

/** 201 when it succeeded, 202 while its outcome is open. */
const PAYMENT_ANSWERS = { 201: PaymentObject, 202: PaymentObject };

export interface PaymentRouteDependencies {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly history: History;
  readonly objects: Objects;
  /** How long an answer waits for a payment's end. */
  readonly paymentWaitSeconds: number;
}

export function paymentRoutes(app: App, deps: PaymentRouteDependencies): void {
  for (const base of WALLET_BASES) {
    withdrawRoute(app, deps, base);
    keysendRoute(app, deps, base);
    transferRoute(app, deps, base);
  }
}

function withdrawRoute(app: App, deps: PaymentRouteDependencies, base: string): void {
  const schema = { params: KeyParams, body: WithdrawBody, response: PAYMENT_ANSWERS };
  app.post(`${base}/withdraw`, { schema }, async (request, reply) => {
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
  const schema = { params: KeyParams, body: KeysendBody, response: PAYMENT_ANSWERS };
  app.post(`${base}/keysend`, { schema }, async (request, reply) => {
    const authorized = await deps.access.authorizeWallet(request, 'wallet_withdraw');
    const { dest_pubkey, num_satoshis, fee_limit_msat, custom_records, passThru } = request.body;
    const destination = dest_pubkey.toLowerCase();
    if (!isPublicKey(destination))
      throw new Refusal(
        'validation_failed',
        '`dest_pubkey` must be a public key: its x coordinate is not on the curve secp256k1. Check it for typing errors.',
      );
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

/** Begins a payment once and answers with what becomes of it. */
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
 * Waits for the payment's end, a bounded time. 4xx only when it failed for good; while that is not certain, and when the service
 * cannot find out, 202: the money is held. `Prefer: respond-async` (RFC 7240) does not wait, nor does what is beyond the limits of its key.
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

/** Values of `X-LNPAY-ASYNC` that do not ask for an asynchronous response; old clients send `1`, others `true` or `yes`. */
const FALSE_WORDS = new Set(['', '0', 'false', 'no', 'off', 'null', 'undefined']);

function transferRoute(app: App, deps: PaymentRouteDependencies, base: string): void {
  const { access, wallets, payments, history, objects } = deps;
  const schema = { params: KeyParams, body: TransferBody, response: { 201: TransferObject } };
  app.post(`${base}/transfer`, { schema }, async (request, reply) => {
    const { wallet: source, guards, credential } = await access.authorizeWallet(request, 'wallet_transfer');
    const { dest_wallet_id, num_satoshis, memo, passThru, lnPayParams } = request.body;
    const extra = lnPayParams === undefined ? {} : { lnPayParams };
    const order = {
      source,
      amountMsat: satToMsat(num_satoshis),
      memo: memo === undefined ? undefined : memoText(memo),
      passThru: passThruText(passThru === undefined && lnPayParams === undefined ? undefined : { ...passThru, ...extra }),
      guards,
      limits: credential.key.limits,
    };
    const { destination, into, out } = await deps.runIdempotent(
      request,
      reply,
      { credential, walletId: source.id },
      {
        async make({ rows }) {
          const named = (await wallets.resolve(dest_wallet_id))?.wallet;
          if (named?.accountId !== source.accountId)
            throw new Refusal('not_found', '`dest_wallet_id` must be the id or an access key of a wallet of this account.');
          const extraRows = (id: string) => rows(`${id} ${named.id}`);
          const receipt = await payments.transfer({ ...order, destination: named, extraRows });
          return { destination: named, into: sideOf(receipt, 'to', named, source), out: sideOf(receipt, 'from', source, named) };
        },
        async replay(made) {
          // The key that named the destination may be gone; the wallet is not.
          const [id = '', walletId = ''] = made.split(' ');
          const named = await wallets.find(walletId);
          invariant(named, `wallet ${walletId} is gone`);
          return { destination: named, ...(await history.transfer(id, source, named)) };
        },
      },
    );
    const sent = objects.walletTransaction(out);
    return reply.code(201).send({
      // The key of one wallet does not see what is in another.
      wtx_transfer_in: credential.key.walletId === undefined ? objects.walletTransaction(into) : objects.otherSide(into),
      wtx_transfer_out: sent,
      passThru: sent.passThru,
      source_wallet_id: source.id,
      dest_wallet_id: destination.id,
    });
  });
}

/** Builds one side of a transfer from its receipt, so that nothing has to be read back. */
function sideOf(receipt: Receipt, side: 'from' | 'to', wallet: Wallet, other: Wallet): WalletTransaction {
  const [transfer] = receipt.transfers;
  const balance = receipt.balances.get(wallet.ledgerAccount);
  invariant(transfer && balance, 'a committed transfer has both sides');
  return ofBooked(transfer, side, { wallet, balance }, other.id);
}
