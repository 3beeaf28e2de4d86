import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const VERIFIER = join(import.meta.dirname, '..', '..', 'docs', 'verify-proof.mjs');

export interface Verdict {
  /** 0 accepted, 1 rejected, 2 nothing was checked. */
  readonly code: number | null;
  readonly output: string;
}

/** Runs the verifier of the documentation in a process, with a proof as its input. */
export async function runVerifier(input: unknown, flags: readonly string[], env: Record<string, string> = {}): Promise<Verdict> {
  const child = spawn(process.execPath, [VERIFIER, ...flags], { env: { PATH: process.env.PATH, ...env } });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  // A verifier that rejects its arguments ends without reading.
  child.stdin.on('error', () => undefined);
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const [code] = await once(child, 'close');
  return { code, output };
}
