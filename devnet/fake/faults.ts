import type { LightningNode } from '../../src/core/lightning/node.ts';
import type { Draws } from './draws.ts';

/** The calls of the node interface that can have a fault. */
export type CallName = Exclude<keyof LightningNode, 'guardIncoming' | 'watch' | 'watchPayments' | 'checkCredential' | 'close'>;

/** The fault of one call. */
export interface CallFault {
  /** `call`: the request does not reach the node. `answer`: the node executes it, and the response is lost. The caller gets the same error. */
  readonly lose?: 'call' | 'answer';
  /** The call throws NodeUnavailable. The node does not execute it. */
  readonly unavailable?: boolean;
  /** The call throws NotPermitted. The node does not execute it. */
  readonly notPermitted?: boolean;
  /** The request reaches the node after this delay. */
  readonly delayMs?: number;
  /** The response is lost, and the node executes the call after this delay; until then it has no record of it. */
  readonly executeAfterMs?: number;
  /** The node executes the call and never responds. */
  readonly hang?: boolean;
  /** The node executes the call and returns this value in place of the result. */
  readonly instead?: unknown;
}

/** The fault of an event: written twice, or written after the next event. */
export type EventFault = 'duplicate' | 'overtaken' | undefined;

/** The probabilities of random faults, from 0 to 1. */
export interface FaultRates {
  readonly loseCall: number;
  readonly loseAnswer: number;
  readonly unavailable: number;
  /** Calls that reach the node late. */
  readonly delay: number;
  /** Payments that stay pending for up to {@link MAX_PAYMENT_DELAY_MS}. */
  readonly slow: number;
  /** Payments that fail. */
  readonly fail: number;
  /** Events written twice. */
  readonly duplicate: number;
  /** Events written after later events. */
  readonly reorder: number;
  /** Watches that break before an event. */
  readonly breakWatch: number;
  /** Starts of a payment at which the failure of an earlier attempt is reported again. */
  readonly stale: number;
  /** Payments that the node wrongly reports as failed and that succeed later. */
  readonly lateSuccess: number;
  /** Settlements that are reported up to {@link MAX_FINAL_DELAY_MS} before they are final. */
  readonly lateFinal: number;
  /** Settlements that are reported although the money goes back to the payer. */
  readonly neverArrives: number;
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
  lateFinal: 0,
  neverArrives: 0,
};

/** Returns one rate for all faults that a correct node on a bad network can show. Excludes those of false reports. */
export function faultsAt(rate: number): FaultRates {
  const all = Object.fromEntries(Object.keys(NO_FAULTS).map((name) => [name, rate])) as unknown as FaultRates;
  return { ...all, lateSuccess: 0, lateFinal: 0, neverArrives: 0 };
}

/** The upper limits of random delays. */
export const MAX_CALL_DELAY_MS = 500;
export const MAX_PAYMENT_DELAY_MS = 10_000;
export const MAX_FINAL_DELAY_MS = 10_000;

/** Chooses the fault of each call and event: scripted faults first, then random faults drawn from the seed. */
export class Faults {
  rates: FaultRates;
  readonly #draws: Draws;
  readonly #next = new Map<CallName, CallFault[]>();
  readonly #nextEvent: EventFault[] = [];
  readonly #always = new Map<CallName, CallFault>();
  readonly #calls = new Map<CallName, number>();

  constructor(draws: Draws, rates: Partial<FaultRates>) {
    this.#draws = draws;
    this.rates = { ...NO_FAULTS, ...rates };
  }

  /** Adds a fault for the next call with this name that has none yet. */
  next(name: CallName, fault: CallFault): void {
    this.#next.set(name, [...(this.#next.get(name) ?? []), fault]);
  }

  /** Sets the fault of every call with this name. `undefined` removes it. */
  always(name: CallName, fault: CallFault | undefined): void {
    if (fault) this.#always.set(name, fault);
    else this.#always.delete(name);
  }

  /** Removes all faults and sets all rates to 0. */
  calm(): void {
    this.rates = NO_FAULTS;
    this.#next.clear();
    this.#always.clear();
    this.#nextEvent.length = 0;
  }

  /** Returns how many calls with this name have begun. */
  calls(name: CallName): number {
    return this.#calls.get(name) ?? 0;
  }

  /** Returns the fault of this call. `scripted` comes from the payment's script. */
  ofCall(name: CallName, scripted: CallFault | undefined): CallFault {
    this.#calls.set(name, this.calls(name) + 1);
    const planned = this.#next.get(name)?.shift() ?? scripted ?? this.#always.get(name);
    // `info` has no random faults: a service calls it once at its start and would stop.
    return planned ?? (name === 'info' ? {} : this.#drawn(name));
  }

  /** Adds a fault for the next event. */
  nextEvent(fault: EventFault): void {
    this.#nextEvent.push(fault);
  }

  ofEvent(): EventFault {
    return this.#nextEvent.shift() ?? (this.happens('reorder') ? 'overtaken' : this.happens('duplicate') ? 'duplicate' : undefined);
  }

  happens(
    fault: 'slow' | 'fail' | 'duplicate' | 'reorder' | 'breakWatch' | 'stale' | 'lateSuccess' | 'lateFinal' | 'neverArrives',
  ): boolean {
    return this.#draws.happens(fault, this.rates[fault]);
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
