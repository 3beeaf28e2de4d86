import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What LND 0.21.2-beta answered to a request; hold invoices: 0.21.99-beta. A stream has messages; the end is that of the connection. */
export interface Recording {
  readonly case: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: Readonly<Record<string, unknown>> };
  readonly response: { readonly status: number; readonly body?: unknown; readonly messages?: readonly unknown[] };
}

const DIRECTORY = join(import.meta.dirname, 'fixtures');

/** Returns a recorded case of a file in `fixtures`. */
export function recording(file: string, name: string): Recording {
  const found = recordings(file).find((one) => one.case === name);
  if (!found) throw new Error(`${file} has no case "${name}"`);
  return found;
}

export function recordings(file: string): Recording[] {
  return JSON.parse(readFileSync(join(DIRECTORY, `${file}.json`), 'utf8')) as Recording[];
}

export function fixtureFile(name: string): string {
  return join(DIRECTORY, name);
}
