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
  readonly failed?: FailureReason | undefined;
}

export async function readRecord(datastore: Datastore, { paymentId, paymentHash }: PaymentReference): Promise<SendRecord | undefined> {
  const stored = await datastore.read(['payment', paymentId]);
  if (!stored) return undefined;
  const { hash, failed } = JSON.parse(stored.text) as StoredRecord;
  if (hash !== paymentHash) throw new Error('the node has a record of this payment id with another payment hash');
  return { generation: stored.generation, failed };
}

/**
 * Records that a request to pay begins, or that the payment has failed. Returns the new record; undefined when another request has changed the
 * record since it was read.
 */
export async function writeRecord(
  datastore: Datastore,
  { paymentId, paymentHash }: PaymentReference,
  record: SendRecord | undefined,
  failed?: FailureReason,
): Promise<SendRecord | undefined> {
  const key = ['payment', paymentId];
  const text = JSON.stringify({ hash: paymentHash, failed } satisfies StoredRecord);
  const isWritten = record ? await datastore.replace(key, text, record.generation) : await datastore.create(key, text);
  return isWritten ? { generation: record ? record.generation + 1 : 0, failed } : undefined;
}
