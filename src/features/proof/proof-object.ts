import { type Static, Type } from 'typebox';
import { namedObject, oneOf } from '../../http/responses/response-types.ts';
import type { EpochRow } from './proof.sql.ts';

function hash(description: string) {
  return Type.String({ description: `${description}: 32 bytes in hex` });
}

export const EpochObject = namedObject('Epoch', {
  epoch: Type.Integer({ description: 'The number of the epoch, from 1, without a gap' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  root: hash('The root of the tree, which commits to every wallet'),
  total_msat: Type.Integer({ description: 'The sum of all balances in millisatoshis' }),
  leaves: Type.Integer({ description: 'The number of wallets' }),
  tree_hash: hash('The hash of the tree'),
  previous_root: hash('The root of the epoch before'),
});

const { tree_hash: _treeHash, ...EPOCH_OF_PROOF } = EpochObject.properties;

export const ProofObject = namedObject('WalletProof', {
  ...EPOCH_OF_PROOF,
  leaf_index: Type.Integer({ description: 'The position of the leaf of the wallet, from 0' }),
  wallet_id: Type.String({ description: 'The wallet, `wal_…`' }),
  salt: hash('A random value that hides the wallet in the published tree'),
  balance_msat: Type.Integer({ description: 'The booked balance in millisatoshis, with what is held' }),
  head: hash('The hash of the last ledger entry of the wallet, or zeros'),
  path: Type.Array(
    Type.Object({
      side: oneOf(['left', 'right'], { description: 'The side on which this node is joined to the path' }),
      sum_msat: Type.Integer({ description: 'The sum of the balances below this node, in millisatoshis' }),
      hash: hash('The hash of this node'),
    }),
    { description: 'The nodes from the leaf of the wallet to the root' },
  ),
});

export type WalletProof = Static<typeof ProofObject>;

export function renderEpoch({ tree: _tree, ...row }: EpochRow): Static<typeof EpochObject> {
  return { ...row, root: hex(row.root), tree_hash: hex(row.tree_hash), previous_root: hex(row.previous_root) };
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
