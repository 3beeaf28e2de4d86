import { searchRows } from '../journal/search-words.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { pendingTransactionRow } from '../journal/wallet-transactions.ts';
import { newId } from '../kernel/ids.ts';
import type { MarkedPayment } from '../kernel/markers.ts';
import { type Msat, maxMsat, msat, satText, ZERO_MSAT } from '../kernel/money.ts';
import { InsufficientBalance, type Posting, SYSTEM_ACCOUNTS } from '../ledger/ledger.ts';
import { type Bolt11, decodeBolt11, InvalidInvoice } from '../lightning/bolt11/bolt11.ts';
import type { SentPayment } from '../lightning/node.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { conclude } from './conclude.ts';
import { reportOutcome } from './correct.ts';
import { feeLimit, PAYMENT_FEE_RULE } from './fee-limit.ts';
import { newParameters, newPayment, type Payment, readPayment, referenceOf } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

/**
 * `booked`: the ledger lacked it. `known`: the ledger has it. `failed`: no money left the node, so there is nothing to book; a request that
 * is still under way may change that.
 */
export type ReadBackResult = 'booked' | 'known' | 'failed';

const MAX_TRIES = 5;

/** Another payment of the hash is pending or paid. */
class HashTaken extends Error {
  override readonly name = 'HashTaken';
}

/**
 * Books a payment of the node's records that a restored ledger lacks, under the id and in the wallet of its marker. It becomes pending with a hold,
 * like every payment, and ends like every payment: a success at once, a payment in flight when the node reports its outcome. If its wallet lacks
 * money, because what had arrived from other wallets was lost, `restore_difference` pays the shortfall, and an alert is raised. Idempotent.
 * @throws when it could not be booked. It can be tried again.
 */
export async function bookSentPayment(
  context: PaymentContext,
  record: SentPayment,
  marked: MarkedPayment,
  nodeId: string,
): Promise<ReadBackResult> {
  const { outcome } = record;
  const known = await findSame(context, record, marked);
  if (known) {
    // The ledger looks up its pending payments itself. A success is final, also of one that the ledger has as failed.
    if (outcome.state === 'succeeded') await reportOutcome(context, known.id, outcome);
    return 'known';
  }
  if (outcome.state === 'failed') return 'failed';
  const payment = await storePending(context, record, marked, await context.recoverWallet(marked.walletId, nodeId), nodeId);
  await conclude(context, payment, outcome);
  return 'booked';
}

async function findSame({ database }: PaymentContext, { paymentHash }: SentPayment, marked: MarkedPayment): Promise<Payment | undefined> {
  const known = await readPayment(database, sql.findById, marked.paymentId);
  if (known && (known.paymentHash !== paymentHash || known.walletId !== marked.walletId || known.invoiceId !== undefined))
    throw new Error(`the node has another payment under the id ${known.id} than the ledger`);
  return known;
}

/** Stores the payment as pending, and holds what it costs. */
async function storePending(
  context: PaymentContext,
  record: SentPayment,
  marked: MarkedPayment,
  wallet: Wallet,
  nodeId: string,
): Promise<Payment> {
  for (let tries = 1; ; tries++) {
    const { spendableMsat } = await context.ledger.balance(wallet.ledgerAccount);
    const payment = pendingPayment(context, record, marked, wallet, nodeId);
    const { posting, shortfallMsat } = readBackPosting(context, payment, record, spendableMsat);
    try {
      await context.ledger.post(posting);
      if (shortfallMsat > 0) await context.alerts.announce();
      return { ...payment, shortfallMsat, isAtNode: true };
    } catch (error) {
      // Another instance may have stored it, also when the database does not know how the commit ended.
      const stored = await findSame(context, record, marked);
      if (stored) return stored;
      if (tries === MAX_TRIES) throw error;
      if (error instanceof HashTaken) await endEarlierPayment(context, record, marked);
      // The balance has changed since it was read.
      else if (!(error instanceof InsufficientBalance)) throw error;
    }
  }
}

/**
 * Ends the payment that holds the place of a lost one. A hash has one payment at a time that is pending or paid, so the lost ledger began the
 * later one only after it had booked the earlier one as failed, which is final. The node must not contradict that.
 */
