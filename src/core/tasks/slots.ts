import type { TaskSlots } from './queue.ts';

/** What decides about the slots of a task. */
export interface Slotted {
  readonly account_id: string;
  readonly attempts: number;
}

/** Counts the tasks that run: in total, of each account, and those that are slow because they have failed. */
export class SlotCounts {
  readonly #slots: TaskSlots;
  readonly #counts = new Map<string, number>();

  constructor(slots: TaskSlots, running: Iterable<Slotted>) {
    this.#slots = slots;
    for (const one of running) this.#add(one);
  }

  get isFull(): boolean {
    return this.#of('all') >= this.#slots.total;
  }

  isFullFor(account: string): boolean {
    return this.isFull || this.#of(`account ${account}`) >= this.#slots.ofAccount;
  }

  /** Takes the slots of a task. @returns false if one of them is not free */
  take(one: Slotted): boolean {
    const { slow, slowOfAccount } = this.#slots;
    const { account_id: account, attempts } = one;
    if (this.isFullFor(account)) return false;
    if (attempts > 0 && (this.#of('slow') >= slow || this.#of(`slow ${account}`) >= slowOfAccount)) return false;
    this.#add(one);
    return true;
  }

  #of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #add({ account_id: account, attempts }: Slotted): void {
    const names = ['all', `account ${account}`, ...(attempts > 0 ? ['slow', `slow ${account}`] : [])];
    for (const name of names) this.#counts.set(name, this.#of(name) + 1);
  }
}

/**
 * Selects the tasks that get a free slot: one of each account in turn, then a second one of each, and so on.
 * @param waiting the tasks of each account, in the order in which the accounts have their turns
 */
export function selectInTurns<T extends Slotted>(counts: SlotCounts, waiting: readonly (readonly T[])[]): T[] {
  const rest = waiting.map((tasks) => [...tasks]);
  const selected: T[] = [];
  for (let isAnyLeft = true; isAnyLeft && !counts.isFull; ) {
    isAnyLeft = false;
    for (const tasks of rest) {
      const index = counts.isFull ? -1 : tasks.findIndex((task) => counts.take(task));
      if (index === -1) continue;
      isAnyLeft = true;
      selected.push(...tasks.splice(index, 1));
    }
  }
  return selected;
}
