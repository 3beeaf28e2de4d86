import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { memoText } from '../../http/fields.ts';
import { LNDHUB_PATH } from '../keys/lndhub-link.ts';
import { authorizeApp, keyRoute, type LndhubContext } from './context.ts';
import { bufferObject, type Fields, fieldsOf, readAmountMsat, readInteger, readText } from './fields.ts';

const DEFAULT_EXPIRY_SECONDS = 86_400;
const MAX_EXPIRY_SECONDS = 31_536_000;
const MAX_MEMO = 639;

/** Invoices of wallets, and whether they are paid. */
export function invoiceRoutes(app: App, deps: LndhubContext): void {
  const { invoices } = deps;
  const config = keyRoute(deps.lndhubTokens);

  app.post(`${LNDHUB_PATH}/addinvoice`, { config }, async (request) => {
    const { wallet, guards } = await authorizeApp(deps, request, 'wallet_deposit');
    const fields = fieldsOf(request.body);
    const descriptionHash = readHash(fields, 'description_hash');
    const { paymentHash, paymentRequest } = await invoices.create({
      wallet,
      guards,
      amountMsat: readAmountMsat(fields, 'amt'),
      memo: memoText(readText(fields, 'memo', MAX_MEMO)),
      ...(descriptionHash !== undefined && { descriptionHash }),
      expirySeconds: readInteger(fields, 'expiry', { max: MAX_EXPIRY_SECONDS, unit: 'seconds' }) || DEFAULT_EXPIRY_SECONDS,
      wtxType: 'ln_deposit',
    });
    return {
      r_hash: bufferObject(paymentHash),
      payment_request: paymentRequest,
      pay_req: paymentRequest,
      add_index: ADD_INDEX,
      hash: paymentHash,
      payment_hash: paymentHash,
    };
  });

  app.get<{ Params: { hash: string } }>(`${LNDHUB_PATH}/checkpayment/:hash`, { config }, async (request) => {
    const { wallet } = await authorizeApp(deps, request, 'wallet_tx_read');
    const invoice = await invoices.findByHash(request.params.hash.toLowerCase());
    const { state } = requireFound(invoice?.walletId === wallet.id ? invoice : undefined);
    return { paid: state === 'settled' };
  });
}

/** The index of an invoice at LND, which apps require and do not use. */
export const ADD_INDEX = '500';

function readHash(fields: Fields, name: string): string | undefined {
  const text = readText(fields, name, 64)?.toLowerCase();
  if (text === undefined || /^[0-9a-f]{64}$/.test(text)) return text;
  throw new Refusal('validation_failed', `\`${name}\` must be 32 bytes in hex.`);
}
