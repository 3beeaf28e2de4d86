import type { IncomingGuard } from '../../src/lightning/node.ts';
import type { Ask, Incoming } from './incoming.ts';
import type { World } from './world.ts';

const RETRY_MS = 500;

/** Who is asked, one for each service that is connected. */
export interface Guardian {
  readonly guard: IncomingGuard | undefined;
  /** Its service is gone, or the node is: whatever it still says is not heard. */
  readonly isAway: boolean;
}

/** Asks every connected guard about a payment at our door; the first answer counts. A guard that throws is asked again. */
export class Gate {
  readonly #world: World;
  readonly #incoming: Incoming;
  readonly #guardians = new Set<Guardian>();

  constructor(world: World, incoming: Incoming) {
    this.#world = world;
    this.#incoming = incoming;
  }

  /** Whether anybody is there to decide. */
  get isGuarded(): boolean {
    return [...this.#guardians].some((guardian) => guardian.guard && !guardian.isAway);
  }

  add(guardian: Guardian): void {
    this.#guardians.add(guardian);
  }

  remove(guardian: Guardian): void {
    this.#guardians.delete(guardian);
  }

  /** Puts a payment before every guard. */
  ask(ask: Ask): void {
    for (const guardian of this.#guardians) void this.#askOne(guardian, ask);
  }

  /** Puts everything that waits before a guard: a new one, or one that was cut off. */
  askAgain(guardian: Guardian): void {
    for (const ask of this.#incoming.asks()) void this.#askOne(guardian, ask);
  }

  askAllAgain(): void {
    for (const guardian of this.#guardians) this.askAgain(guardian);
  }

  async #askOne(guardian: Guardian, ask: Ask): Promise<void> {
    if (!guardian.guard || guardian.isAway) return;
    try {
      const decision = await guardian.guard(ask.incoming);
      if (!guardian.isAway) this.#world.step(() => this.#incoming.decide(ask, decision));
    } catch {
      this.#world.time.after(RETRY_MS, () => this.#isOpen(ask) && void this.#askOne(guardian, ask));
    }
  }

  #isOpen({ askId, incoming }: Ask): boolean {
    const receipt = this.#world.tables.receipts.get(incoming.paymentHash);
    return receipt?.askId === askId && receipt.state === 'asked';
  }
}
