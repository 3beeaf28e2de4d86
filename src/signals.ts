import { errorMessage } from './core/kernel/log.ts';

/** npm forwards signals that a terminal or a service manager also sends to this process. */
const SAME_SIGNAL_MS = 1000;

/** Closes the program and exits on SIGINT and SIGTERM. A second signal exits at once. */
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
