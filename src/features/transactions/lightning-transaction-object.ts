import { type Static, Type } from 'typebox';
import type { Invoice } from '../../core/invoices/invoice.ts';
import { floorSat, type Msat } from '../../core/kernel/money.ts';
import type { CustomRecords } from '../../core/lightning/node.ts';
import type { Payment } from '../../core/payments/payment.ts';
import { revealSuccessAction } from '../../core/payments/success-action.ts';
import { FIAT_RESULT, fiatFields } from '../../http/amounts.ts';
import { anyObject, namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { selectable } from '../../http/responses/select.ts';

const SuccessActionObject = Type.Object(
  {
    tag: oneOf(['message', 'url', 'aes'], { description: '`message`: a text. `url`: a page of the payee. `aes`: a secret text' }),
    message: Type.Optional(Type.String({ description: 'The text of a `message`' })),
    description: Type.Optional(Type.String({ description: 'What the `url` or the `plaintext` is for' })),
    url: Type.Optional(Type.String({ description: 'A page on the domain of the payee' })),
    plaintext: Type.Optional(nullable(Type.String({ description: 'The secret text; null if it cannot be decrypted with the preimage' }))),
  },
  {
    description:
      'What the payee of an LNURL or a Lightning address shows the payer (LUD-09). Present only on a settled payment whose payee sent it. The ' +
      "texts are the payee's: escape them where you show them",
  },
);

export const LightningTransactionObject = selectable(
  namedObject('LightningTransaction', {
    id: Type.String({ description: 'The id of the invoice or payment, `lntx_…`' }),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    ln_node_id: Type.String({ description: 'The Lightning node of the wallet, `lnd_…`' }),
    dest_pubkey: Type.String({ description: 'The public key of the node that is paid, in hex' }),
    payment_request: Type.String({ description: 'The BOLT11 invoice. For a keysend: `keysend`, or the destination and the amount' }),
    r_hash_decoded: Type.String({ description: 'The payment hash, in hex' }),
    memo: Type.String({ description: 'The description of the invoice, for people. At most 639 bytes' }),
    description_hash: nullable(Type.String({ description: 'The hash of a longer description, in hex; null when there is none' })),
    num_satoshis: Type.Integer({
      description: 'The amount in whole satoshis: requested, paid or received. 0 for an invoice of any amount that is not paid yet',
    }),
    num_msat: Type.Integer({ description: 'The same amount in millisatoshis, exact' }),
    fee_msat: nullable(
      Type.Integer({ description: 'The routing fee that was paid, in millisatoshis. Null for incoming payments and until it is known' }),
    ),
    service_fee_msat: Type.Integer({
      description:
        'The fee of this service for an outgoing payment, in millisatoshis. It is charged when the payment succeeds, as a transaction of type ' +
        '`service_fee`. 0 for incoming payments, whose fee is such a transaction, too',
    }),
    expiry: Type.Integer({ description: 'How long the invoice can be paid, in seconds from `created_at`' }),
    expires_at: nullable(Type.Integer({ description: 'Unix seconds; null when it does not expire' })),
    payment_preimage: nullable(Type.String({ description: 'The proof of the payment: 32 bytes in hex. Null until it is settled' })),
    settled: oneOf([1, 0, -1], {
      description:
        '1: paid, and the money is there. 0: not paid, or the outcome is still unknown. -1: an outgoing payment failed for good, and nothing was ' +
        'or will be paid. An invoice that expired, was cancelled or failed stays 0, so poll `status` instead',
    }),
    settled_at: nullable(Type.Integer({ description: 'Unix seconds; null until it is settled' })),
    status: oneOf(['open', 'pending', 'held', 'arriving', 'settled', 'failed', 'expired', 'cancelled'], {
      description:
        '`open`: an invoice that can still be paid. `pending`: a payment whose outcome is still unknown. `held`: a payment ' +
        'of a hold invoice has arrived, and waits until it is settled or cancelled; it is not in the balance. `arriving`: the node has reported a ' +
        'payment of the invoice that is not final yet; it is not in the balance, and the invoice cannot be paid again. `settled`: paid. ' +
        '`failed`: a payment failed for good, and nothing was or will be paid; or the payment of an invoice never arrived. `expired`, ' +
        '`cancelled`: an invoice that can no longer be paid. All but `open`, `pending`, `held` and `arriving` are final',
    }),
    failure_reason: nullable(
      Type.String({
        description:
          'Why a payment failed for good: `NO_ROUTE`, `TIMEOUT`, …; of an invoice `NOT_RECEIVED`; of a hold invoice that the service cancelled ' +
          '`HOLD_EXPIRED`; null otherwise',
      }),
    ),
    held_at: Type.Optional(
      nullable(Type.Integer({ description: 'Only of a hold invoice: when its payment arrived, in Unix seconds; null until then' })),
    ),
    held_until: Type.Optional(
      nullable(
        Type.Integer({
          description:
            'Only of a hold invoice: when the service cancels the payment if it is not settled, in Unix seconds. It may become earlier, when ' +
            'blocks are found faster',
        }),
      ),
    ),
    // Null instead of 0 where LEGACY_NULL_KEYSEND is set; the OpenAPI document leaves that out.
    is_keysend: Type.Unsafe<1 | 0 | null>({
      ...oneOf([1, 0], { description: '1 for a payment without an invoice, 0 otherwise' }),
      nullable: true,
      neverNull: true,
    }),
    is_amp: Type.Null({ description: 'Always null' }),
    payment_addr: nullable(Type.String({ description: 'Always null' })),
    custom_records: nullable(
      anyObject('The TLV records of a keysend: type → text, or hex for a value that is not text. Null for an invoice'),
    ),
    custom_records_json: nullable(anyObject('The custom records that are JSON, parsed; null when there are none')),
    passThru: nullable(anyObject('The JSON object that the caller sent with the invoice or payment')),
    success_action: Type.Optional(SuccessActionObject),
    ...FIAT_RESULT,
  }),
);

/** The response of `GET /v1/lntx/{id}`. */
export const LightningTransactionDetailsObject = selectable(
  namedObject('LightningTransactionDetails', {
    ...LightningTransactionObject.properties,
    counterpart_id: nullable(
      Type.String({
        description: 'The lightning transaction of the other side, for a payment between two wallets of the account; null otherwise',
      }),
    ),
    held_msat: nullable(
      Type.Integer({
        description:
          'The millisatoshis that the wallet holds for the payment until it ends: the amount, `fee_limit_msat` and `service_fee_msat`. The field ' +
          'keeps this value afterwards. Null for an invoice, and for a payment between two wallets that was made at once',
      }),
    ),
    fee_limit_msat: nullable(
      Type.Integer({
        description: 'The highest routing fee for the payment, in millisatoshis. Null for an invoice, and where `held_msat` is null',
      }),
    ),
    inside_only: oneOf([1, 0], {
      description:
        '1: an open invoice that only wallets of this service can pay. Its node cancelled it for a payment of another wallet that was refused ' +
        'then. Create another one for a payer outside. 0 otherwise',
    }),
  }),
);

/** The response of `POST …/invoice`. */
export const CreatedInvoiceObject = namedObject('CreatedInvoice', {
  ...LightningTransactionObject.properties,
  receivable_msat: nullable(
    Type.Integer({
      description:
        'A hint: the channels of the node can receive no more than this now, in millisatoshis, which is less than the amount. An outside ' +
        'payment fails until they can receive more. Null: the amount can arrive, or it is not known',
    }),
  ),
  status_url: Type.String({
    description:
      'A public address that shows only `status`, the amount and `expires_at`, for the page on which the payer sees the invoice. Only ' +
      'this response contains it',
  }),
  page_url: Type.String({
    description:
      'The page for the payer: the invoice with its live status, then the receipt. Anyone who has it can read the amount, the memo and the status. ' +
      'Only this response contains it',
  }),
});

export type LightningTransaction = Static<typeof LightningTransactionObject>;

/** Old clients expect null instead of 0 in `is_keysend`: the value for everything but a keysend. */
export type NoKeysend = 0 | null;

/** bLIP 3: the record of a keysend that carries its preimage. */
const KEYSEND_PREIMAGE_RECORD = '5482373484';

/** Renders an invoice. Its status depends on the time. */
export function renderInvoice(invoice: Invoice, nowSeconds: number, noKeysend: NoKeysend): LightningTransaction {
  const own = {
    amountMsat: invoice.receivedMsat ?? (invoice.state === 'held' ? invoice.heldMsat : undefined) ?? invoice.amountMsat ?? (0 as Msat),
    status: invoiceStatus(invoice, nowSeconds),
    preimage: invoice.state === 'settled' ? invoice.preimage : undefined,
    customRecords: invoice.customRecords,
    passThru: invoice.passThru,
  };
  const rendered = render(invoice, own, noKeysend);
  if (invoice.isHold) {
    rendered.held_at = invoice.heldAt ?? null;
    rendered.held_until = invoice.heldUntil ?? null;
    if (own.status === 'cancelled' && invoice.decision === 'expire') rendered.failure_reason = HOLD_EXPIRED;
  }
  if (own.status !== 'failed') return rendered;
  rendered.settled = 0;
  rendered.failure_reason = NOT_RECEIVED;
  return rendered;
}

/** Why a payment failed that the node had reported as received. */
export const NOT_RECEIVED = 'NOT_RECEIVED';

/** Why a hold invoice was cancelled that was neither settled nor cancelled by its wallet in time. */
const HOLD_EXPIRED = 'HOLD_EXPIRED';

function invoiceStatus({ state, expiresAt = 0 }: Invoice, nowSeconds: number): LightningTransaction['status'] {
  if (state === 'settled' || state === 'held' || state === 'arriving' || state === 'failed') return state;
  if (state === 'canceled') return 'cancelled';
  return state === 'open' && expiresAt <= nowSeconds ? 'expired' : 'open';
}

/** Returns whether a status can no longer change. */
export function isFinalStatus(status: LightningTransaction['status']): boolean {
  return status !== 'open' && status !== 'pending' && status !== 'held' && status !== 'arriving';
}

const PAYMENT_STATUS = { succeeded: 'settled', failed: 'failed', pending: 'pending' } as const;

/** Renders a payment. The preimage of a keysend is known from the start, but proves nothing before the payment has succeeded. */
export function renderPayment(payment: Payment, noKeysend: NoKeysend): LightningTransaction {
  const preimage = payment.state === 'succeeded' ? payment.preimage : undefined;
  const proof = preimage === undefined ? {} : { [KEYSEND_PREIMAGE_RECORD]: preimage };
  const own = {
    amountMsat: payment.amountMsat,
    status: PAYMENT_STATUS[payment.state],
    preimage,
    customRecords: payment.isKeysend ? { ...payment.customRecords, ...proof } : undefined,
    passThru: passThruOf(payment),
  };
  const rendered = render(payment, own, noKeysend);
  rendered.fee_msat = payment.feeMsat ?? null;
  rendered.service_fee_msat = payment.serviceFeeMsat ?? 0;
  rendered.failure_reason = payment.failureReason ?? null;
  if (payment.successAction !== undefined && preimage !== undefined)
    rendered.success_action = revealSuccessAction(payment.successAction, preimage);
  return rendered;
}

/** Returns the caller's `passThru` of a payment; published clients read `method` from that of a withdrawal without one. */
export function passThruOf({ passThru, wtxType }: { passThru?: string | undefined; wtxType: string }): string | undefined {
  return passThru ?? (wtxType === 'ln_withdrawal' ? BY_API : undefined);
}

const BY_API = JSON.stringify({ method: 'api' });

/** The fields that invoices and payments store differently. */
interface Own {
  readonly amountMsat: Msat;
  readonly status: LightningTransaction['status'];
  readonly preimage: string | undefined;
  readonly customRecords: CustomRecords | undefined;
  readonly passThru: string | undefined;
}

/** A known client polls `settled` for −1. */
const SETTLED_FLAG = { settled: 1, open: 0, pending: 0, held: 0, arriving: 0, expired: 0, cancelled: 0, failed: -1 } as const;

/** Builds the object in one literal, because object spread made the shortest reads measurably slower. */
function render(of: Invoice | Payment, own: Own, noKeysend: NoKeysend): LightningTransaction {
  const records = own.customRecords && renderCustomRecords(own.customRecords);
  const rendered: LightningTransaction = {
    id: of.id,
    created_at: of.createdAt,
    ln_node_id: of.nodeId,
    dest_pubkey: of.destPubkey,
    payment_request: of.paymentRequest,
    r_hash_decoded: of.paymentHash,
    memo: of.memo,
    description_hash: of.descriptionHash ?? null,
    num_satoshis: floorSat(own.amountMsat),
    num_msat: own.amountMsat,
    fee_msat: null,
    service_fee_msat: 0,
    expiry: of.expirySeconds,
    expires_at: of.expiresAt ?? null,
    payment_preimage: own.preimage ?? null,
    settled: SETTLED_FLAG[own.status],
    settled_at: of.settledAt ?? null,
    status: own.status,
    failure_reason: null,
    is_keysend: of.isKeysend ? 1 : noKeysend,
    is_amp: null,
    payment_addr: null,
    custom_records: records?.texts ?? null,
    custom_records_json: records?.parsed ?? null,
    passThru: passThruObject(own.passThru),
  };
  return of.fiat === undefined ? rendered : Object.assign(rendered, fiatFields(of.fiat));
}

/** Renders TLV values as text where they are UTF-8, otherwise (and for the preimage) as hex; values that parse as JSON also parsed. */
function renderCustomRecords(records: CustomRecords) {
  const texts: Record<string, string> = {};
  const parsed: Record<string, unknown> = {};
  for (const [type, hex] of Object.entries(records)) {
    const text = type === KEYSEND_PREIMAGE_RECORD ? hex : (utf8OrUndefined(hex) ?? hex);
    texts[type] = text;
    const json = parseObject(text);
    if (json) parsed[type] = json;
  }
  return { texts, parsed: Object.keys(parsed).length > 0 ? parsed : null };
}

function utf8OrUndefined(hex: string): string | undefined {
  try {
    return new TextDecoder('utf8', { fatal: true }).decode(Buffer.from(hex, 'hex'));
  } catch {
    return undefined;
  }
}

/** The dashboard finds its payments by this field of `passThru`. It is not the caller's own, so responses, events and webhooks do not have it. */
const ATTEMPT_FIELD = 'dashboard_attempt';

/** Returns the object that the caller sent with a payment or an invoice. */
export function passThruObject(text: string | undefined): object {
  const own: { [ATTEMPT_FIELD]?: unknown } = parseObject(text) ?? {};
  if (Object.hasOwn(own, ATTEMPT_FIELD)) delete own[ATTEMPT_FIELD];
  return own;
}

/** Returns the object that a JSON text contains; undefined for any other text and for none. */
function parseObject(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
