import { execFile } from 'node:child_process';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CopySide } from '../move/side.ts';

const execute = promisify(execFile);

/** Less than the service's own. */
const PRIORITY = 10;

/**
 * Lets this process run only while a processor is idle, where the system can (Linux, with `chrt` of util-linux); elsewhere with a lower priority.
 * On Linux a low priority is not enough: a process that wakes up for a moment, as the service does, waits some milliseconds for a running one.
 * On a machine that is always busy the process may never end, and only root can give it another policy.
 */
export async function yieldToOthers(): Promise<void> {
  try {
    setPriority(PRIORITY);
  } catch {
    // The system forbids it.
  }
  // Fails where there is no such program.
  await execute('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)]).catch(() => {});
}

/** A process that was stopped for a while must not pause for three times as long. */
const MAX_PAUSE_MS = 1000;

/** Reads for a quarter of the time. The server runs each of its sessions with the same priority. */
export function readSlowly(side: CopySide): CopySide {
  return {
    ...side,
    async *lines(table, after) {
      let since = performance.now();
      for await (const lines of side.lines(table, after)) {
        yield lines;
        await delay(Math.min(3 * (performance.now() - since), MAX_PAUSE_MS));
        since = performance.now();
      }
    },
  };
}
