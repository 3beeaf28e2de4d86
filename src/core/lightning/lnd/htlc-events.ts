import { pause } from '../../kernel/clock.ts';
import { limitEntries } from '../../kernel/limit-entries.ts';
import type { LndContext } from './context.ts';
import { subscribe } from './events.ts';
import type { LndHtlc } from './invoices.ts';

/** A message of the stream. Those of other kinds, such as of forwarded payments, are ignored. */
interface HtlcEvent {
  readonly incoming_channel_id?: string;
  readonly incoming_htlc_id?: string;
  readonly subscribed_event?: object | null;
  readonly final_htlc_event?: { readonly settled?: boolean } | null;
}

const RETRY_MS = 1000;
/** An older resolution is looked up. */
const MAX_RESOLUTIONS = 10_000;

/** Reads the resolutions of HTLCs that LND reports as they happen. They are gone after a restart, unless LND stores them. */
export class HtlcEvents {
  readonly #lnd: LndContext;
  /** `<channel>:<index>` → whether it was settled. */
  readonly #resolutions = new Map<string, boolean>();
  readonly #waiting = new Map<string, Set<() => void>>();
  #reading: Promise<void> | undefined;
  #connected = Promise.withResolvers<void>();
  /** Whether LND reports the resolutions of now. */
  isConnected = false;

  constructor(lnd: LndContext) {
    this.#lnd = lnd;
  }

  /** Reads the stream until the signal aborts. Resolves when it begins, or after a time. */
  async begin(signal: AbortSignal, waitMs: number): Promise<void> {
    this.#reading ??= this.#read(signal);
    if (!this.isConnected) await Promise.race([this.#connected.promise, pause(waitMs, signal)]);
  }

  /** Returns whether the HTLC was settled; undefined if LND did not report it. */
  resolutionOf(htlc: LndHtlc): boolean | undefined {
    return this.#resolutions.get(nameOf(htlc));
  }

  /** Resolves when LND has reported the resolution, or after a time. */
  async waitFor(htlc: LndHtlc, ms: number): Promise<void> {
    const name = nameOf(htlc);
    if (ms <= 0 || this.#resolutions.has(name)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting.add(resolve));
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    waiting.delete(resolve);
    if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
  }

  async end(): Promise<void> {
    await this.#reading;
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of subscribe<HtlcEvent>(this.#lnd, '/v2/router/htlcevents', signal)) this.#record(event);
      } catch {
        // The resolutions are looked up. The stream of settlements reports that LND does not answer.
      }
      if (this.isConnected) this.#connected = Promise.withResolvers();
      this.isConnected = false;
      await pause(RETRY_MS, signal);
    }
  }

  #record({ incoming_channel_id: channel, incoming_htlc_id: index, subscribed_event, final_htlc_event }: HtlcEvent): void {
    if (subscribed_event) {
      this.isConnected = true;
      this.#connected.resolve();
    }
    if (typeof final_htlc_event?.settled !== 'boolean' || channel === undefined || index === undefined) return;
    const name = `${channel}:${index}`;
    this.#resolutions.set(name, final_htlc_event.settled);
    limitEntries(this.#resolutions, MAX_RESOLUTIONS);
    for (const resolve of this.#waiting.get(name) ?? []) resolve();
  }
}

function nameOf({ channel, index }: LndHtlc): string {
  return `${channel}:${index}`;
}
