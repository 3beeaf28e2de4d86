import { keyGuard, termsOfKey } from '../../core/accounts/accounts.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { isJsonObject } from '../../core/kernel/json.ts';
import type { Msat } from '../../core/kernel/money.ts';
import { readPaymentText } from '../../core/kernel/payment-text.ts';
import { isPublicKey } from '../../core/kernel/secp256k1.ts';
import type { CustomRecords } from '../../core/lightning/node.ts';
import type { StartedPayment } from '../../core/payments/hold.ts';
import { type Payment, paidFeeMsat } from '../../core/payments/payment.ts';
import { NwcError } from './errors.ts';
import { HOLD_METHODS } from './hold-methods.ts';
import type { AppRequest, NwcModules } from './modules.ts';
import { MAX_INVOICE_BYTES, type Params, readAmount, readHex, readInteger, readMetadata, readText, required } from './params.ts';
import { createInvoice, type Made, madeInvoice, type RowsOf, type StoredMethod } from './stored-method.ts';

const makeInvoice: StoredMethod = {
  makes: 'invoice',
  start: createInvoice,
  result: madeInvoice,
};

const receive: StoredMethod = {
  makes: 'invoice',
  start: createInvoice,
  async result({ invoices }, made) {
    const invoice = await invoices.find(made);
    invariant(invoice, `invoice ${made} is gone`);
    return { bip321: `bitcoin:?lightning=${invoice.paymentRequest}`, transaction_id: invoice.id };
  },
};

/** Starts the payment of an invoice. An earlier payment of the wallet that is pending or has succeeded is the payment of this request, too. */
async function startInvoice(
  { payments }: NwcModules,
  { wallet, key }: AppRequest,
  params: Params,
  order: { readonly invoice: string; readonly feeLimitMsat?: Msat | undefined; readonly rows: RowsOf },
): Promise<Made> {
  const { rows: extraRows, ...rest } = order;
  const started = await payments.payInvoice({
    ...rest,
    wallet,
    amountMsat: readAmount(params),
    passThru: readMetadata(params),
    wtxType: 'ln_withdrawal',
    guards: [keyGuard(key)],
    ...termsOfKey(key),
    unit: 'msat',
    extraRows,
  });
  return madeBy(started);
}

function madeBy({ payment, isReplay }: StartedPayment): Made {
  return { id: payment.id, isReplay };
}

/** Returns a payment that has ended; undefined while it is pending. @throws NwcError PAYMENT_FAILED */
async function endedPayment({ payments }: NwcModules, made: string): Promise<Payment | undefined> {
  const payment = await payments.find(made);
  invariant(payment, `payment ${made} is gone`);
  if (payment.state === 'failed') throw new NwcError('PAYMENT_FAILED', `The payment failed (${payment.failureReason}). Nothing was paid.`);
  return payment.state === 'pending' ? undefined : payment;
}

async function paymentResult(modules: NwcModules, made: string): Promise<object | undefined> {
  const payment = await endedPayment(modules, made);
  return payment && { preimage: payment.preimage ?? '', fees_paid: paidFeeMsat(payment) };
}

const payInvoice: StoredMethod = {
  makes: 'payment',
  start(modules, request, params, rows) {
    const invoice = required(readText(params, 'invoice', MAX_INVOICE_BYTES), 'invoice');
    return startInvoice(modules, request, params, { invoice, rows });
  },
  result: paymentResult,
};

const MAX_LABEL_BYTES = 255;
const MAX_RECORDS = 20;
const MAX_RECORD_BYTES = 1024;

const payKeysend: StoredMethod = {
  makes: 'payment',
  async start({ payments }, { wallet, key }, params, rows) {
    const destination = required(readText(params, 'pubkey', 66), 'pubkey').toLowerCase();
    if (!isPublicKey(destination))
      throw new NwcError('BAD_REQUEST', 'pubkey must be a public key: 66 hexadecimal digits that begin with 02 or 03.');
    const records = readRecords(params.tlv_records);
    const { [PREIMAGE_RECORD]: recordedPreimage, ...customRecords } = records;
    const order = {
      wallet,
      destination,
      amountMsat: required(readAmount(params), 'amount'),
      preimage: agreedPreimage(readHex(params, 'preimage', 64), recordedPreimage),
      customRecords,
      passThru: readMetadata(params),
      guards: [keyGuard(key)],
      ...termsOfKey(key),
      extraRows: rows,
    };
    return madeBy(await payments.keysend({ ...order, unit: 'msat' }));
  },
  result: paymentResult,
};

