import type { FailureReason, PaymentReference } from '../node.ts';
import type { Datastore } from './datastore.ts';

/**
 * The record of a payment in the datastore. It is written before each request to pay, so that no request is forgotten, and once more when the
 * payment has failed. It makes a failure final: a request that fails before it sends a part leaves no other trace.
 */
export interface SendRecord {
  readonly generation: number;
  /** The reason, if the payment has failed for good. */
  readonly failed: FailureReason | undefined;
}

interface StoredRecord {
  readonly hash: string;
  readonly failed?: FailureReason;
}

export class SendRecords {
  readonly #datastore: Datastore;

  constructor(datastore: Datastore) {
    this.#datastore = datastore;
  }

  async read({ paymentId, paymentHash }: PaymentReference): Promise<SendRecord | undefined> {
    const stored = await this.#datastore.read(keyOf(paymentId));
    if (!stored) return undefined;
    const { hash, failed } = JSON.parse(stored.text) as StoredRecord;
    if (hash !== paymentHash) throw new Error('the node has a record of this payment id with another payment hash');
    return { generation: stored.generation, failed };
  }

  /**
   * Records that a request to pay begins. Returns the new record; undefined when another process has changed the record meanwhile: read it
   * again.
   */
  async recordRequest({ paymentId, paymentHash }: PaymentReference, record: SendRecord | undefined): Promise<SendRecord | undefined> {
    const text = JSON.stringify({ hash: paymentHash } satisfies StoredRecord);
    if (!record) return (await this.#datastore.create(keyOf(paymentId), text)) ? { generation: 0, failed: undefined } : undefined;
    const isReplaced = await this.#datastore.replace(keyOf(paymentId), text, record.generation);
    return isReplaced ? { generation: record.generation + 1, failed: undefined } : undefined;
  }

  /** Records that the payment has failed. Returns false when another request has begun since the record was read. */
  async recordFailure(
    { paymentId, paymentHash }: PaymentReference,
    record: SendRecord | undefined,
    failed: FailureReason,
  ): Promise<boolean> {
    const text = JSON.stringify({ hash: paymentHash, failed } satisfies StoredRecord);
    if (!record) return await this.#datastore.create(keyOf(paymentId), text);
    return await this.#datastore.replace(keyOf(paymentId), text, record.generation);
  }
}

function keyOf(paymentId: string): string[] {
  return ['payment', paymentId];
}
