import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app-type.ts';
import { credentialText } from '../auth/credential.ts';
import { FairQueue } from './fair-queue.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the list's job in the queue. */
    endListJob: (() => void) | undefined;
  }
}

/** Items that all lists together may have in memory while they are read and rendered. Each takes up to 40 kB. */
const ITEMS_AT_ONCE = 1000;

/** Bounds the memory of lists while they are read and rendered. Keys take turns. */
export interface ListJobs {
  /** Waits until a list of this many items may be read. Its job ends when the response was serialized, or its client has disconnected. */
  start(request: FastifyRequest, reply: FastifyReply, items: number): Promise<void>;
}

export function createListJobs(app: App): ListJobs {
  const queue = new FairQueue(ITEMS_AT_ONCE);
  app.decorateRequest('endListJob', undefined);
  return {
    async start(request, reply, items) {
      const end = await queue.startJob(credentialText(request) ?? '', items);
      request.endListJob = end;
      // A client that disconnected while the request waited emits no further event.
      if (reply.raw.destroyed) end();
      else reply.raw.once('close', end);
    },
  };
}

/** The hook of routes with list jobs. */
export function endListJob(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  request.endListJob?.();
  done(null, payload);
}
