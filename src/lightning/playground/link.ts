import { PlaygroundRefusal } from './playground-refusal.ts';
import type { AnswerOf, AskOf, CommandName, Reply, ToPlayground } from './protocol.ts';

/** Asks the playground something. */
export type Call = <N extends CommandName>(command: N, body: AskOf<N>) => Promise<AnswerOf<N>>;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Matches replies with requests, over anything that carries messages in order. */
export class Link {
  readonly #send: (message: ToPlayground) => void;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(send: (message: ToPlayground) => void) {
    this.#send = send;
  }

  /** @throws PlaygroundRefusal, or the error that the link broke with: then nobody knows whether the command was carried out. */
  request<N extends CommandName>(command: N, body: AskOf<N>): Promise<AnswerOf<N>> {
    const id = ++this.#lastId;
    const reply = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ type: 'request', id, command, body });
    return reply as Promise<AnswerOf<N>>;
  }

  take(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.type === 'answer') waiting?.resolve(reply.value);
    else waiting?.reject(new PlaygroundRefusal(reply.message));
  }

  break(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
