import { NodeUnavailable } from '../../src/lightning/node.ts';
import { OutcomeUnknown, PlaygroundRefusal } from '../../src/lightning/test-network.ts';
import type { AnswerOf, AskOf, CommandName, Reply, Request } from './protocol.ts';

/** Asks the playground something. */
export type Call = <N extends CommandName>(command: N, body: AskOf<N>) => Promise<AnswerOf<N>>;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Matches replies with requests, over anything that carries messages in order. */
export class Link {
  readonly #send: (request: Request) => void;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isBroken = false;

  /** `send` throws when the request surely does not leave. */
  constructor(send: (request: Request) => void) {
    this.#send = send;
  }

  /** @throws PlaygroundRefusal, NodeUnavailable, what `send` throws, or OutcomeUnknown when the link breaks first. */
  request<N extends CommandName>(command: N, body: AskOf<N>): Promise<AnswerOf<N>> {
    // A caller may have been given this link just before it broke.
    if (this.#isBroken) throw new NodeUnavailable('the connection to the playground broke before this was sent');
    const id = ++this.#lastId;
    this.#send({ type: 'request', id, command, body });
    const reply = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    return reply as Promise<AnswerOf<N>>;
  }

  take(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.type === 'answer') waiting?.resolve(reply.value);
    else waiting?.reject(errorOf(reply));
  }

  /** For ever. */
  break(error: OutcomeUnknown): void {
    this.#isBroken = true;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

function errorOf(reply: Exclude<Reply, { type: 'answer' }>): Error {
  switch (reply.type) {
    case 'refusal':
      return new PlaygroundRefusal(reply.message);
    case 'unavailable':
      return new NodeUnavailable(reply.message);
    case 'doubt':
      return new OutcomeUnknown(reply.message);
  }
}
