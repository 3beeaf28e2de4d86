import { inject } from 'vitest';

/** Returns the file to start for a program of the repository: its bundle, where test/support/global-programs.ts has made one. */
export function programOf(entry: string): string {
  return inject('programs')?.[entry] ?? entry;
}
