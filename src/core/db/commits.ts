import type { Database } from './database.ts';

/** Calls listeners after each commit of this process. */
export interface Commits {
  /** @returns a function that removes the listener. */
  listen(listener: () => void): () => void;
}

/** Returns the database with listeners for its commits. A commit with an unknown outcome counts as one. */
export function watchCommits(watched: Database): { database: Database; commits: Commits } {
  const listeners = new Set<() => void>();
  const database: Database = {
    ...watched,
    async transaction(work) {
      try {
        return await watched.transaction(work);
      } finally {
        for (const listener of listeners) listener();
      }
    },
  };
  return {
    database,
    commits: {
      listen(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}
