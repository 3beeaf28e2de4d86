import { NodeUnavailable } from '../node.ts';
import type { LndTransport } from './transport.ts';

export interface GetInfoResponse {
  readonly identity_pubkey: string;
  readonly alias: string;
  /** `0.21.2-beta commit=…` */
  readonly version: string;
  readonly num_active_channels: number;
  readonly num_inactive_channels: number;
  readonly block_height: number;
  readonly synced_to_chain: boolean;
  readonly chains: readonly { readonly network: string }[];
  /** The features that the node announces, by their bit. */
  readonly features: Readonly<Record<string, unknown>>;
}

export interface Readiness {
  readonly info: GetInfoResponse;
  /** Why the node cannot send payments now. */
  readonly cannotSend: string | undefined;
}

/** For this long a node that can send counts as able to. It takes longer to restart, and every broken connection ends it. */
const MAX_AGE_MS = 500;
const CALL_MS = 4000;

/**
 * Returns whether the node can send. LND accepts payments before its channels are active, and fails them for good as INSUFFICIENT_BALANCE.
 */
export class ReadinessReader {
  readonly #transport: LndTransport;
  #latest: { readonly readiness: Promise<Readiness>; readonly atMs: number } | undefined;

  constructor(transport: LndTransport) {
    this.#transport = transport;
  }

  async read(): Promise<Readiness> {
    const [info, { state }] = await Promise.all([this.#get<GetInfoResponse>('/v1/getinfo'), this.#get<{ state: string }>('/v1/state')]);
    if (state !== 'SERVER_ACTIVE') return { info, cannotSend: `LND is starting (${state})` };
    return { info, cannotSend: info.num_active_channels > 0 ? undefined : 'LND has no active channel' };
  }

  /** @throws NodeUnavailable when the node cannot send payments. */
  async requireAbleToSend(): Promise<void> {
    const isFresh = this.#latest && Date.now() - this.#latest.atMs < MAX_AGE_MS && this.#latest.atMs > this.#transport.unresponsiveAtMs;
    if (!isFresh) this.#latest = { readiness: this.read(), atMs: Date.now() };
    const { cannotSend } = await this.#latestReadiness();
    if (cannotSend === undefined) return;
    this.#latest = undefined;
    throw new NodeUnavailable(cannotSend);
  }

  async #latestReadiness(): Promise<Readiness> {
    try {
      return await (this.#latest?.readiness ?? this.read());
    } catch (error) {
      this.#latest = undefined;
      // Nothing was sent.
      throw new NodeUnavailable(error instanceof Error ? error.message : String(error));
    }
  }

  #get<T>(path: string): Promise<T> {
    return this.#transport.call<T>({ method: 'GET', path, timeoutMs: CALL_MS });
  }
}
