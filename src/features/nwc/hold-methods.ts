import { keyGuard } from '../../core/accounts/accounts.ts';
import type { Invoice } from '../../core/invoices/invoice.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { paymentHashOf } from '../../core/lightning/payment-hash.ts';
import { NwcError } from './errors.ts';
import type { AppRequest, NwcModules } from './modules.ts';
import { readHex, readInteger, required } from './params.ts';
import { createInvoice, madeInvoice, type StoredMethod } from './stored-method.ts';

/** The blocks that a payer may be asked to leave until the HTLC expires: enough for a decision, and what payers accept. */
const MIN_FINAL_BLOCKS = 40;
const MAX_FINAL_BLOCKS = 1008;

const makeHoldInvoice: StoredMethod = {
  makes: 'invoice',
  start(modules, request, params, rows) {
    const paymentHash = required(readHex(params, 'payment_hash', 64), 'payment_hash');
    const minFinalCltvBlocks = readInteger(params, 'min_cltv_expiry_delta', MIN_FINAL_BLOCKS, MAX_FINAL_BLOCKS);
    return createInvoice(modules, request, params, rows, { paymentHash, ...(minFinalCltvBlocks !== undefined && { minFinalCltvBlocks }) });
  },
  result: madeInvoice,
};

/** The decision is stored with the invoice, so a repeated request has the same outcome, and needs no row of its own in that posting. */
const settleHoldInvoice: StoredMethod = {
  makes: 'invoice',
  async start(modules, request, params) {
    const preimage = required(readHex(params, 'preimage', 64), 'preimage');
    const invoice = await ownInvoice(modules, request, paymentHashOf(preimage));
    const { id } = await modules.holdInvoices.settle(invoice, preimage, [keyGuard(request.key)]);
    return { id, isReplay: true };
  },
  result: (modules, made) => decided(modules, made, 'settled'),
};

const cancelHoldInvoice: StoredMethod = {
  makes: 'invoice',
  async start(modules, request, params) {
    const invoice = await ownInvoice(modules, request, required(readHex(params, 'payment_hash', 64), 'payment_hash'));
    const { id } = await modules.holdInvoices.cancel(invoice, [keyGuard(request.key)]);
    return { id, isReplay: true };
  },
  result: (modules, made) => decided(modules, made, 'canceled'),
};

/** @throws NwcError NOT_FOUND */
async function ownInvoice({ invoices }: NwcModules, { wallet }: AppRequest, paymentHash: string): Promise<Invoice> {
  const invoice = await invoices.findByHash(paymentHash);
  if (invoice?.walletId === wallet.id && invoice.isHold) return invoice;
  throw new NwcError('NOT_FOUND', 'The wallet has no hold invoice with this payment hash.');
}

/** Returns the result of a decision; undefined while it is not carried out. @throws NwcError if the opposite has happened */
async function decided({ invoices }: NwcModules, made: string, wanted: 'settled' | 'canceled'): Promise<object | undefined> {
  const invoice = await invoices.find(made);
  invariant(invoice, `invoice ${made} is gone`);
  const { state } = invoice;
  if (state === wanted) return {};
  if (state === 'settled' || state === 'canceled' || state === 'failed')
    throw new NwcError('OTHER', `The hold invoice is ${state === 'canceled' ? 'cancelled' : state}.`);
  return undefined;
}

/** The methods for hold invoices of NIP-47. */
export const HOLD_METHODS = {
  make_hold_invoice: makeHoldInvoice,
  settle_hold_invoice: settleHoldInvoice,
  cancel_hold_invoice: cancelHoldInvoice,
} as const satisfies Record<string, StoredMethod>;
