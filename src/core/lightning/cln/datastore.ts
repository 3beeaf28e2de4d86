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

  /**
   * Creates a key, or replaces the text of a generation. Returns false when the key exists already, or when its text is no longer of this
   * generation.
   */
  async write(key: readonly string[], text: string, replaced?: number): Promise<boolean> {
    const mode = replaced === undefined ? { mode: 'must-create' } : { mode: 'must-replace', generation: replaced };
    try {
      await this.#rpc.call('datastore', { key: ['satchel', ...key], string: text, ...mode });
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

export async function readRecord(datastore: Datastore, { paymentId, paymentHash }: PaymentReference): Promise<SendRecord | undefined> {
  const stored = await datastore.read(['payment', paymentId]);
  if (!stored) return undefined;
  const { hash, failed } = JSON.parse(stored.text) as { hash: string; failed?: FailureReason };
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
  const text = JSON.stringify({ hash: paymentHash, failed });
  const isWritten = await datastore.write(['payment', paymentId], text, record?.generation);
  return isWritten ? { generation: record ? record.generation + 1 : 0, failed } : undefined;
}
