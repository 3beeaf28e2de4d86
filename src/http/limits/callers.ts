import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPublicText } from '../../core/accounts/keys.ts';
import { isLoopback, networkOf } from './addresses.ts';
import { OpenCounts } from './open-counts.ts';

/** The client of a request, as the limits count it. */
export interface Caller {
  /** The key, or the address. */
  readonly name: string;
  /** What its work counts against: the account of the key, because an account has many keys; otherwise the address. */
  readonly payer: string;
  /** `proxy`: this machine without a key, which may be a reverse proxy for many clients. */
  readonly kind: 'key' | 'address' | 'proxy';
}

/** Returns the secret key of a request if it was checked; otherwise the address, also for a public key and for one that was made up. */
export function callerOf({ credential, ip }: FastifyRequest): Caller {
  if (credential && !isPublicText(credential.text)) return { name: credential.text, payer: credential.key.accountId, kind: 'key' };
  const name = networkOf(ip);
  return { name, payer: name, kind: isLoopback(ip) ? 'proxy' : 'address' };
}

export interface SlotLimits {
  /** For each secret key. */
  readonly ofKey: number;
  /** For all secret keys of one account. */
  readonly ofAccount: number;
  /** For each address, without a key or with a public one. */
  readonly ofAddress: number;
  readonly ofAll: number;
}

/** Limits the responses that are kept open, waits and live streams, by key or address, by account and in total. */
export class WaitingSlots {
  readonly #limits: SlotLimits;
  readonly #open = new OpenCounts();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Takes a slot until the response has ended or its client has disconnected. Returns false if no slot is free. */
  take(request: FastifyRequest, { raw }: FastifyReply): boolean {
    const { name, payer, kind } = callerOf(request);
    const { ofKey, ofAccount, ofAddress, ofAll } = this.#limits;
    const own = kind === 'key' ? [{ name: payer, max: ofAccount }] : [];
    const max = { key: ofKey, address: ofAddress, proxy: ofAll }[kind];
    return this.#open.add([{ name, max }, ...own, { name: 'all', max: ofAll }], raw);
  }
}

/**
 * Lets work begin at once, but only one piece for each caller in each cycle of the event loop. Hundreds of requests that arrive together from one
 * address would otherwise be handled in a row, and the requests of others wait for all of them.
 */
export class CycleTurns {
  readonly #waiting = new Map<string, (() => void)[]>();

  begin(caller: string, work: () => void): void {
    const waiting = this.#waiting.get(caller);
    if (waiting) {
      waiting.push(work);
      return;
    }
    this.#waiting.set(caller, []);
    setImmediate(() => this.#beginNext(caller));
    work();
  }

  #beginNext(caller: string): void {
    const work = this.#waiting.get(caller)?.shift();
    if (!work) {
      this.#waiting.delete(caller);
      return;
    }
    setImmediate(() => this.#beginNext(caller));
    work();
  }
}
