const FEE_LIMIT_MSAT = 2_000;

/** How the payment of a claim ends. `late`: the node reports a failure, and success later. */
export type Ending = { readonly paid: number } | 'failed' | 'held' | 'late';

interface TwinClaim {
  readonly amountMsat: number;
  readonly day: number;
  readonly isInternal: boolean;
  state: 'pending' | 'paid' | 'failed' | 'failed, will succeed';
  feeMsat: number;
}

export interface TwinTerms {
  readonly maxMsat: number | undefined;
  readonly uses: number | undefined;
  readonly dailyMsat: number | undefined;
}

/**
 * A withdraw link as its documentation describes it. It keeps every claim and counts them again for each question; the service keeps
 * counters. The wallet's balance is never the limit.
 */
export class LinkTwin {
  readonly feeLimitMsat = FEE_LIMIT_MSAT;
  readonly #terms: TwinTerms;
  readonly #claims: TwinClaim[] = [];
  #isRevoked = false;
  #day = 0;

  constructor(terms: TwinTerms) {
    this.#terms = terms;
  }

  /** Returns whether the link accepts the claim. */
  claim(amountMsat: number, ending: Ending, isInternal = false): boolean {
    if (!this.#accepts(amountMsat)) return false;
    const feeMsat = typeof ending === 'object' ? ending.paid : 0;
    const state = typeof ending === 'object' ? 'paid' : ENDINGS[ending];
    this.#claims.push({ amountMsat, day: this.#day, isInternal, state, feeMsat });
    return true;
  }

  #accepts(amountMsat: number): boolean {
    const { maxMsat = Number.POSITIVE_INFINITY, uses, dailyMsat = Number.POSITIVE_INFINITY } = this.#terms;
    if (this.#isRevoked || (uses !== undefined && this.#counted().length >= uses)) return false;
    const today = this.#counted().filter(({ day }) => day === this.#day);
    const left = dailyMsat - sum(today, (claim) => (claim.state === 'paid' ? cost(claim) : reserve(claim)));
    const most = Math.min(maxMsat, left - FEE_LIMIT_MSAT);
    return amountMsat <= most && amountMsat >= Math.min(1_000, most);
  }

  /** Ends the claims that are held, in the order of their beginning. */
  endHeld(isPaid: boolean): void {
    for (const claim of this.#claims) if (claim.state === 'pending') claim.state = isPaid ? 'paid' : 'failed';
  }

  endLate(): void {
    for (const claim of this.#claims) if (claim.state === 'failed, will succeed') claim.state = 'paid';
  }

  revoke(): void {
    this.#isRevoked = true;
  }

  nextDay(): void {
    this.#day += 1;
  }

  /** Returns what the API shows of the link. */
  shown(): object {
    const { uses } = this.#terms;
    const counted = this.#counted();
    const paid = counted.filter(({ state }) => state === 'paid');
    const pending = counted.filter(({ state }) => state === 'pending');
    const today = ({ day }: TwinClaim): boolean => day === this.#day;
    const usesLeft = uses === undefined ? null : Math.max(0, uses - counted.length);
    return {
      uses: uses ?? null,
      uses_left: usesLeft,
      claims: counted.length,
      claimed_msat: sum(paid, ({ amountMsat }) => amountMsat),
      pending_msat: sum(pending, reserve),
      daily_spent_msat: sum(paid.filter(today), cost),
      daily_pending_msat: sum(pending.filter(today), reserve),
      is_active: !this.#isRevoked && usesLeft !== 0,
    };
  }

  /** Returns what the wallet has paid for the claims, with fees. */
  spentMsat(): number {
    return sum(
      this.#claims.filter(({ state }) => state === 'paid'),
      cost,
    );
  }

  /** The claims that are in flight or were paid. */
  #counted(): TwinClaim[] {
    return this.#claims.filter(({ state }) => state === 'pending' || state === 'paid');
  }
}

const ENDINGS = { failed: 'failed', held: 'pending', late: 'failed, will succeed' } as const;

function cost({ amountMsat, feeMsat }: TwinClaim): number {
  return amountMsat + feeMsat;
}

function reserve({ amountMsat, isInternal }: TwinClaim): number {
  return amountMsat + (isInternal ? 0 : FEE_LIMIT_MSAT);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
