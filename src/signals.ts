import { errorMessage } from './core/kernel/log.ts';

/** npm forwards signals that a terminal or a service manager also sends to this process. */
const SAME_SIGNAL_MS = 1000;

/**
 * Kubernetes kills a process 30 seconds after SIGTERM unless it is configured otherwise; docs/operations.md requires 60. The reason must be
 * written before.
 */
export const GRACE_MS = 25_000;

/** Closes the program and exits on SIGINT and SIGTERM, at the latest after {@link GRACE_MS}. A second signal exits at once. */
export function closeOnSignals(program: string, close: () => Promise<void>): void {
  let closingSinceMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (closingSinceMs !== undefined) {
      if (performance.now() - closingSinceMs < SAME_SIGNAL_MS) return;
      // A second signal skips waiting for running requests. Committed data is not affected.
      process.exit(1);
    }
    closingSinceMs = performance.now();
    process.stdout.write(`\n${signal}: finishing what is running …\n`);
    // A COMMIT that waits for a missing standby has no end.
    setTimeout(() => {
      process.stderr.write(
        `${program} exits: something is still running after ${GRACE_MS / 1000} seconds. Committed data is not affected.\n`,
      );
      process.exit(1);
    }, GRACE_MS).unref();
    close().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`${program} did not stop cleanly: ${errorMessage(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
