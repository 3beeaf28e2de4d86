import { eventNumber, eventPosition } from '../../src/lightning/event-position.ts';
import type { NodeEvent, Position } from '../../src/lightning/node.ts';
import type { NewEvent } from './tables.ts';
import type { World } from './world.ts';

/** How long an overtaken event waits when none follows. */
const OVERTAKEN_MS = 1_000;

/** The events of our node, in order, numbered 1, 2, 3 … */
export class EventLog {
  readonly #world: World;
  readonly #waiting = new Set<() => void>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Writes an event, unless a fault has it wait for the next one or come twice. */
  append(event: NewEvent): void {
    const fault = this.#world.faults.ofEvent();
    if (fault === 'overtaken') {
      this.#world.tables.overtaken.put(this.#world.draws.count('overtaken'), event);
      this.#world.schedule(OVERTAKEN_MS, { type: 'release' });
      return;
    }
    this.write(event);
    if (fault === 'duplicate') this.write(event);
    this.release();
  }

  /** Writes what was overtaken. */
  release(): void {
    const { overtaken } = this.#world.tables;
    for (const [key, event] of [...overtaken.entries()]) {
      overtaken.delete(key);
      this.write(event);
    }
  }

  /** Writes an event whatever the faults say. */
  write(event: NewEvent): void {
    const { events } = this.#world.tables;
    const number = events.size + 1;
    // This count goes on when the node is restored from a backup, so no two events ever have the same position.
    const position = eventPosition(number, String(this.#world.draws.count('events written') + 1));
    events.put(number, { ...event, position } as NodeEvent);
    this.wake();
  }

  /** Returns the first event after a position, or the first of all. */
  after(position: Position | undefined): NodeEvent | undefined {
    return this.#world.tables.events.get(eventNumber(position) + 1);
  }

  has(position: Position): boolean {
    return this.#world.tables.events.get(eventNumber(position))?.position === position;
  }

  /** Lets everybody who waits look again. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when there may be something new, or when the signal aborts. */
  async news(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }
}
