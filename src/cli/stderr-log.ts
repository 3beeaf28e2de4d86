import type { Log } from '../core/kernel/log.ts';

/** The log of a command: warnings and errors, written to standard error. */
export const stderrLog: Log = { info() {}, warn: write, error: write };

function write(fields: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
}
