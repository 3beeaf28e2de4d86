/** Counts running tasks by name, so that their number can be limited. */
export class RunningTasks {
  readonly #running = new Map<string, number>();

  /** Runs a task unless `max` tasks with this name are running. @throws the error of `refuse` */
  async run<T>(name: string, max: number, refuse: () => Error, task: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name) ?? 0;
    if (running >= max) throw refuse();
    this.#running.set(name, running + 1);
    try {
      return await task();
    } finally {
      const left = (this.#running.get(name) ?? 1) - 1;
      if (left === 0) this.#running.delete(name);
      else this.#running.set(name, left);
    }
  }
}
