import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runVerifier } from './run-verifier.ts';
import { type SlowLeaf, slowPath, slowRoot, slowTree } from './slow-tree.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const page = readFileSync(join(docs, 'proof-of-liabilities.md'), 'utf8');
const example = JSON.parse(readFileSync(join(docs, 'proof-example.json'), 'utf8'));

const leaves: SlowLeaf[] = [
  { wallet: 'wal_alma', balance: 3000n, salt: '11'.repeat(32), head: 'a1'.repeat(32) },
  { wallet: 'wal_bruno', balance: 500n, salt: '22'.repeat(32), head: 'b2'.repeat(32) },
  { wallet: 'wal_carla', balance: 0n, salt: '33'.repeat(32), head: '00'.repeat(32) },
];

it('the example of the documentation follows the definition, and is accepted', async () => {
  expect(example.root).toBe(slowRoot(1, 1_700_000_000, 3, slowTree(leaves), '0'.repeat(64)));
  expect(example.path).toEqual(slowPath(leaves, 1).map(({ side, sum, hash }) => ({ side, sum_msat: Number(sum), hash })));
  for (const { hash } of [slowTree(leaves), slowTree(leaves.slice(0, 2)), slowTree(leaves.slice(1, 2))])
    expect(page).toContain(`${hash.slice(0, 8)}…`);
  const { code, output } = await runVerifier(example, [example.root, 'wal_bruno']);
  expect(output).toMatch(/^ACCEPTED: 500 of the 3500 msat/);
  expect(code).toBe(0);
});

it('the verifier for browsers accepts the example and rejects changed proofs', async () => {
  const checkProof = new Function(`${readFileSync(join(docs, 'check-proof.js'), 'utf8')}\nreturn checkProof;`)() as (
    ...given: unknown[]
  ) => Promise<number>;
  const { root, path } = example;
  expect(await checkProof(example, root, 'wal_bruno')).toBe(500);
  const [left, right] = path;
  for (const change of [
    { balance_msat: 499 },
    { balance_msat: 499, total_msat: 3499 },
    { salt: '00'.repeat(32) },
    { head: '00'.repeat(32) },
    { leaf_index: 0 },
    { leaf_index: 3 },
    { leaves: 4 },
    { total_msat: 3000 },
    { epoch: 2 },
    { path: [left] },
    { path: [left, right, right] },
    { path: [{ ...left, side: 'right' }, right] },
    { path: [{ ...left, sum_msat: -3000 }, right] },
    { path: [{ ...left, sum_msat: 2 ** 64 }, right] },
    { path: [left, { ...right, hash: 'ab' }] },
  ]) {
    await expect(checkProof({ ...example, ...change }, root, 'wal_bruno'), JSON.stringify(change)).rejects.toThrow();
  }
  await expect(checkProof(example, root, 'wal_alma')).rejects.toThrow('another wallet');
  await expect(checkProof(example, '00'.repeat(32), 'wal_bruno')).rejects.toThrow('root');
});
