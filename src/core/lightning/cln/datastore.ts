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
