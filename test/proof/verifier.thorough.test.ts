import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { runVerifier } from './run-verifier.ts';
import { type SlowLeaf, type SlowNode, slowPath, slowRoot, slowTree } from './slow-tree.ts';

const EPOCH = 7;
const CREATED_AT = 1_700_000_000;
const PREVIOUS = 'ab'.repeat(32);
const BALANCES = [3000, 0, 500, 12_345, 1, 70_000, 2];

const leaves: SlowLeaf[] = BALANCES.map((balance, index) => ({
  salt: randomBytes(32).toString('hex'),
  wallet: `wal_${index}`,
  balance: BigInt(balance),
  head: balance === 0 ? '0'.repeat(64) : randomBytes(32).toString('hex'),
}));

/** Returns the proof of a leaf in the form of the service, made by the reference implementation. */
function proofOf(index: number, all: readonly SlowLeaf[] = leaves, tree: SlowNode = slowTree(all)) {
  const leaf = all[index];
  if (!leaf) throw new Error(`there is no leaf ${index}`);
  return {
    epoch: EPOCH,
    created_at: CREATED_AT,
    root: rootOf(all, tree),
    previous_root: PREVIOUS,
    total_msat: Number(tree.sum),
    leaves: all.length,
    leaf_index: index,
    wallet_id: leaf.wallet,
    salt: leaf.salt,
    balance_msat: Number(leaf.balance),
    head: leaf.head,
    path: slowPath(all, index).map(({ sum, hash, side }) => ({ sum_msat: Number(sum), hash, side })),
  };
}

type Proof = ReturnType<typeof proofOf>;

function rootOf(all: readonly SlowLeaf[], tree: SlowNode = slowTree(all)): string {
  return slowRoot(EPOCH, CREATED_AT, all.length, tree, PREVIOUS);
}

function verify(proof: unknown, { root = rootOf(leaves), wallet = 'wal_3' } = {}) {
  return runVerifier(proof, [root, wallet]);
}

it('accepts the proof of every wallet, for every number of leaves', async () => {
  for (let count = 1; count <= leaves.length; count++) {
    const all = leaves.slice(0, count);
    const verdicts = all.map((leaf, index) => verify(proofOf(index, all), { root: rootOf(all), wallet: leaf.wallet }));
    for (const { code, output } of await Promise.all(verdicts)) {
      expect(output).toMatch(/^ACCEPTED: /);
      expect(code).toBe(0);
    }
  }
});

const [, , , mine] = BALANCES as [number, number, number, number];

function inPath(proof: Proof, at: number, change: Record<string, unknown>): unknown {
  return { ...proof, path: proof.path.map((node, index) => (index === at ? { ...node, ...change } : node)) };
}

/** A leaf, and the proof with which an operator could hide a debt: its sibling has a sum below zero. */
function negativeSibling() {
  const honest = slowPath(leaves, 3);
  const path = honest.map((node, at) => ({ sum_msat: at === 0 ? -12_000 : Number(node.sum), hash: node.hash, side: node.side }));
  return { ...proofOf(3), path, total_msat: path.reduce((sum, node) => sum + node.sum_msat, mine) };
}

