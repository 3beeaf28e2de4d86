import type { Log } from '../kernel/log.ts';

/** A command's log: what went wrong, on standard error. */
export const stderrLog: Log = { info() {}, warn: write, error: write };

function write(fields: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
}
