import type { Refusal } from '../../core/kernel/refusal.ts';

interface FairQueueOptions {
  readonly maxAtOnce: number;
  /** The work that may wait, apart from that of known callers, which may be as much again. */
  readonly maxWaiting: number;
  /** The work beyond `maxWaiting` that may wait while no group has more than one piece: newcomers that have nothing in common. Default: 0. */
  readonly maxAlone?: number;
  /** Returns the error for work that may not wait. */
  readonly full: () => Refusal;
}

/** The caller for whom work is queued. */
export interface QueuedCaller {
  /** The groups to which the caller belongs, the largest first: networks, then the address. */
  readonly groups: readonly string[];
  /** Known callers wait in a separate queue, which strangers cannot fill. */
  readonly isKnown?: boolean;
}

interface Waiting {
  begin(): void;
  refuse(): void;
}

/**
 * Runs expensive work, a few pieces at a time. Groups of callers take turns, and the callers within each group. When too many wait, the newest
 * work of the largest group is rejected. So even many requests of one network neither delay much nor displace those of others.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #known = new WaitingGroup();
  readonly #strangers = new WaitingGroup();
  #running = 0;
  #isTurnOfStrangers = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** @throws Refusal if too many wait */
  async run<T>({ groups, isKnown = false }: QueuedCaller, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#options.maxAtOnce) this.#running += 1;
    else await this.#wait(isKnown ? this.#known : this.#strangers, groups);
    try {
      return await work();
    } finally {
      const next = this.#takeNext();
      if (next) next.begin();
      else this.#running -= 1;
    }
  }

  #wait(queue: WaitingGroup, groups: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      queue.add(groups, { begin: resolve, refuse: () => reject(this.#options.full()) });
      const { maxWaiting, maxAlone = 0 } = this.#options;
      if (queue.size > maxWaiting + (queue.hasOnlySingles() ? maxAlone : 0)) queue.dropFromLargest()?.refuse();
    });
  }

  /** Known callers and strangers take turns. */
  #takeNext(): Waiting | undefined {
    const queues = this.#isTurnOfStrangers ? [this.#strangers, this.#known] : [this.#known, this.#strangers];
    this.#isTurnOfStrangers = !this.#isTurnOfStrangers;
    return queues[0]?.take() ?? queues[1]?.take();
  }
}

/** Work that waits, in a tree of groups. */
class WaitingGroup {
  readonly #own: Waiting[] = [];
  readonly #groups = new Map<string, WaitingGroup>();
  size = 0;

  add([first, ...rest]: readonly string[], waiting: Waiting): void {
    this.size += 1;
    if (first === undefined) {
      this.#own.push(waiting);
      return;
    }
    const group = this.#groups.get(first) ?? new WaitingGroup();
    this.#groups.set(first, group);
    group.add(rest, waiting);
  }

  /** Removes the oldest of the group whose turn it is. */
  take(): Waiting | undefined {
    if (this.size === 0) return undefined;
    this.size -= 1;
    for (const [name, group] of this.#groups) {
      const taken = group.take();
      // A Map keeps the order of insertion, so the group is now the last.
      this.#groups.delete(name);
      if (group.size > 0) this.#groups.set(name, group);
      return taken;
    }
    return this.#own.shift();
  }

  /** Returns whether every group has one piece of work. */
  hasOnlySingles(): boolean {
    return this.size === this.#groups.size;
  }

  /** Removes the newest of the largest group; of groups of the same size, of the one that came last. */
  dropFromLargest(): Waiting | undefined {
    this.size -= 1;
    let largest: [string, WaitingGroup] | undefined;
    for (const entry of this.#groups) if (!largest || entry[1].size >= largest[1].size) largest = entry;
    if (!largest) return this.#own.pop();
    const [name, group] = largest;
    const dropped = group.dropFromLargest();
    if (group.size === 0) this.#groups.delete(name);
    return dropped;
  }
}
