import type { Message } from './shared-protocol.ts';

const NEWLINE = 0x0a;

/** What a peer sent cannot be understood; the connection is of no more use. The message never repeats what was sent. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/** What a line turned out to be. Who it comes from decides how far it is to be trusted. */
export interface Frame {
  readonly type: string;
}

/** One line of JSON. */
export function encodeFrame(message: Message): string {
  return `${JSON.stringify(message)}\n`;
}

/** Puts lines together again, keeping no more than `maxBytes` of one. */
export class FrameReader {
  /** May be changed at any time. */
  maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** The messages that this chunk completes. @throws BadFrame */
  *read(chunk: Buffer): Generator<Frame> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#bytes = 0;
      yield parse(line);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.maxBytes) throw new BadFrame(`a message is larger than ${this.maxBytes} bytes`);
    this.#parts.push(part);
  }
}

function parse(line: string): Frame {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BadFrame('a message is no JSON');
  }
  if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string') return value as Frame;
  throw new BadFrame('a message has no type');
}
