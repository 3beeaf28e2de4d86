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

/** Since when nothing of a payment was in flight (Unix milliseconds), and why it fails if that lasts. */
export interface Quiet {
  readonly sinceMs: number;
  readonly reason: FailureReason;
}

/** What a record says about its payment. Empty: a request to pay has begun. */
interface Finding {
  /** The reason, if the payment has failed for good. */
  readonly failed?: FailureReason | undefined;
  readonly quiet?: Quiet | undefined;
}

/**
 * The record of a payment in the datastore. It is written before each request to pay, so that no request is forgotten, when nothing is in flight after
 * an unclear request, and once more when the payment has failed. It makes a failure final: a request that fails before it sends a part leaves no other
 * trace.
 */
export interface SendRecord extends Finding {
  readonly generation: number;
}

export async function readRecord(datastore: Datastore, { paymentId, paymentHash }: PaymentReference): Promise<SendRecord | undefined> {
  const stored = await datastore.read(['payment', paymentId]);
  if (!stored) return undefined;
  const { hash, failed, quiet } = JSON.parse(stored.text) as Finding & { readonly hash: string };
  if (hash !== paymentHash) throw new Error('the node has a record of this payment id with another payment hash');
  return { generation: stored.generation, failed, quiet };
}

/**
 * Records that a request to pay begins, or what was found about the payment. Returns the new record; undefined when another request has changed the
 * record since it was read.
 */
export async function writeRecord(
  datastore: Datastore,
  { paymentId, paymentHash }: PaymentReference,
  record: SendRecord | undefined,
  finding: Finding = {},
): Promise<SendRecord | undefined> {
  const text = JSON.stringify({ hash: paymentHash, ...finding });
  const isWritten = await datastore.write(['payment', paymentId], text, record?.generation);
  return isWritten ? { generation: record ? record.generation + 1 : 0, ...finding } : undefined;
}
