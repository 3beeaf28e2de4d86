/**
 * Checks a proof of liabilities in a browser: paste this into the developer tools on any https page, then
 * `await checkProof(proof, root, wallet)`. @returns the balance in msat; throws if the proof is not valid.
 */
async function checkProof(proof, root, wallet) {
  function demand(condition, why) {
    if (!condition) throw new Error(why);
  }
  function hex32(text) {
    demand(/^[0-9a-f]{64}$/.test(text), `${text} is not 32 bytes in hex`);
    return text.match(/../g).map((byte) => parseInt(byte, 16));
  }
  function u64(value) {
    demand(Number.isSafeInteger(value) && value >= 0, `${value} is not a sum`);
    return hex32(value.toString(16).padStart(64, '0')).slice(24);
  }
  async function sha256(...bytes) {
    return [...new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes.flat())))];
  }
  demand(proof.wallet_id === wallet, 'this is the proof of another wallet');
  demand(u64(proof.leaf_index) && proof.leaf_index < proof.leaves, 'the index is beyond the leaves');
  const path = [...proof.path];
  let sum = proof.balance_msat;
  let hash = await sha256(0, hex32(proof.salt), u64(sum), hex32(proof.head), [...new TextEncoder().encode(wallet)]);
  for (let at = proof.leaf_index, width = proof.leaves; width > 1; at = Math.floor(at / 2), width = Math.ceil(width / 2)) {
    if (at % 2 === 0 && at === width - 1) continue;
    const { side, sum_msat, hash: sibling } = path.shift();
    demand(side === (at % 2 === 0 ? 'right' : 'left'), 'a sibling is on the wrong side');
    const pair = [
      [u64(sum), hash],
      [u64(sum_msat), hex32(sibling)],
    ];
    hash = await sha256(1, ...(side === 'right' ? pair : pair.reverse()).flat());
    sum += sum_msat;
  }
  demand(path.length === 0, 'the path is too long');
  demand(sum === proof.total_msat, 'the sums are not the total');
  const facts = [proof.epoch, proof.created_at, proof.leaves, proof.total_msat].map(u64);
  const computed = await sha256(2, ...facts.flat(), hash, hex32(proof.previous_root));
  demand(String(computed) === String(hex32(root)), 'the proof does not lead to the root');
  return proof.balance_msat;
}

globalThis.checkProof = checkProof;
