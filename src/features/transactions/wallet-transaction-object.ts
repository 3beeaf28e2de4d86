import { type Static, Type } from 'typebox';
import { FIAT_RESULT, fiatFields } from '../../http/amounts.ts';
import { anyObject, namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { selectable } from '../../http/responses/select.ts';
import { renderWallet, WalletObject } from '../wallets/wallet-object.ts';
import {
  LightningTransactionObject,
  NOT_RECEIVED,
  type NoKeysend,
  passThruObject,
  passThruOf,
  renderInvoice,
  renderPayment,
} from './lightning-transaction-object.ts';
import { changeSat, type WalletTransaction } from './wallet-transaction.ts';

/** The types of wallet transactions and their names for people. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  ln_deposit: 'LN Deposit',
  ln_withdrawal: 'LN Withdrawal',
  ln_transfer_in: 'Transfer In',
  ln_transfer_out: 'Transfer Out',
  ln_lnurl_pay_inbound: 'LNURL Pay',
  ln_lnurl_pay_outbound: 'LNURL Pay Outbound',
  ln_lnurl_withdraw: 'LNURL Withdraw',
  network_fee: 'LN Routing Fees',
  service_fee: 'Service Fee',
  revenue_share: 'Revenue Share',
  restore_difference: 'Restore Difference',
  opening_balance: 'Opening Balance',
};

export const WalletTransactionObject = selectable(
  namedObject('WalletTransaction', {
    id: Type.String({ description: 'The id of the wallet transaction, `wtx_…`' }),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    num_satoshis: Type.Integer({ description: 'The change of `balance` in whole satoshis; negative for money that leaves the wallet' }),
    num_msat: Type.Integer({
      description: 'The change of `balance_msat` in millisatoshis, exact; negative for money that leaves the wallet',
    }),
    balance_after_msat: nullable(
      Type.Integer({
        description:
          'The booked balance of the wallet after it in millisatoshis, with the money that was held then. Null while it is not booked, and for a key that may not read the wallet',
      }),
    ),
    user_label: Type.String({ description: 'The memo of the invoice, payment or transfer, for people' }),
    wal: WalletObject,
    wtxType: Type.Object(
      {
        layer: Type.String({ description: 'Always `ln`' }),
        name: oneOf(Object.keys(TYPE_NAMES), { description: 'The type; the filter `type` takes the same values' }),
        display_name: Type.String({ description: 'The type as text for people' }),
      },
      { description: 'The type of the transaction' },
    ),
    lnTx: nullable(LightningTransactionObject, { description: 'The invoice or payment; null for a transfer and for a fee' }),
    passThru: anyObject(
      'The JSON object that the caller sent with the request. For a transfer also `source_wallet_id`, `dest_wallet_id` and `lnPayParams`',
    ),
    status: oneOf(['settled', 'pending', 'failed', 'open'], {
      description:
        '`settled`: booked, and part of the balance. `pending`: a payment whose outcome is still unknown, and whose money is held; or a received ' +
        'payment that is `arriving`, which is not in the balance. `failed`: a payment that failed for good, whose money is back; or a received ' +
        'payment that never arrived. `open`: an invoice that can still be paid',
    }),
    failure_reason: nullable(
      Type.String({ description: 'Why a payment failed for good: `NO_ROUTE`, `TIMEOUT`, `NOT_RECEIVED`, …; null otherwise' }),
    ),
    ...FIAT_RESULT,
  }),
);

/** The other side of a transfer. A key that may not read that wallet sees only its id. */
export const OtherSideObject = Type.Object({
  ...WalletTransactionObject.properties,
  wal: Type.Object(
    { id: WalletObject.properties.id, ...Type.Partial(Type.Omit(WalletObject, ['id'])).properties },
    { description: 'The wallet that received the money; only its `id` for a key that may not read it' },
  ),
});

/** A wallet transaction that is a payment: its `lnTx` is never null. The serializer does not rely on that. */
export const PaymentObject = namedObject('Payment', {
  ...WalletTransactionObject.properties,
  lnTx: Type.Unsafe<Static<typeof LightningTransactionObject> | null>({ ...LightningTransactionObject, nullable: true, neverNull: true }),
});

export type RenderedTransaction = Static<typeof WalletTransactionObject>;

/** `nowSeconds`: the time to which the status of an invoice belongs. */
export function renderWalletTransaction(wtx: WalletTransaction, nowSeconds: number, noKeysend: NoKeysend): RenderedTransaction {
  const { payment, invoice } = wtx;
  const fiat = (payment ?? invoice ?? wtx).fiat;
  const rendered: RenderedTransaction = {
    id: wtx.id,
    created_at: wtx.createdAt,
    num_satoshis: changeSat(wtx),
    num_msat: wtx.amountMsat,
    balance_after_msat: wtx.balanceAfterMsat ?? null,
    user_label: wtx.label,
    wal: renderWallet(wtx.wallet, wtx.balance),
    wtxType: { layer: 'ln', name: wtx.type, display_name: TYPE_NAMES[wtx.type] ?? wtx.type },
    lnTx: payment ? renderPayment(payment, noKeysend) : invoice ? renderInvoice(invoice, nowSeconds, noKeysend) : null,
    passThru: renderPassThru(wtx),
    status: wtx.status,
    failure_reason: wtx.status === 'failed' ? (invoice ? NOT_RECEIVED : (payment?.failureReason ?? null)) : null,
  };
  return fiat === undefined ? rendered : Object.assign(rendered, fiatFields(fiat));
}

/** Returns a received payment as it was before it was booked: `pending` while it was arriving, `failed` when it had not arrived. */
export function asReported(transaction: RenderedTransaction, status: 'pending' | 'failed'): RenderedTransaction {
  const failure_reason = status === 'failed' ? NOT_RECEIVED : null;
  const then = {
    status: status === 'failed' ? 'failed' : 'arriving',
    failure_reason,
    settled: 0,
    settled_at: null,
    payment_preimage: null,
  } as const;
  const lnTx = transaction.lnTx && { ...transaction.lnTx, ...then };
  return { ...transaction, status, failure_reason, balance_after_msat: null, lnTx };
}

/** Returns what a key sees of the receiving side of a transfer if it may not read the receiving wallet. Every visible field is named here. */
export function hideWallet(transaction: RenderedTransaction): Static<typeof OtherSideObject> {
  const { id, created_at, num_satoshis, num_msat, user_label, wal, wtxType, lnTx, passThru, status, failure_reason } = transaction;
  const visible = { id, created_at, num_satoshis, num_msat, balance_after_msat: null, user_label, wal: { id: wal.id } };
  return { ...visible, wtxType, lnTx, passThru, status, failure_reason };
}

/** Returns the caller's object and, for a transfer, the two wallet ids, which replace values of the same names that the caller sent. */
function renderPassThru({ passThru, payment, invoice, wallet, amountMsat, otherWalletId }: WalletTransaction): object {
  const own = passThruObject(passThru ?? (payment ? passThruOf(payment) : invoice?.passThru));
  if (otherWalletId === undefined) return own;
  const [source, destination] = amountMsat < 0 ? [wallet.id, otherWalletId] : [otherWalletId, wallet.id];
  return { ...own, source_wallet_id: source, dest_wallet_id: destination };
}
