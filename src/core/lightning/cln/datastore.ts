import type { FailureReason, PaymentReference } from '../node.ts';
import { meaningOf } from './errors.ts';
import type { ClnRpc } from './rpc.ts';

export interface StoredText {
  readonly text: string;
  /** Incremented by lightningd at each replacement. */
  readonly generation: number;
}

/**
 * Keys and texts in the database of lightningd, below the key `satchel`. A node that is restored from a backup loses those that are newer.
 * Each method writes at most one key, and writes it exactly once.
 */
export class Datastore {
  readonly #rpc: ClnRpc;

  constructor(rpc: ClnRpc) {
    this.#rpc = rpc;
  }

  async read(key: readonly string[]): Promise<StoredText | undefined> {
    const { datastore } = await this.#rpc.call('listdatastore', { key: ['satchel', ...key] });
    const [entry] = datastore;
    return entry?.string === undefined ? undefined : { text: entry.string, generation: entry.generation ?? 0 };
  }

  /** Returns false when the key exists already. */
  create(key: readonly string[], text: string): Promise<boolean> {
    return this.#write({ key: ['satchel', ...key], string: text, mode: 'must-create' });
  }

  /** Returns false when the stored text is no longer of this generation. */
  replace(key: readonly string[], text: string, generation: number): Promise<boolean> {
    return this.#write({ key: ['satchel', ...key], string: text, mode: 'must-replace', generation });
  }

  async #write(parameters: object): Promise<boolean> {
    try {
      await this.#rpc.call('datastore', parameters);
      return true;
    } catch (error) {
      if (['key_exists', 'key_missing', 'key_changed'].includes(meaningOf(error))) return false;
      throw error;
    }
  }
}

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
