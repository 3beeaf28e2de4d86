import { parseKey } from '../../core/accounts/keys.ts';
import type { Msat } from '../../core/kernel/money.ts';
import { trimmed } from '../../core/kernel/payment-text.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { PER_TURN, takeTurn } from '../../core/kernel/turns.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Rates } from '../../core/rates/rates.ts';
import type { Wallet, Wallets } from '../../core/wallets/wallets.ts';
import { missingAmount, optionalAnyAmount, type RequestedAmount } from '../../http/amounts.ts';
import { checkLine, convertLine, refusalOfLine } from '../../http/bulk.ts';
import { memoText, passThruText, passThruWith, plainText } from '../../http/fields.ts';
import { isDestination, payeeFields, readDestination, withoutComment } from '../lnurl/remote/destination.ts';
import type { NewLine } from './payouts.ts';

/** A line of a request. */
export interface RequestedLine {
  readonly destination: string;
  readonly num_satoshis?: number;
  readonly num_msat?: number;
  readonly amount?: string;
  readonly currency?: string;
  readonly memo?: string;
  readonly comment?: string;
  readonly fee_limit_msat?: number;
  readonly passThru?: object;
}

interface OrderModules {
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly rates: Rates;
  readonly nowSeconds: number;
}

/** Checks the lines of a request: everything that can be checked without a request to another service. @throws Refusal naming the line */
export async function readLines(modules: OrderModules, source: Wallet, lines: readonly RequestedLine[]): Promise<NewLine[]> {
  const lineOfHash = new Map<string, number>();
  const checked: NewLine[] = [];
  const converter = modules.rates.oneRate();
  for (const [index, line] of lines.entries()) {
    if (index % PER_TURN.signatures === 0) await takeTurn();
    const text = trimmed(line.destination);
    const readAmount = checkLine(index, () => optionalAnyAmount(converter, line));
    const amount = readAmount && (await convertLine(index, readAmount));
    const common = { ...checkLine(index, () => commonFields(line)), amount };
    if (text.startsWith('wal_') || parseKey(text)) {
      const wallet = (await modules.wallets.resolve(text))?.wallet;
      checked.push(checkLine(index, () => walletLine(source, wallet, line, common)));
    } else if (isDestination(text)) {
      checked.push(checkLine(index, () => linkLine(text, line, common)));
    } else {
      const { paymentHash, ...order } = checkLine(index, () => invoiceLine(modules, text, line, common));
      const earlier = lineOfHash.get(paymentHash);
      if (earlier !== undefined)
        throw refusalOfLine(
          index,
          new Refusal('validation_failed', `\`destination\` must be another invoice than that of line ${earlier}.`),
        );
      lineOfHash.set(paymentHash, index);
      checked.push(order);
    }
  }
  return checked;
}

type CommonFields = Pick<NewLine, 'memo' | 'feeLimitMsat' | 'passThru'> & { readonly amount: RequestedAmount | undefined };

function commonFields({ memo, fee_limit_msat, passThru }: RequestedLine): Omit<CommonFields, 'amount'> {
  return {
    memo: memo === undefined ? undefined : memoText(memo),
    feeLimitMsat: fee_limit_msat as Msat | undefined,
    passThru: passThruText(passThru),
  };
}

function walletLine(source: Wallet, wallet: Wallet | undefined, line: RequestedLine, { amount, ...common }: CommonFields): NewLine {
  if (wallet?.accountId !== source.accountId)
    throw new Refusal('not_found', '`destination` must be the id or an access key of a wallet of this account.');
  if (wallet.id === source.id) throw new Refusal('same_wallet');
  // Not the text, which may be a key.
  const passThru = passThruWithoutComment(line, common.passThru, 'A transfer');
  return { ...common, passThru, kind: 'wallet', destination: wallet.id, ...amountOf(amount ?? missingAmount()), message: undefined };
}

function linkLine(text: string, line: RequestedLine, { amount, ...common }: CommonFields): NewLine {
  const destination = readDestination(text, 'pay');
  const message = line.comment === undefined ? undefined : plainText('comment', line.comment);
  return {
    ...common,
    kind: 'link',
    // The sign lets the error of an address without an LNURL service name BIP-353.
    destination: destination.address === undefined ? text : `${destination.isBip353 ? '₿' : ''}${destination.address}`,
    ...amountOf(amount ?? missingAmount()),
    message,
    passThru: passThruWith(line.passThru, payeeFields(destination, message)),
  };
}

function invoiceLine(
  { payments, nowSeconds }: OrderModules,
  text: string,
  line: RequestedLine,
  { amount, ...common }: CommonFields,
): NewLine & { readonly paymentHash: string } {
  const { paymentHash, paymentRequest, expiresAt, ...invoice } = readInvoice(payments, text);
  const given = amount?.amountMsat;
  const amountMsat = invoice.amountMsat ?? invoice.requestedMsat ?? given;
  if (amountMsat === undefined) throw new Refusal('invoice_amount_missing');
  if (given !== undefined && given !== amountMsat) throw new Refusal('invoice_amount_fixed');
  if (expiresAt <= nowSeconds) throw new Refusal('invoice_expired');
  const passThru = passThruWithoutComment(line, common.passThru, 'The payment of an invoice');
  return {
    ...common,
    passThru,
    kind: 'invoice',
    destination: paymentRequest,
    amountMsat,
    fiat: amount?.fiat,
    message: undefined,
    paymentHash,
  };
}

function amountOf({ amountMsat, fiat }: RequestedAmount): Pick<NewLine, 'amountMsat' | 'fiat'> {
  return { amountMsat, fiat };
}

/** The error names the field of a payment. */
function readInvoice(payments: Payments, text: string) {
  try {
    return payments.readInvoice(text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.type, error.message.replace('`payment_request` must be a BOLT11 invoice', NO_DESTINATION));
  }
}

const NO_DESTINATION = '`destination` must be a BOLT11 invoice, a Lightning address, an LNURL or a wallet id';

/** `what`: what carries no comment, at the start of a sentence. */
function passThruWithoutComment({ comment }: RequestedLine, passThru: string | undefined, what: string): string | undefined {
  if (comment === undefined) return passThru;
  return withoutComment(passThru, plainText('comment', comment), `${what} carries no comment. Addresses and LNURLs do.`);
}
