import { randomBytes } from 'node:crypto';

/** The kinds of frames (RFC 6455, section 5.2). */
export const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const FINAL = 0x80;
const MASKED = 0x80;
const MAX_CONTROL_BYTES = 125;

/** A whole text, ping, pong or close. */
interface FrameMessage {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A frame's fields before its payload. */
interface FrameHead {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly headBytes: number;
  readonly payloadBytes: number;
}

/** Reads messages from the bytes of a connection. Buffers at most one message and one frame. */
export class FrameReader {
  readonly #isMasked: boolean;
  readonly #maxMessageBytes: number;
  /** Received bytes. They are joined when they are enough for the next step, so that many small chunks are not copied again and again. */
  #chunks: Buffer[] = [];
  #received = 0;
  #needed = 2;
  /** The payloads of a message of several frames. */
  #fragments: Buffer[] | undefined;

  constructor({ isMasked, maxMessageBytes }: { readonly isMasked: boolean; readonly maxMessageBytes: number }) {
    this.#isMasked = isMasked;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Yields the messages that a chunk completes. @throws Error for frames that the protocol or the limits forbid */
  *read(chunk: Buffer): Generator<FrameMessage> {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    while (this.#received >= this.#needed) {
      const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      this.#chunks = [bytes];
      const head = this.#readHead(bytes);
      if (!head) continue;
      const end = head.headBytes + head.payloadBytes;
      this.#needed = end;
      if (bytes.length < end) return;
      this.#chunks = bytes.length === end ? [] : [bytes.subarray(end)];
      this.#received = bytes.length - end;
      this.#needed = 2;
      const message = this.#join(head, this.#unmask(bytes.subarray(0, end), head));
      if (message) yield message;
    }
  }

  /** Returns undefined if more bytes are needed, and states how many. */
  #readHead(bytes: Buffer): FrameHead | undefined {
    const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
    const opcode = first & 0x0f;
    const isFinal = (first & FINAL) !== 0;
    if ((first & 0x70) !== 0) throw new Error('a frame uses an extension');
    if (((second & MASKED) !== 0) !== this.#isMasked) throw new Error(this.#isMasked ? 'a frame is not masked' : 'a frame is masked');
    const short = second & 0x7f;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    const headBytes = 2 + lengthBytes + (this.#isMasked ? 4 : 0);
    this.#needed = headBytes;
    if (bytes.length < headBytes) return undefined;
    const payloadBytes = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    const isControl = opcode >= Opcode.close;
    if (isControl && (!isFinal || payloadBytes > MAX_CONTROL_BYTES)) throw new Error('a control frame is fragmented or too long');
    if (opcode === Opcode.binary || opcode > Opcode.pong || (opcode > Opcode.binary && !isControl))
      throw new Error(`opcode ${opcode} is refused`);
    const buffered = this.#fragments?.reduce((sum, one) => sum + one.length, 0) ?? 0;
    if (buffered + payloadBytes > this.#maxMessageBytes) throw new Error(`a message is longer than ${this.#maxMessageBytes} bytes`);
    return { opcode, isFinal, headBytes, payloadBytes };
  }

  #unmask(frame: Buffer, { headBytes }: FrameHead): Buffer {
    const payload = frame.subarray(headBytes);
    return this.#isMasked ? mask(payload, frame.subarray(headBytes - 4, headBytes)) : payload;
  }

  #join({ opcode, isFinal }: FrameHead, payload: Buffer): FrameMessage | undefined {
    if (opcode >= Opcode.close) return { opcode, payload };
    if ((opcode === Opcode.continuation) !== (this.#fragments !== undefined)) throw new Error('a frame continues no message');
    const fragments = [...(this.#fragments ?? []), payload];
    if (fragments.length > MAX_FRAGMENTS) throw new Error('a message has too many frames');
    this.#fragments = isFinal ? undefined : fragments;
    return isFinal ? { opcode: Opcode.text, payload: fragments.length === 1 ? payload : Buffer.concat(fragments) } : undefined;
  }
}

const MAX_FRAGMENTS = 64;

/** Returns a frame with a whole message. Those of clients are masked. */
export function writeFrame(opcode: number, payload: Uint8Array, isMasked: boolean): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head.writeUInt8(FINAL | opcode, 0);
  head.writeUInt8((isMasked ? MASKED : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127), 1);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  if (!isMasked) return Buffer.concat([head, payload]);
  const key = randomBytes(4);
  return Buffer.concat([head, key, mask(payload, key)]);
}

function mask(payload: Uint8Array, key: Uint8Array): Buffer {
  const masked = Buffer.from(payload);
  for (let i = 0; i < masked.length; i += 1) masked[i] = (masked[i] as number) ^ (key[i & 3] as number);
  return masked;
}
