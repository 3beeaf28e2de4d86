import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';

/** Calls btcd. */
export type BtcdCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** The first block is so much older than the present. */
const START_SECONDS = 4 * 3600;
const MEDIAN_BLOCKS = 11;
const SUBSIDY_SAT = 50n * 100_000_000n;
/** The target of regtest. */
const BITS = 0x207fffff;

/**
 * Mines empty blocks of regtest with times of the past, which btcd cannot. A block must be newer than the median of the eleven before it, so more than
 * half of the blocks of the chain must be made here.
 */
export class BlockMaker {
  readonly #call: BtcdCall;

  constructor(call: BtcdCall) {
    this.#call = call;
  }

  /** `time`: Unix seconds, of the first block; by default as old as possible. `address`: receives the reward, the address of a key (SegWit). */
  async mine(blocks: number, time?: number, address?: string): Promise<void> {
    const script = address === undefined ? Buffer.from('51', 'hex') : scriptOf(address);
    const first = time ?? (await this.#oldestTime());
    for (let index = 0; index < blocks; index++) {
      const at = first + index;
      const height = (await this.#call('getblockcount', [])) as number;
      const previous = (await this.#call('getbestblockhash', [])) as string;
      const coinbase = coinbaseOf(height + 1, at, script, address === undefined ? 0n : SUBSIDY_SAT);
      const block = Buffer.concat([headerOf(previous, sha256d(coinbase), at), Buffer.from([1]), coinbase]);
      const rejection = await this.#call('submitblock', [block.toString('hex')]);
      if (rejection) throw new Error(String(rejection));
    }
  }

  /** Returns the first time that the next block may have. */
  async #oldestTime(): Promise<number> {
    const times: number[] = [];
    let hash = (await this.#call('getbestblockhash', [])) as string;
    for (let height = 1; height > 0 && times.length < MEDIAN_BLOCKS; ) {
      const header = (await this.#call('getblockheader', [hash, true])) as { time: number; height: number; previousblockhash: string };
      times.push(header.time);
      ({ height, previousblockhash: hash } = header);
    }
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    return Math.max(median + 1, times.length < MEDIAN_BLOCKS ? Math.floor(Date.now() / 1000) - START_SECONDS : 0);
  }
}

/** Returns the script that pays to a P2WPKH address. */
function scriptOf(address: string): Buffer {
  const { words } = bech32.decode(address as `${string}1${string}`);
  return Buffer.from([0, 20, ...bech32.fromWords(words.slice(1))]);
}

function coinbaseOf(height: number, time: number, script: Buffer, valueSat: bigint): Buffer {
  // The time makes coinbases of one height differ.
  const input = Buffer.concat([minimal(height), Buffer.from([4]), uint32(time)]);
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(valueSat);
  return Buffer.concat([
    uint32(1),
    Buffer.from([1]),
    Buffer.alloc(32),
    uint32(0xffffffff),
    Buffer.from([input.length]),
    input,
    uint32(0xffffffff),
    Buffer.from([1]),
    value,
    Buffer.from([script.length]),
    script,
    uint32(0),
  ]);
}

/** Returns a header with enough work. Two tries are needed on average. */
function headerOf(previous: string, merkleRoot: Buffer, time: number): Buffer {
  const start = [uint32(0x20000000), Buffer.from(previous, 'hex').reverse(), merkleRoot, uint32(time), uint32(BITS)];
  for (let nonce = 0; ; nonce++) {
    const header = Buffer.concat([...start, uint32(nonce)]);
    if ((sha256d(header).at(31) ?? 0) < 0x7f) return header;
  }
}

/** Returns the script that pushes a height below 32,768 in its shortest form (BIP 34). */
function minimal(height: number): Buffer {
  if (height <= 16) return Buffer.from([0x50 + height]);
  return height < 128 ? Buffer.from([1, height]) : Buffer.from([2, height & 0xff, height >> 8]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function sha256d(data: Buffer): Buffer {
  return createHash('sha256').update(createHash('sha256').update(data).digest()).digest();
}
