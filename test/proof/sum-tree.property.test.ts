import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/core/kernel/assert.ts';
import { MAX_MSAT, msat } from '../../src/core/kernel/money.ts';
import { epochRoot, innerNode, leafNode, NOTHING, type SumNode } from '../../src/features/proof/hashes.ts';
import type { Leaf } from '../../src/features/proof/proof.sql.ts';
import { SumTree, siblingsOf } from '../../src/features/proof/sum-tree.ts';
import { type SlowLeaf, slowPath, slowRoot, slowTree } from './slow-tree.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
type SaltedLeaf = Leaf & { salt: Uint8Array };
const leaf: fc.Arbitrary<SaltedLeaf> = fc.record({
  salt: bytes32,
  wallet_id: fc.stringMatching(/^wal_[0-9A-Za-z]{1,22}$/),
  balance_msat: fc.oneof(fc.constant(0), fc.nat(), fc.integer({ min: 0, max: 2 ** 46 })).map(msat),
  head: fc.oneof(bytes32, fc.constant(NOTHING)),
});
const leaves = fc.array(leaf, { maxLength: 70 });
const someLeaves = fc.array(leaf, { minLength: 1, maxLength: 70 });

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function slow(all: readonly SaltedLeaf[]): SlowLeaf[] {
  return all.map(({ salt, wallet_id, balance_msat, head }) => ({
    salt: hex(salt),
    wallet: wallet_id,
    balance: BigInt(balance_msat),
    head: hex(head),
  }));
}

function built(all: readonly SaltedLeaf[]): { top: SumNode; nodes: Map<string, SumNode> } {
  const nodes = new Map<string, SumNode>();
  const tree = new SumTree((level, position, node) => nodes.set(`${level}/${position}`, node));
  for (const one of all) tree.add(leafNode(one.salt, one));
  return { top: tree.finish(), nodes };
}

function plain({ sum_msat, hash }: SumNode) {
  return { sum: BigInt(sum_msat), hash: hex(hash) };
}

describe('the Merkle-sum tree', () => {
  it('equals the tree of the definition, for every number of leaves', () => {
    fc.assert(
      fc.property(leaves, (all) => {
        expect(plain(built(all).top)).toEqual(slowTree(slow(all)));
      }),
    );
    const [one] = fc.sample(leaf, 1) as [SaltedLeaf];
    for (let count = 0; count <= 130; count++) {
      const all = Array.from({ length: count }, (_, i) => ({ ...one, wallet_id: `wal_${i}`, balance_msat: msat(i * 1000) }));
      expect(plain(built(all).top), `${count} leaves`).toEqual(slowTree(slow(all)));
    }
  });

  it('has for every leaf the path of the definition, of nodes that it reported', () => {
    fc.assert(
      fc.property(someLeaves, fc.nat(), (all, number) => {
        const index = number % all.length;
        const { nodes } = built(all);
        const path = siblingsOf(index, all.length).map(({ level, position, side }) => {
          const node = nodes.get(`${level}/${position}`);
          if (!node) throw new Error(`no node ${level}/${position}`);
          return { ...plain(node), side };
        });
        expect(path).toEqual(slowPath(slow(all), index));
      }),
    );
  });

  it('changes when anything in any leaf changes', () => {
    fc.assert(
      fc.property(someLeaves, fc.nat(), leaf, fc.constantFrom('salt', 'wallet_id', 'balance_msat', 'head'), (all, number, other, field) => {
        const index = number % all.length;
        const changed = all.map((one, at) => (at === index ? { ...one, [field]: other[field] } : one));
        fc.pre(String(changed[index]?.[field]) !== String(all[index]?.[field]));
        expect(hex(built(changed).top.hash)).not.toBe(hex(built(all).top.hash));
      }),
    );
  });

  it('V3: changes when leaves are dropped, repeated or change places: nothing is padded', () => {
    fc.assert(
      fc.property(fc.uniqueArray(leaf, { minLength: 2, maxLength: 40, selector: (one) => one.wallet_id }), fc.nat(), (all, number) => {
        const index = number % all.length;
        const dropped = all.filter((_, at) => at !== index);
        const tail = all.slice(-1 - (index % 2));
        const swapped = [...all.slice(1), ...all.slice(0, 1)];
        const hashes = [all, dropped, [...all, ...tail], swapped].map((list) => hex(built(list).top.hash));
        expect(new Set(hashes).size).toBe(hashes.length);
      }),
    );
  });

  it('V3: commits to the sum of each child, not only to their total', () => {
    const hash = new Uint8Array(32).fill(7);
    const node = (sum: number) => ({ sum_msat: msat(sum), hash });
    expect(hex(innerNode(node(3), node(5)).hash)).not.toBe(hex(innerNode(node(5), node(3)).hash));
    expect(hex(innerNode(node(8), node(0)).hash)).not.toBe(hex(innerNode(node(3), node(5)).hash));
  });

  it('rejects negative sums and sums that overflow', () => {
    const node = (sum: number) => ({ sum_msat: msat(sum), hash: NOTHING });
    const below = { wallet_id: 'wal_1', balance_msat: msat(-1), head: NOTHING };
    expect(() => leafNode(NOTHING, below)).toThrow(InvariantViolation);
    expect(() => innerNode(node(-1), node(5))).toThrow(InvariantViolation);
    expect(() => innerNode(node(5), node(-1))).toThrow(InvariantViolation);
    expect(() => innerNode(node(MAX_MSAT), node(1))).toThrow(RangeError);
    expect(innerNode(node(MAX_MSAT), node(0)).sum_msat).toBe(MAX_MSAT);
  });

  it('has a root that commits to the epoch, its time, the number of leaves, the total, the tree and the root before it', () => {
    fc.assert(
      fc.property(leaves, fc.nat(), fc.nat(), bytes32, (all, epoch, created_at, previous_root) => {
        const { sum_msat: total_msat, hash: tree_hash } = built(all).top;
        const facts = { epoch, created_at, leaves: all.length, total_msat, tree_hash, previous_root };
        const root = hex(epochRoot(facts));
        expect(root).toBe(slowRoot(epoch, created_at, all.length, slowTree(slow(all)), hex(previous_root)));
        const other = new Uint8Array(32).fill(1);
        const changes = [
          { epoch: epoch + 1 },
          { created_at: created_at + 1 },
          { leaves: all.length + 1 },
          { total_msat: msat(total_msat + 1) },
        ];
        for (const change of [...changes, { tree_hash: other }, { previous_root: other }]) {
          expect(hex(epochRoot({ ...facts, ...change })), JSON.stringify(change)).not.toBe(root);
        }
      }),
    );
  });
});
