// Checks a proof of liabilities without any code of Satchel; proof-of-liabilities.md explains each step.
//   node verify-proof.mjs <root> <wallet id> < proof.json
//   KEY=wakr_… node verify-proof.mjs <root> <wallet id> https://…/v1/wallet/<wallet id or key>/proof
// The root must come from an archive, not from the server of the proof. Exit code: 0 accepted, 1 rejected, 2 nothing was checked.
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';

function demand(condition, why) {
  if (!condition) throw new Error(why);
}
function hex32(value, name) {
  demand(typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), `${name} is not 32 bytes in hex`);
  return Buffer.from(value, 'hex');
}
function u64(value, name) {
  demand(Number.isSafeInteger(value) && value >= 0, `${name} is not a whole number from 0 to 2^53 - 1`);
  return Buffer.from(value.toString(16).padStart(16, '0'), 'hex');
}
function sha256(kind, ...parts) {
  return createHash('sha256')
    .update(Buffer.concat([Buffer.of(kind), ...parts]))
    .digest();
}
function check(proof, root, wallet) {
  const { wallet_id: of, leaf_index: index, leaves, path, balance_msat: mine, total_msat: total } = proof;
  demand(of === wallet, `the proof is of wallet ${of}, not of ${wallet}`);
  const facts = ['epoch', 'created_at', 'leaves', 'total_msat'].map((name) => u64(proof[name], name));
  demand(u64(index, 'leaf_index') && index < leaves, 'leaf_index is not below leaves');
  let [sum, used] = [mine, 0];
  let hash = sha256(0, hex32(proof.salt, 'salt'), u64(mine, 'balance_msat'), hex32(proof.head, 'head'), Buffer.from(wallet));
  for (let at = index, width = leaves; width > 1; at = Math.floor(at / 2), width = Math.ceil(width / 2)) {
    if (at % 2 === 0 && at === width - 1) continue; // the last of an odd number goes up as it is
    const sibling = path[used++];
    const side = at % 2 === 0 ? 'right' : 'left';
    demand(sibling?.side === side, `leaf ${index} of ${leaves} needs a node on the ${side} as number ${used} of its path`);
    const ours = [u64(sum, 'a sum'), hash];
    const theirs = [u64(sibling.sum_msat, 'a sum in the path'), hex32(sibling.hash, 'a hash in the path')];
    hash = sha256(1, ...(side === 'right' ? [...ours, ...theirs] : [...theirs, ...ours]));
    sum += sibling.sum_msat;
  }
  demand(used === path.length, `leaf ${index} of ${leaves} has a path of ${used} nodes, not of ${path.length}`);
  demand(sum === total, `the path adds up to ${sum} msat, not to the total of ${total}`);
  const computed = sha256(2, ...facts, hash, hex32(proof.previous_root, 'previous_root')).toString('hex');
  demand(computed === root, `the proof leads to the root ${computed}, not to ${root}`);
  return `${mine} of the ${total} msat that were owed in epoch ${proof.epoch} are owed to ${wallet}`;
}
let code = 2;
try {
  const [root, wallet, url] = process.argv.slice(2);
  demand(/^[0-9a-f]{64}$/.test(root) && wallet, 'give the root (64 hex digits) and the id of your wallet');
  const answer = url && (await fetch(url, { headers: { 'x-api-key': process.env.KEY ?? '' } }));
  const proof = JSON.parse(answer ? await answer.text() : await text(process.stdin));
  demand(!answer || answer.ok, `no proof was served: ${proof?.message}`);
  code = 1;
  console.log(`ACCEPTED: ${check(proof, root, wallet)}`);
  code = 0;
} catch (error) {
  console.log(`${code === 1 ? 'REJECTED' : 'NOT CHECKED'}: ${error.message}`);
}
process.exitCode = code;
