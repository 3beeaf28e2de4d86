import { inject } from 'vitest';
import type { Dialect } from '../../src/core/db/database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The databases on which the project runs the suites of each database: see vitest.config.ts. */
    readonly dialects: readonly Dialect[];
  }
}

/** Returns the databases on which suites run. A suite runs on each of them in `npm test` or in `npm run test:thorough`. */
export function dialects(): readonly Dialect[] {
  return inject('dialects');
}
