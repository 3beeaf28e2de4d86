import { keyGuard } from '../../core/accounts/accounts.ts';
import type { NewInvoice } from '../../core/invoices/create.ts';
import { invariant } from '../../core/kernel/assert.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import type { AppRequest, NwcModules } from './modules.ts';
import { type Params, readAmount, readHex, readInteger, readMetadata, readText } from './params.ts';
import { readInvoiceTransaction } from './transaction-object.ts';

/** Returns the row that stores the request with what it has created, for the transaction that creates it. */
export type RowsOf = (made: string) => readonly RowWrite[];

export interface Made {
  /** The id of the payment or the invoice. */
  readonly id: string;
  /** An earlier request has created it, so the row of this request is not stored yet. */
  readonly isReplay: boolean;
}

/** A method that creates something. It is executed once for each event. */
export interface StoredMethod {
  readonly makes: 'invoice' | 'payment';
  /** @throws NwcError, Refusal, NodeUnavailable when it has created nothing. After any other error that is unknown. */
  start(modules: NwcModules, request: AppRequest, params: Params, rows: RowsOf): Promise<Made>;
  /**
   * Returns the result. Undefined while it is unknown: an error would make apps return money that may have been paid.
   * @throws NwcError after a definitive failure
   */
  result(modules: NwcModules, made: string): Promise<object | undefined>;
}

const DEFAULT_EXPIRY_SECONDS = 86_400;
const MAX_EXPIRY_SECONDS = 31_536_000;
const MAX_DESCRIPTION_BYTES = 639;

/** Creates an invoice. `hold`: what makes it a hold invoice. */
export async function createInvoice(
  modules: NwcModules,
  request: AppRequest,
  params: Params,
  rows: RowsOf,
  hold?: NewInvoice['hold'],
): Promise<Made> {
  const descriptionHash = readHex(params, 'description_hash', 64);
  const passThru = readMetadata(params);
  const { id } = await modules.invoices.create({
    wallet: request.wallet,
    amountMsat: readAmount(params),
    memo: readText(params, 'description', MAX_DESCRIPTION_BYTES) ?? '',
    // 0 counts as absent.
    expirySeconds: readInteger(params, 'expiry', 0, MAX_EXPIRY_SECONDS) || DEFAULT_EXPIRY_SECONDS,
    wtxType: 'ln_deposit',
    guards: [keyGuard(request.key)],
    extraRows: rows,
    ...(descriptionHash !== undefined && { descriptionHash }),
    ...(passThru !== undefined && { passThru }),
    ...(hold && { hold }),
  });
  return { id, isReplay: false };
}

/** Returns an invoice that a request has created. */
export async function madeInvoice(modules: NwcModules, made: string): Promise<object> {
  const invoice = await modules.invoices.find(made);
  invariant(invoice, `invoice ${made} is gone`);
  return readInvoiceTransaction(modules, invoice);
}
