import { MAX_MSAT, type Msat, msat } from '../../kernel/money.ts';
import type { NodeInfo } from '../node.ts';
import { InvalidInvoice } from './invalid-invoice.ts';

export type Network = NodeInfo['network'];

const NETWORKS: Readonly<Record<string, Network>> = { bc: 'bitcoin', tb: 'testnet', tbs: 'signet', bcrt: 'regtest' };

/** Pico-bitcoin in one unit of each multiplier; 10 pico-bitcoin are 1 msat. */
const PICO_BITCOIN: Readonly<Record<string, bigint>> = {
  '': 1_000_000_000_000n,
  m: 1_000_000_000n,
  u: 1_000_000n,
  n: 1_000n,
  p: 1n,
};

/** 2^53 − 1 msat in pico-bitcoin has 17 digits; what is longer is too large, and is never handed to BigInt. */
const MAX_AMOUNT_DIGITS = 17;

/**
 * Reads network and amount from the human-readable part, in lower case.
 * Source: BOLT11, "Human-Readable Part".
 * @throws InvalidInvoice
 */
export function readPrefix(prefix: string): { network: Network; amountMsat: Msat | undefined } {
  // The longer names first: `bc` is also how `bcrt` begins, and `tb` how `tbs` does.
  const [, name, amount] = /^ln(bcrt|tbs|bc|tb)(.*)$/.exec(prefix) ?? [];
  const network = NETWORKS[name ?? ''];
  if (network === undefined || amount === undefined) throw new InvalidInvoice('not an invoice of a Bitcoin network');
  return { network, amountMsat: amount === '' ? undefined : readAmount(amount) };
}

function readAmount(text: string): Msat {
  const [, digits, multiplier] = /^([1-9][0-9]*)([munp]?)$/.exec(text) ?? [];
  const picoBitcoin = PICO_BITCOIN[multiplier ?? ''];
  if (digits === undefined || picoBitcoin === undefined) {
    throw new InvalidInvoice('the amount is not a positive number with a multiplier of m, u, n or p');
  }
  if (digits.length > MAX_AMOUNT_DIGITS) throw new InvalidInvoice('the amount is too large');
  const total = BigInt(digits) * picoBitcoin;
  if (total % 10n !== 0n) throw new InvalidInvoice('the amount is not a whole number of millisatoshis');
  if (total / 10n > BigInt(MAX_MSAT)) throw new InvalidInvoice('the amount is too large');
  return msat(Number(total / 10n));
}
