import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './callers.ts';
import { OpenCounts } from './open-counts.ts';

export interface SlotLimits {
  /** For each secret key. */
  readonly ofKey: number;
  /** For each address, without a key or with a public one. */
  readonly ofAddress: number;
  readonly ofAll: number;
}

const ALL = '';

/** Limits the responses that are kept open, waits and live streams, by caller and in total. */
export class WaitingSlots {
  readonly #limits: SlotLimits;
  readonly #open = new OpenCounts();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Takes a slot until the response has ended or its client has disconnected. Returns false if no slot is free. */
  take(request: FastifyRequest, { raw }: FastifyReply): boolean {
    const { name, kind } = callerOf(request);
    const { ofKey, ofAddress, ofAll } = this.#limits;
    const max = { key: ofKey, address: ofAddress, proxy: ofAll }[kind];
    const limits = [
      { name, max },
      { name: ALL, max: ofAll },
    ];
    return this.#open.add(limits, raw);
  }
}
