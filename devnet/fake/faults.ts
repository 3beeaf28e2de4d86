import type { LightningNode } from '../../src/lightning/node.ts';
import type { Draws } from './draws.ts';

/** The calls of the port that can go wrong. */
export type CallName = Exclude<keyof LightningNode, 'guardIncoming' | 'watch' | 'close'>;

/** What goes wrong with one call. */
export interface CallFault {
  /** `call`: it never reaches the node. `answer`: the node does it, and nobody hears of it. The caller gets the same error. */
  readonly lose?: 'call' | 'answer';
  /** The call throws NodeUnavailable, and the node does nothing. */
  readonly unavailable?: boolean;
  /** It reaches the node only after this long. */
  readonly delayMs?: number;
  /** The node does it, and never answers. */
  readonly hang?: boolean;
  /** The node does it, and says this instead of the truth. */
  readonly instead?: unknown;
}

/** What goes wrong with an event: it is written twice, or only after the one that follows it. */
export type EventFault = 'duplicate' | 'overtaken' | undefined;

/** How often what goes wrong by chance, from 0 to 1. */
export interface FaultRates {
  readonly loseCall: number;
  readonly loseAnswer: number;
  readonly unavailable: number;
  /** Calls that take their time. */
  readonly delay: number;
  /** Payments that stay pending for a while. */
  readonly slow: number;
  /** Payments that fail. */
  readonly fail: number;
  /** Events told twice. */
  readonly duplicate: number;
  /** Events told after later ones. */
  readonly reorder: number;
  /** Watches that break before an event. */
  readonly breakWatch: number;
  /** An older attempt's failure told again when a new one begins. */
  readonly stale: number;
  /** Payments reported failed that succeed later: a lie. */
  readonly lateSuccess: number;
}

export const NO_FAULTS: FaultRates = {
  loseCall: 0,
  loseAnswer: 0,
  unavailable: 0,
  delay: 0,
  slow: 0,
  fail: 0,
  duplicate: 0,
  reorder: 0,
  breakWatch: 0,
  stale: 0,
  lateSuccess: 0,
};

/** Everything that an honest node and a bad network do, at one rate. */
export function faultsAt(rate: number): FaultRates {
  const all = Object.fromEntries(Object.keys(NO_FAULTS).map((name) => [name, rate])) as unknown as FaultRates;
  return { ...all, lateSuccess: 0 };
}

/** The longest a call or a payment is kept waiting by chance. */
export const MAX_CALL_DELAY_MS = 500;
export const MAX_PAYMENT_DELAY_MS = 10_000;

/** Decides what goes wrong: first what was scripted, then what the seed draws. */
export class Faults {
  rates: FaultRates;
  readonly #draws: Draws;
  readonly #next = new Map<CallName, CallFault[]>();
  readonly #nextEvent: EventFault[] = [];
  readonly #always = new Map<CallName, CallFault>();

  constructor(draws: Draws, rates: Partial<FaultRates>) {
    this.#draws = draws;
    this.rates = { ...NO_FAULTS, ...rates };
  }

  /** The next call of this name that has no other fault yet. */
  next(name: CallName, fault: CallFault): void {
    this.#next.set(name, [...(this.#next.get(name) ?? []), fault]);
  }

  /** Every call of this name, until it is taken back with undefined. */
  always(name: CallName, fault: CallFault | undefined): void {
    if (fault) this.#always.set(name, fault);
    else this.#always.delete(name);
  }

  /** From here on nothing goes wrong that is not asked for again. */
  calm(): void {
    this.rates = NO_FAULTS;
    this.#next.clear();
    this.#always.clear();
    this.#nextEvent.length = 0;
  }

  /** What goes wrong with this call; `scripted` is the payment's own. */
  ofCall(name: CallName, scripted: CallFault | undefined): CallFault {
    const planned = this.#next.get(name)?.shift() ?? scripted ?? this.#always.get(name);
    // `info` is spared: the start of a service asks it once, and would end there.
    return planned ?? (name === 'info' ? {} : this.#drawn(name));
  }

  /** What happens to the next event, once. */
  nextEvent(fault: EventFault): void {
    this.#nextEvent.push(fault);
  }

  ofEvent(): EventFault {
    return this.#nextEvent.shift() ?? (this.happens('reorder') ? 'overtaken' : this.happens('duplicate') ? 'duplicate' : undefined);
  }

  happens(what: 'slow' | 'fail' | 'duplicate' | 'reorder' | 'breakWatch' | 'stale' | 'lateSuccess'): boolean {
    return this.#draws.happens(what, this.rates[what]);
  }

  #drawn(name: CallName): CallFault {
    const { unavailable, loseCall, loseAnswer, delay } = this.rates;
    if (this.#draws.happens(`${name} unavailable`, unavailable)) return { unavailable: true };
    if (this.#draws.happens(`${name} loseCall`, loseCall)) return { lose: 'call' };
    const lose = this.#draws.happens(`${name} loseAnswer`, loseAnswer) ? { lose: 'answer' as const } : {};
    const late = this.#draws.happens(`${name} delay`, delay) ? { delayMs: this.#draws.below(`${name} delayMs`, MAX_CALL_DELAY_MS) } : {};
    return { ...lose, ...late };
  }
}
