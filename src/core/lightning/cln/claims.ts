import type { FailureReason, PaymentReference } from '../node.ts';
import type { Datastore } from './datastore.ts';

/**
 * The record of a payment in the datastore. It is written before each request to pay, so that no request is forgotten, and once more when the
 * payment has failed. It makes a failure final: a request that fails before it sends a part leaves no other trace.
 */
export interface Claim {
  readonly generation: number;
  /** The reason, if the payment has failed for good. */
  readonly failed: FailureReason | undefined;
}

interface StoredClaim {
  readonly hash: string;
  readonly failed?: FailureReason;
}

export class Claims {
  readonly #datastore: Datastore;

  constructor(datastore: Datastore) {
    this.#datastore = datastore;
  }

  async read({ paymentId, paymentHash }: PaymentReference): Promise<Claim | undefined> {
    const stored = await this.#datastore.read(keyOf(paymentId));
    if (!stored) return undefined;
    const { hash, failed } = JSON.parse(stored.text) as StoredClaim;
    if (hash !== paymentHash) throw new Error('the node has a record of this payment id with another payment hash');
    return { generation: stored.generation, failed };
  }

  /**
   * Records that a request to pay begins. Returns the new claim; undefined when another process has changed the claim meanwhile: read it
   * again.
   */
  async begin({ paymentId, paymentHash }: PaymentReference, claim: Claim | undefined): Promise<Claim | undefined> {
    const text = JSON.stringify({ hash: paymentHash } satisfies StoredClaim);
    if (!claim) return (await this.#datastore.create(keyOf(paymentId), text)) ? { generation: 0, failed: undefined } : undefined;
    const isReplaced = await this.#datastore.replace(keyOf(paymentId), text, claim.generation);
    return isReplaced ? { generation: claim.generation + 1, failed: undefined } : undefined;
  }

  /** Records that the payment has failed. Returns false when another request has begun since the claim was read. */
  async fail({ paymentId, paymentHash }: PaymentReference, claim: Claim | undefined, failed: FailureReason): Promise<boolean> {
    const text = JSON.stringify({ hash: paymentHash, failed } satisfies StoredClaim);
    if (!claim) return await this.#datastore.create(keyOf(paymentId), text);
    return await this.#datastore.replace(keyOf(paymentId), text, claim.generation);
  }
}

function keyOf(paymentId: string): string[] {
  return ['payment', paymentId];
}