async function endEarlierPayment(context: PaymentContext, { paymentHash }: SentPayment, { paymentId }: MarkedPayment): Promise<void> {
  const live = await readPayment(context.database, sql.findLive, paymentHash);
  if (!live || live.id === paymentId) return;
  const contradiction = new Error(`its payment hash belongs to ${live.id}, which is ${live.state} in the ledger`);
  if (live.state !== 'pending' || live.invoiceId !== undefined) throw contradiction;
  const outcome = await context.connections.of(live.nodeId).call((node) => node.lookupPayment(referenceOf(live)));
  if (outcome && outcome.state !== 'failed') throw contradiction;
  await conclude(context, live, outcome ?? { state: 'failed', reason: 'ERROR' });
}

function pendingPayment(
  { clock }: PaymentContext,
  { paymentHash, paymentRequest, amountMsat, createdAt }: SentPayment,
  { paymentId }: MarkedPayment,
  wallet: Wallet,
  nodeId: string,
): Payment {
  const invoice = paymentRequest === undefined ? undefined : decoded(paymentRequest, paymentHash);
  // PostgreSQL cannot store NUL in text.
  const description = invoice?.description?.replaceAll('\u0000', '') ?? '';
  const payment = newPayment(clock, wallet, {
    wtxType: 'ln_withdrawal',
    paymentHash,
    paymentRequest: invoice?.paymentRequest ?? 'keysend',
    destPubkey: invoice?.payee ?? '',
    amountMsat,
    userLabel: description,
    memo: description,
    descriptionHash: invoice?.descriptionHash,
    expirySeconds: invoice?.expirySeconds ?? 0,
    expiresAt: invoice?.expiresAt,
    isKeysend: invoice === undefined,
  });
  // Its wallet may have been moved to another node since.
  return { ...payment, id: paymentId, nodeId, createdAt };
}

function decoded(paymentRequest: string, paymentHash: string): Bolt11 | undefined {
  try {
    const invoice = decodeBolt11(paymentRequest);
    return invoice.paymentHash === paymentHash ? invoice : undefined;
  } catch (error) {
    if (error instanceof InvalidInvoice) return undefined;
    throw error;
  }
}

/** Returns the posting that stores a payment, and what its wallet lacks for it. */
function readBackPosting({ clock, alerts }: PaymentContext, payment: Payment, { outcome }: SentPayment, spendableMsat: Msat) {
  const { id, transferId, walletId, ledgerAccount: account, amountMsat, userLabel } = payment;
  // The fee limit of a payment in flight was lost.
  const reserveMsat = outcome.state === 'succeeded' ? outcome.feeMsat : feeLimit(PAYMENT_FEE_RULE, amountMsat);
  const shortfallMsat = maxMsat(ZERO_MSAT, msat(amountMsat + reserveMsat - spendableMsat));
  const message = `payments that the node has sent cost ${satText(shortfallMsat)} more than the wallet had; the last one is ${id}`;
  const passThru = JSON.stringify({ source_transaction: walletTransactionId(transferId, 'from') });
  const cover = { from: SYSTEM_ACCOUNTS.restoreDifference, to: account, amountMsat: shortfallMsat, toType: 'restore_difference', passThru };
  const posting: Posting = {
    transfers: shortfallMsat > 0 ? [{ id: newId(clock.nowMs()), ...cover }] : [],
    holds: [{ id, account, amountMsat, reserveMsat }],
    rows: [
      { statement: sql.insertPending, parameters: newParameters(payment), onMiss: () => new HashTaken('the payment hash is taken') },
      {
        statement: sql.markReadBack,
        parameters: [id, shortfallMsat, clock.nowMs()],
        onMiss: () => new Error('the payment was not stored'),
      },
      pendingTransactionRow(payment, clock.nowMs()),
      ...searchRows({ id: walletTransactionId(transferId, 'from'), owner: walletId, text: userLabel }),
      ...(shortfallMsat > 0
        ? alerts.rowsOf({
            kind: 'restore_shortfall',
            subject: walletId,
            message,
            details: { wallet_id: walletId, lntx_id: id, amount_msat: shortfallMsat },
          })
        : []),
    ],
  };
  return { posting, shortfallMsat };
}
