import type { IncomingGuard } from '../../src/core/lightning/node.ts';
import type { ClaimRequest, Incoming } from './incoming.ts';
import type { NetworkState } from './network-state.ts';

const RETRY_MS = 500;

/** The claim guard of one connected service. */
export interface GuardConnection {
  readonly guard: IncomingGuard | undefined;
  /** True when the service or the node is down. Decisions that still arrive are ignored. */
  readonly isAway: boolean;
}

/** Calls the claim guard of every connected service for an incoming payment. The first decision counts. A guard that throws is called again. */
export class ClaimGuards {
  readonly #network: NetworkState;
  readonly #incoming: Incoming;
  readonly #connections = new Set<GuardConnection>();

  constructor(network: NetworkState, incoming: Incoming) {
    this.#network = network;
    this.#incoming = incoming;
  }

  /** True when at least one connected service has set a guard. */
  get isGuarded(): boolean {
    return [...this.#connections].some((connection) => connection.guard && !connection.isAway);
  }

  add(connection: GuardConnection): void {
    this.#connections.add(connection);
  }

  remove(connection: GuardConnection): void {
    this.#connections.delete(connection);
  }

  /** Calls every guard for one payment. */
  request(claim: ClaimRequest): void {
    for (const connection of this.#connections) void this.#request(connection, claim);
  }

  /** Calls a new or reconnected guard for every payment that waits for a decision. */
  requestWaiting(connection: GuardConnection): void {
    for (const claim of this.#incoming.claimRequests()) void this.#request(connection, claim);
  }

  requestAllWaiting(): void {
    for (const connection of this.#connections) this.requestWaiting(connection);
  }

  async #request(connection: GuardConnection, claim: ClaimRequest): Promise<void> {
    if (!connection.guard || connection.isAway) return;
    try {
      const decision = await connection.guard(claim.incoming);
      if (!connection.isAway) this.#network.step(() => this.#incoming.decide(claim, decision));
    } catch {
      this.#network.time.after(RETRY_MS, () => this.#isOpen(claim) && void this.#request(connection, claim));
    }
  }

  #isOpen({ askId, incoming }: ClaimRequest): boolean {
    const receipt = this.#network.tables.receipts.get(incoming.paymentHash);
    return receipt?.askId === askId && receipt.state === 'asked';
  }
}
