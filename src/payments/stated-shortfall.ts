import { Refusal } from '../kernel/refusal.ts';
import { InsufficientBalance } from '../ledger/arithmetic.ts';

/**
 * Adds the figures to a refusal for a balance that is too small. Only for callers whose key may spend from the wallet: every kind of key
 * that may spend may also read the balance.
 */
export async function stateShortfall<T>(what: 'payment' | 'transfer', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof InsufficientBalance)) throw error;
    const { spendableMsat, amountMsat, reserveMsat } = error.shortfall;
    const required = `The spendable balance is ${spendableMsat} msat. The ${what} requires ${BigInt(amountMsat) + BigInt(reserveMsat)} msat`;
    if (reserveMsat === 0) throw new Refusal('insufficient_balance', `${required}.`);
    throw new Refusal(
      'insufficient_balance',
      `${required}: ${amountMsat} msat for the amount and ${reserveMsat} msat for the fee reserve. ` +
        'A balance that covers the amount, but not all of the fee reserve, is accepted.',
    );
  }
}