/** Returns the preimage of a keysend, which an app may send as a parameter, as a record, or both (NIP-47). @throws NwcError BAD_REQUEST */
function agreedPreimage(preimage: string | undefined, recorded: string | undefined): string | undefined {
  if (recorded !== undefined && recorded.length !== 64)
    throw new NwcError(
      'BAD_REQUEST',
      `The record ${PREIMAGE_RECORD} of tlv_records is the preimage. Its value must have 64 hexadecimal digits.`,
    );
  if (preimage !== undefined && recorded !== undefined && preimage !== recorded)
    throw new NwcError(
      'BAD_REQUEST',
      `preimage must be the value of the record ${PREIMAGE_RECORD} of tlv_records. Send one of them, or both alike.`,
    );
  return preimage ?? recorded;
}

/** The first type of custom records (BOLT 1), and the record of a keysend's preimage (bLIP 3). */
const FIRST_CUSTOM_RECORD = 65_536;
const PREIMAGE_RECORD = 5_482_373_484;

/** @throws NwcError BAD_REQUEST */
function readRecords(value: unknown): CustomRecords {
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value) || value.length > MAX_RECORDS)
    throw new NwcError('BAD_REQUEST', `tlv_records must be a list of at most ${MAX_RECORDS} records.`);
  const records = value.map((record): [string, string] => {
    const type: unknown = isJsonObject(record) ? record.type : undefined;
    const text: unknown = isJsonObject(record) ? record.value : undefined;
    const isType = Number.isSafeInteger(type) && (type as number) >= FIRST_CUSTOM_RECORD;
    const isValue = typeof text === 'string' && text.length <= 2 * MAX_RECORD_BYTES && /^([0-9a-f]{2})*$/i.test(text);
    if (!isType || !isValue)
      throw new NwcError(
        'BAD_REQUEST',
        `Each record of tlv_records needs a type from ${FIRST_CUSTOM_RECORD} and a value of at most ${MAX_RECORD_BYTES} bytes in hex.`,
      );
    return [String(type), (text as string).toLowerCase()];
  });
  const byType = Object.fromEntries(records);
  if (Object.keys(byType).length < records.length) throw new NwcError('BAD_REQUEST', 'tlv_records must have each type once.');
  return byType;
}

/** @throws NwcError UNSUPPORTED_PAYMENT_INSTRUCTION for a text or a URI without an invoice, or one that requires something else */
function requireInvoice(payment: string): void {
  const read = readPaymentText(payment);
  if (read.kind === 'invoice' || read.kind === 'ambiguous') return;
  const reason = read.kind === 'unsupported' ? `The URI requires ${read.parameter}` : 'There is no BOLT11 invoice in it';
  throw new NwcError('UNSUPPORTED_PAYMENT_INSTRUCTION', `${reason}. This service pays BOLT11 invoices only.`);
}

/** `pay` of NWC-321. Unlike `pay_invoice`, it can say that the outcome is not known yet. */
const pay: StoredMethod = {
  makes: 'payment',
  async start(modules, request, params, rows) {
    const invoice = required(readText(params, 'payment', MAX_INVOICE_BYTES), 'payment');
    requireInvoice(invoice);
    if (readText(params, 'payer_note', MAX_LABEL_BYTES) !== undefined)
      throw new NwcError('UNSUPPORTED_PAYMENT_INSTRUCTION', 'A BOLT11 invoice carries no payer_note. Leave it out.');
    const feeLimitMsat = readInteger(params, 'max_fee', 0, Number.MAX_SAFE_INTEGER) as Msat | undefined;
    return startInvoice(modules, request, params, { invoice, feeLimitMsat, rows });
  },
  async result({ payments }, made) {
    const payment = await payments.find(made);
    invariant(payment, `payment ${made} is gone`);
    const { state, amountMsat, failureReason } = payment;
    if (state === 'failed') {
      const limitMsat = failureReason === 'NO_ROUTE' ? await payments.feeLimitMsat(payment) : undefined;
      const limit = limitMsat === undefined ? '' : ` No route was found within the fee limit of ${limitMsat} msat.`;
      throw new NwcError('PAYMENT_FAILED', `The payment failed (${failureReason}). Nothing was paid.${limit}`);
    }
    return {
      transaction_id: payment.id,
      state: state === 'pending' ? 'pending' : 'settled',
      instruction_type: 'bolt11',
      amount: amountMsat,
      fees_paid: paidFeeMsat(payment),
      payment_hash: payment.paymentHash,
      created_at: payment.createdAt,
      ...(state === 'succeeded' && { preimage: payment.preimage ?? '', settled_at: payment.settledAt }),
    };
  },
};

/** An item of a list is executed as a request of its own. */
export const STORED_METHODS = {
  ...HOLD_METHODS,
  make_invoice: makeInvoice,
  receive,
  pay_invoice: payInvoice,
  pay_keysend: payKeysend,
  pay,
  multi_pay_invoice: payInvoice,
  multi_pay_keysend: payKeysend,
} as const satisfies Record<string, StoredMethod>;

export type StoredMethodName = keyof typeof STORED_METHODS;
