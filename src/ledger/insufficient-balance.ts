import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';

/** What the ledger found when it refused a posting. */
export interface Shortfall {
  readonly spendableMsat: Msat;
  readonly amountMsat: Msat;
  /** What would have been held for fees; 0 for a transfer. */
  readonly reserveMsat: Msat;
}

/** The message has no figures, because not every caller may see the balance. */
export class InsufficientBalance extends Refusal {
  readonly shortfall: Shortfall;

  constructor(shortfall: Shortfall) {
    super('insufficient_balance', 'The spendable balance does not cover the amount.');
    this.shortfall = shortfall;
  }
}
