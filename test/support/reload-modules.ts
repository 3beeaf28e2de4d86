import { afterAll, vi } from 'vitest';

/**
 * Call it in a file that sets the clock forward. The files that run in one worker share its modules, and ids never go back in time, so the
 * next file would get ids of the future.
 */
export function reloadModulesAfterFile(): void {
  afterAll(() => {
    vi.resetModules();
  });
}
