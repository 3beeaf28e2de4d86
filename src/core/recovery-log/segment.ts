import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

/*
 * The text of a file of the recovery log: a line with its version, then one line per entry. Each is JSON, encrypted with AES-256-GCM under a random
 * nonce; the name of the file is authenticated, so that no line can be moved to another file.
 */

const VERSION = 'satchel recovery log 1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Returns the first line of a file. */
export function headerLine(): string {
  return `${VERSION}\n`;
}

/** Returns the line of an entry. */
export function sealLine(key: KeyObject, file: string, entry: object): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(file));
  const sealed = Buffer.concat([nonce, cipher.update(JSON.stringify(entry)), cipher.final(), cipher.getAuthTag()]);
  return `${sealed.toString('base64')}\n`;
}

export interface OpenedLines {
  readonly entries: readonly unknown[];
  /** Complete lines that could not be read: they were changed, or sealed with another key. */
  readonly damaged: number;
}

/** Reads a file. An incomplete last line is ignored: its entry was never confirmed as stored. */
export function openLines(key: KeyObject, file: string, text: string): OpenedLines {
  const [first, ...lines] = text.split('\n').slice(0, -1);
  if (first === undefined) return { entries: [], damaged: 0 };
  if (first !== VERSION) return { entries: [], damaged: lines.length + 1 };
  const entries = lines.map((line) => openLine(key, file, line)).filter((entry) => entry !== undefined);
  return { entries, damaged: lines.length - entries.length };
}

function openLine(key: KeyObject, file: string, line: string): unknown {
  const bytes = Buffer.from(line, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(file)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(plain.toString()) as unknown;
  } catch {
    return undefined;
  }
}
