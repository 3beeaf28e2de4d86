import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorMessage } from '../../src/kernel/log.ts';
import { NodeUnavailable } from '../../src/lightning/node.ts';
import { PlaygroundRefusal } from '../../src/lightning/test-network.ts';
import { Connection } from './connection.ts';
import { encodeFrame, type Frame } from './frames.ts';
import type { Call } from './link.ts';
import { ONLY_ASKS, type Reply, type Request } from './protocol.ts';
import { MAX_ANSWER_BYTES, MAX_HELLO_BYTES, MAX_REQUEST_BYTES } from './shared-protocol.ts';

export interface SessionOptions {
  readonly secret: string;
  readonly call: Call;
  readonly beatMs: number;
  /** How long a stranger may take to say the secret. */
  readonly helloWaitMs: number;
  /** The secret was right. */
  welcome(): void;
  closed(reason: string): void;
}

/** More commands of one client at once are turned away: nothing was done. */
const MAX_IN_HAND = 4_096;

/** One client of the shared playground, from its first word to its last. */
export class Session {
  readonly #options: SessionOptions;
  readonly #connection: Connection;
  readonly #helloTimer: NodeJS.Timeout;
  #isKnown = false;
  #inHand = 0;

  constructor(socket: Socket, options: SessionOptions) {
    this.#options = options;
    this.#connection = new Connection(socket, {
      maxBytes: MAX_HELLO_BYTES,
      beatMs: options.beatMs,
      take: (message) => (this.#isKnown ? this.#takeRequest(message) : this.#takeHello(message)),
      closed: (reason) => {
        clearTimeout(this.#helloTimer);
        options.closed(reason);
      },
    });
    this.#helloTimer = setTimeout(() => this.reject('the secret was not said in time'), options.helloWaitMs);
  }

  /** Whether it has said the secret. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  send(text: string): void {
    this.#connection.sendText(text);
  }

  reject(message: string): void {
    this.#connection.end({ type: 'rejected', message });
  }

  end(): void {
    this.#connection.end();
  }

  #takeHello(message: Frame): void {
    const right = message.type === 'hello' && 'secret' in message && isSame(message.secret, this.#options.secret);
    if (!right) {
      this.reject('the secret is wrong');
      return;
    }
    clearTimeout(this.#helloTimer);
    this.#isKnown = true;
    this.#connection.accept(MAX_REQUEST_BYTES);
    this.#options.welcome();
  }

  #takeRequest(message: Frame): void {
    if (isRequest(message)) void this.#answer(message);
    else this.reject('this is no command of the playground');
  }

  async #answer({ id, command, body }: Request): Promise<void> {
    this.#inHand++;
    const reply = this.#inHand > MAX_IN_HAND ? tooMany(id) : await replyTo(this.#options.call, { type: 'request', id, command, body });
    this.#inHand--;
    const text = encodeFrame(reply);
    if (Buffer.byteLength(text) <= MAX_ANSWER_BYTES) this.#connection.sendText(text);
    else this.#connection.send({ type: 'doubt', id, message: 'the answer is too large' });
  }
}

function tooMany(id: number): Reply {
  return { type: 'unavailable', id, message: `the playground does ${MAX_IN_HAND} things at once for each client, and no more` };
}

async function replyTo(call: Call, { id, command, body }: Request): Promise<Reply> {
  try {
    return { type: 'answer', id, value: await call(command, body) };
  } catch (error) {
    const message = errorMessage(error);
    if (error instanceof PlaygroundRefusal) return { type: 'refusal', id, message };
    return { type: error instanceof NodeUnavailable ? 'unavailable' : 'doubt', id, message };
  }
}

function isRequest(message: Frame): message is Request {
  const { type, id, command, body } = message as Partial<Record<'type' | 'id' | 'command' | 'body', unknown>>;
  return (
    type === 'request' &&
    Number.isSafeInteger(id) &&
    typeof command === 'string' &&
    Object.hasOwn(ONLY_ASKS, command) &&
    typeof body === 'object'
  );
}

/** Takes as long for a secret that is nearly right as for any other. */
function isSame(said: unknown, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return typeof said === 'string' && timingSafeEqual(digest(said), digest(secret));
}
