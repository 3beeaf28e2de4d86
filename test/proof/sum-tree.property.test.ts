import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/core/kernel/assert.ts';
import { MAX_MSAT, msat } from '../../src/core/kernel/money.ts';
import { epochRoot, innerNode, type Leaf, leafNode, NOTHING, type SumNode } from '../../src/features/proof/hashes.ts';
import { SumTree, siblingsOf } from '../../src/features/proof/sum-tree.ts';
import { type SlowLeaf, slowPath, slowRoot, slowTree } from './slow-tree.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const leaf: fc.Arbitrary<Leaf> = fc.record({
  salt: bytes32,
  walletId: fc.stringMatching(/^wal_[0-9A-Za-z]{1,22}$/),
  balanceMsat: fc.oneof(fc.constant(0), fc.nat(), fc.integer({ min: 0, max: 2 ** 46 })).map(msat),
  head: fc.oneof(bytes32, fc.constant(NOTHING)),
});
const leaves = fc.array(leaf, { maxLength: 70 });
const someLeaves = fc.array(leaf, { minLength: 1, maxLength: 70 });

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function slow(all: readonly Leaf[]): SlowLeaf[] {
  return all.map(({ salt, walletId, balanceMsat, head }) => ({
    salt: hex(salt),
    wallet: walletId,
    balance: BigInt(balanceMsat),
    head: hex(head),
  }));
}

function built(all: readonly Leaf[]): { top: SumNode; nodes: Map<string, SumNode> } {
  const nodes = new Map<string, SumNode>();
  const tree = new SumTree((level, position, node) => nodes.set(`${level}/${position}`, node));
  for (const one of all) tree.add(leafNode(one));
  return { top: tree.finish(), nodes };
}

function plain({ sumMsat, hash }: SumNode) {
  return { sum: BigInt(sumMsat), hash: hex(hash) };
}

describe('the Merkle-sum tree', () => {
  it('equals the tree of the definition, for every number of leaves', () => {
    fc.assert(
      fc.property(leaves, (all) => {
        expect(plain(built(all).top)).toEqual(slowTree(slow(all)));
      }),
    );
    const [one] = fc.sample(leaf, 1) as [Leaf];
    for (let count = 0; count <= 130; count++) {
      const all = Array.from({ length: count }, (_, i) => ({ ...one, walletId: `wal_${i}`, balanceMsat: msat(i * 1000) }));
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
      fc.property(someLeaves, fc.nat(), leaf, fc.constantFrom('salt', 'walletId', 'balanceMsat', 'head'), (all, number, other, field) => {
        const index = number % all.length;
        const changed = all.map((one, at) => (at === index ? { ...one, [field]: other[field] } : one));
        fc.pre(String(changed[index]?.[field]) !== String(all[index]?.[field]));
        expect(hex(built(changed).top.hash)).not.toBe(hex(built(all).top.hash));
      }),
    );
  });

  it('V3: changes when leaves are dropped, repeated or change places: nothing is padded', () => {
    fc.assert(
      fc.property(fc.uniqueArray(leaf, { minLength: 2, maxLength: 40, selector: (one) => one.walletId }), fc.nat(), (all, number) => {
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
    const node = (sum: number) => ({ sumMsat: msat(sum), hash });
    expect(hex(innerNode(node(3), node(5)).hash)).not.toBe(hex(innerNode(node(5), node(3)).hash));
    expect(hex(innerNode(node(8), node(0)).hash)).not.toBe(hex(innerNode(node(3), node(5)).hash));
  });

  it('rejects negative sums and sums that overflow', () => {
    const node = (sum: number) => ({ sumMsat: msat(sum), hash: NOTHING });
    const below = { salt: NOTHING, walletId: 'wal_1', balanceMsat: msat(-1), head: NOTHING };
    expect(() => leafNode(below)).toThrow(InvariantViolation);
    expect(() => innerNode(node(-1), node(5))).toThrow(InvariantViolation);
    expect(() => innerNode(node(5), node(-1))).toThrow(InvariantViolation);
    expect(() => innerNode(node(MAX_MSAT), node(1))).toThrow(RangeError);
    expect(innerNode(node(MAX_MSAT), node(0)).sumMsat).toBe(MAX_MSAT);
  });

  it('has a root that commits to the epoch, its time, the number of leaves, the total, the tree and the root before it', () => {
    fc.assert(
      fc.property(leaves, fc.nat(), fc.nat(), bytes32, (all, epoch, createdAt, previousRoot) => {
        const { sumMsat: totalMsat, hash: treeHash } = built(all).top;
        const facts = { epoch, createdAt, leaves: all.length, totalMsat, treeHash, previousRoot };
        const root = hex(epochRoot(facts));
        expect(root).toBe(slowRoot(epoch, createdAt, all.length, slowTree(slow(all)), hex(previousRoot)));
        const other = new Uint8Array(32).fill(1);
        const changes = [
          { epoch: epoch + 1 },
          { createdAt: createdAt + 1 },
          { leaves: all.length + 1 },
          { totalMsat: msat(totalMsat + 1) },
        ];
        for (const change of [...changes, { treeHash: other }, { previousRoot: other }]) {
          expect(hex(epochRoot({ ...facts, ...change })), JSON.stringify(change)).not.toBe(root);
        }
      }),
    );
  });
});
