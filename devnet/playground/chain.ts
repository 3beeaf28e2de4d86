import { bytesOf, hexOf, sha256 } from './bindings.ts';
import type { Store } from './store.ts';

/** A block of the private chain. It has no proof of work and no merkle root, because LDK's `Confirm` checks neither. */
export interface Block {
  readonly height: number;
  /** 80 bytes, version, previous hash, merkle root, time, bits, nonce. */
  readonly header: Uint8Array;
  readonly txs: readonly Uint8Array[];
}

const TIME_OFFSET = 68;
const FIRST_BLOCK_AGE_SECONDS = 3_600;
/** The hash of regtest's genesis block, in internal byte order. */
const GENESIS_HASH = bytesOf('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f');

/** The private regtest chain. It exists only in the playground's file. */
export class Chain {
  readonly #store: Store;
  #tip: Block | undefined;

  constructor(store: Store) {
    this.#store = store;
    const row = store.get('SELECT * FROM blocks ORDER BY height DESC LIMIT 1');
    this.#tip = row && asBlock(row);
  }

  /** Undefined before the first block. */
  get tip(): Block | undefined {
    return this.#tip;
  }

  /** The tip's time in Unix seconds, which is LDK's only clock. */
  get time(): number {
    return this.#tip ? new DataView(this.#tip.header.buffer, this.#tip.header.byteOffset).getUint32(TIME_OFFSET, true) : 0;
  }

  blocksAfter(height: number): Block[] {
    return this.#store.all('SELECT * FROM blocks WHERE height > ? ORDER BY height', height).map(asBlock);
  }

  /**
   * Adds a block with these transactions, one second after the last one but not after `now` (Unix seconds): the newest block, which is LDK's
   * clock, is never in the future. The first block is dated an hour before `now`.
   */
  mine(txs: readonly Uint8Array[], now: number): Block {
    const previous = this.#tip ? sha256(sha256(this.#tip.header)) : GENESIS_HASH;
    return this.#write({
      height: (this.#tip?.height ?? 0) + 1,
      header: header(
        previous,
        sha256(Buffer.concat(txs)),
        this.#tip ? Math.max(this.time, Math.min(this.time + 1, now)) : now - FIRST_BLOCK_AGE_SECONDS,
      ),
      txs,
    });
  }

  /**
   * Advances the clock without a block: the same tip with a newer time. Blocks would use up the time locks of held payments. Returns undefined
   * when the tip already has this time.
   */
  tick(now: number): Block | undefined {
    if (!this.#tip || now <= this.time) return undefined;
    const ticked = new Uint8Array(this.#tip.header);
    new DataView(ticked.buffer).setUint32(TIME_OFFSET, now, true);
    return this.#write({ ...this.#tip, header: ticked });
  }

  #write(block: Block): Block {
    const txs = JSON.stringify(block.txs.map(hexOf));
    this.#store.run('INSERT OR REPLACE INTO blocks (height, header, txs) VALUES (?, ?, ?)', block.height, block.header, txs);
    this.#tip = block;
    return block;
  }
}

function header(previous: Uint8Array, merkleRoot: Uint8Array, time: number): Uint8Array {
  const bytes = Buffer.alloc(80);
  bytes.writeUInt32LE(0x20000000, 0);
  bytes.set(previous, 4);
  bytes.set(merkleRoot, 36);
  bytes.writeUInt32LE(time, TIME_OFFSET);
  bytes.writeUInt32LE(0x207fffff, 72);
  return new Uint8Array(bytes);
}

function asBlock(row: Record<string, unknown>): Block {
  return {
    height: row.height as number,
    header: row.header as Uint8Array,
    txs: (JSON.parse(row.txs as string) as string[]).map(bytesOf),
  };
}
