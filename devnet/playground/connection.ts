import type { Socket } from 'node:net';
import { BadFrame, encodeFrame, type Frame, FrameReader } from './frames.ts';
import type { Message } from './shared-protocol.ts';

export interface ConnectionOptions {
  /** The largest message that is taken from the other side. */
  readonly maxBytes: number;
  /** How often each side says that it is there. */
  readonly beatMs: number;
  take(message: Frame): void;
  /** Called once, as soon as nothing more can be said or heard. */
  closed(reason: string): void;
}

/** What a peer that does not read may make us keep. */
const MAX_QUEUED_BYTES = 16 * 2 ** 20;
const SILENT_BEATS = 3;
const LAST_WORDS_MS = 1_000;

/** Messages over a socket, from one side or the other. A peer that sends nonsense, stays silent or does not read is dropped. */
export class Connection {
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  readonly #options: ConnectionOptions;
  readonly #beat: NodeJS.Timeout;
  /** Counted instead of measured: after a pause of this process, what arrived meanwhile is read before the next beat. */
  #silentBeats = 0;
  #reason = 'the other side hung up';
  #isGone = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new FrameReader(options.maxBytes);
    this.#beat = setInterval(() => this.#beatOnce(), options.beatMs);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => {
      this.#reason = error.message;
    });
    socket.on('end', () => this.#gone());
    socket.on('close', () => this.#gone());
  }

  /** Whether the peer reads more slowly than it is written to. */
  get isCongested(): boolean {
    return this.#socket.writableLength > MAX_QUEUED_BYTES / 2;
  }

  accept(maxBytes: number): void {
    this.#reader.maxBytes = maxBytes;
  }

  /** Does nothing when the connection is gone. */
  send(message: Message): void {
    this.sendText(encodeFrame(message));
  }

  /** Sends what {@link encodeFrame} made. */
  sendText(text: string): void {
    if (this.#isGone || !this.#socket.writable) return;
    this.#socket.write(text);
    if (this.#socket.writableLength > MAX_QUEUED_BYTES) this.break('the other side does not read');
  }

  /** Says one more thing, hears nothing more, and ends. */
  end(lastWords?: Message): void {
    if (lastWords) this.send(lastWords);
    this.#socket.end();
    this.#gone();
    // What the peer still sends is read and thrown away: closing at once would take our last words from it as well.
    setTimeout(() => this.#socket.destroy(), LAST_WORDS_MS).unref();
  }

  break(reason: string): void {
    this.#reason = reason;
    this.#socket.destroy();
    this.#gone();
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearInterval(this.#beat);
    this.#options.closed(this.#reason);
  }

  #read(chunk: Buffer): void {
    this.#silentBeats = 0;
    if (this.#isGone) return;
    try {
      for (const message of this.#reader.read(chunk)) {
        if (message.type !== 'beat') this.#options.take(message);
        if (this.#isGone) return;
      }
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      this.#reason = error.message;
      this.end({ type: 'rejected', message: error.message });
    }
  }

  #beatOnce(): void {
    if (this.#silentBeats++ >= SILENT_BEATS) this.break('the other side is silent');
    else this.send({ type: 'beat' });
  }
}