const REJECTED: Record<string, () => unknown> = {
  'a smaller balance': () => ({ ...proofOf(3), balance_msat: mine - 1 }),
  'a larger balance': () => ({ ...proofOf(3), balance_msat: mine + 1, total_msat: proofOf(3).total_msat + 1 }),
  'a balance that is a text': () => ({ ...proofOf(3), balance_msat: String(mine) }),
  'a balance of fractions': () => ({ ...proofOf(3), balance_msat: mine + 0.5 }),
  'another salt': () => ({ ...proofOf(3), salt: '00'.repeat(32) }),
  'another head': () => ({ ...proofOf(3), head: '00'.repeat(32) }),
  'another total': () => ({ ...proofOf(3), total_msat: proofOf(3).total_msat - 1 }),
  'another epoch': () => ({ ...proofOf(3), epoch: EPOCH - 1 }),
  'another time': () => ({ ...proofOf(3), created_at: CREATED_AT + 1 }),
  'another previous root': () => ({ ...proofOf(3), previous_root: '00'.repeat(32) }),
  'another number of leaves': () => ({ ...proofOf(3), leaves: leaves.length + 1 }),
  'another index': () => ({ ...proofOf(3), leaf_index: 1 }),
  'an index beyond the leaves': () => ({ ...proofOf(3), leaf_index: leaves.length }),
  'an index below zero': () => ({ ...proofOf(3), leaf_index: -1 }),
  'sides that are swapped': () => inPath(proofOf(3), 0, { side: 'right' }),
  'a sum in the path below zero': () => inPath(proofOf(3), 1, { sum_msat: -1 }),
  'a sum below zero that fits the total': negativeSibling,
  'a sum that overflows 64 bits': () => inPath(proofOf(3), 1, { sum_msat: 2 ** 64 }),
  'a sum beyond exact numbers': () => inPath(proofOf(3), 1, { sum_msat: 2 ** 53 }),
  'sums that overflow only together': () => inPath(proofOf(3), 0, { sum_msat: Number.MAX_SAFE_INTEGER }),
  'a sum moved from one child to the other': () => {
    const { path, ...rest } = proofOf(3);
    const moved = path.map((node, at) => ({ ...node, sum_msat: node.sum_msat + (at === 0 ? 5 : at === 1 ? -5 : 0) }));
    return { ...rest, path: moved };
  },
  'a path that ends too early': () => ({ ...proofOf(3), path: proofOf(3).path.slice(0, -1) }),
  'a path without its first node': () => ({ ...proofOf(3), path: proofOf(3).path.slice(1) }),
  'no path': () => ({ ...proofOf(3), path: undefined }),
  'a path that goes on': () => ({ ...proofOf(3), path: [...proofOf(3).path, ...proofOf(3).path.slice(-1)] }),
  'a hash that is cut': () => inPath(proofOf(3), 0, { hash: 'ab' }),
  'the proof of another wallet': () => proofOf(2),
  'the proof of another wallet under this name': () => ({ ...proofOf(2), wallet_id: 'wal_3' }),
  nothing: () => null,
};

for (const [what, tampered] of Object.entries(REJECTED)) {
  it(`rejects ${what}`, async () => {
    const { code, output } = await verify(tampered());
    expect(output).toMatch(/^REJECTED: /);
    expect(code).toBe(1);
  });
}

it('V2: rejects every proof of a dropped wallet when the root was made without it', async () => {
  const without = leaves.filter((_, index) => index !== 3);
  const root = rootOf(without);
  const kept = without[2] as SlowLeaf;
  expect((await verify(proofOf(2, without), { root, wallet: kept.wallet })).code).toBe(0);
  expect((await verify(proofOf(3), { root })).code).toBe(1);
  for (const [index, leaf] of without.entries()) {
    const posing = { ...proofOf(index, without), wallet_id: 'wal_3', salt: leaves[3]?.salt, balance_msat: mine };
    expect((await verify(posing, { root })).output, `in the place of ${leaf.wallet}`).toMatch(/^REJECTED/);
  }
});

it('rejects an inner node presented as a leaf, and a root whose total hides a negative sum', async () => {
  const pair = slowTree(leaves.slice(2, 4));
  const asLeaf = { ...proofOf(3), leaf_index: 1, leaves: 4, balance_msat: Number(pair.sum), path: proofOf(3).path.slice(1) };
  expect((await verify(asLeaf)).code).toBe(1);

  // Even if the operator commits to it: only a sum below zero can hide a debt.
  const [debt, credit] = [leaves[3], { ...leaves[2], balance: -12_000n }] as [SlowLeaf, SlowLeaf];
  const u64 = (value: bigint) => BigInt.asUintN(64, value);
  const forged = [debt, { ...credit, balance: u64(credit.balance) }];
  const path = [{ sum_msat: -12_000, hash: slowTree([forged[1] as SlowLeaf]).hash, side: 'right' }];
  const tree = { ...slowTree(forged), sum: 345n };
  const proof = { ...proofOf(0, [debt]), leaves: 2, path, total_msat: 345 };
  expect((await verify(proof, { root: slowRoot(EPOCH, CREATED_AT, 2, tree, PREVIOUS) })).output).toMatch(
    /^REJECTED: a sum in the path is not/,
  );
});

it('V2: rejects a published total that is not the sum of the tree', async () => {
  const less = { ...slowTree(leaves), sum: slowTree(leaves).sum - 1000n };
  const proof = { ...proofOf(3), total_msat: Number(less.sum) };
  expect((await verify(proof, { root: rootOf(leaves, less) })).output).toMatch(/^REJECTED: the path adds up to/);
});

it('prints the balance that it found, for its user to compare', async () => {
  expect((await verify(proofOf(3))).output).toContain(`: ${mine} of the `);
});

it('has another exit code when it could not check anything', async () => {
  expect((await runVerifier(proofOf(3), ['wal_3', rootOf(leaves)])).code).toBe(2);
  expect((await runVerifier(proofOf(3), [rootOf(leaves)])).code).toBe(2);
  expect((await verify('<html>')).code).toBe(2);
});
