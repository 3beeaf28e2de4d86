import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPublicText } from '../../core/accounts/keys.ts';
import { isLoopback, networkOf } from '../../http/limits/addresses.ts';
import { OpenCounts } from '../../http/limits/open-counts.ts';

export interface PlaceLimits {
  /** For each secret key. */
  readonly ofKey: number;
  /** For each address, without a key or with a public one. */
  readonly ofAddress: number;
  readonly ofAll: number;
}

const ALL = '';

/** Limits the responses that are kept open, by caller and in total. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #open = new OpenCounts();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Takes a place until the response has ended or its client has disconnected. Returns false if no place is free. */
  take(request: FastifyRequest, { raw }: FastifyReply): boolean {
    // Public routes do not check the key, and a made-up one must not get places of its own.
    const key = request.credential?.text;
    const isSecret = key !== undefined && !isPublicText(key);
    const name = isSecret ? key : networkOf(request.ip);
    // Requests from this machine may come through a reverse proxy, for all of its clients.
    const max = isSecret ? this.#limits.ofKey : isLoopback(request.ip) ? this.#limits.ofAll : this.#limits.ofAddress;
    if (this.#open.countOf(name) >= max || this.#open.countOf(ALL) >= this.#limits.ofAll) return false;
    // A client that has disconnected emits no further event.
    if (raw.destroyed) return true;
    this.#open.countUntilClosed(name, raw);
    this.#open.countUntilClosed(ALL, raw);
    return true;
  }
}
