import type { OperationNotes } from '../operations.ts';

const PROOFS = { tag: 'Proof', needs: 'nothing', answer: 'Epoch' } as const;

export const PROOF_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'GET /v1/proof': {
    ...PROOFS,
    id: 'getLastEpoch',
    summary: 'Read the last proof of liabilities',
    description: 'What is owed to all wallets together, and the root that commits to each.',
    refusals: [404],
  },
  'GET /v1/proof/:epoch': { ...PROOFS, id: 'getEpoch', summary: 'Read a proof of liabilities' },
  'GET /v1/proofs': { ...PROOFS, id: 'listEpochs', summary: 'List the proofs of liabilities', description: 'Newest first.' },
  'GET /v1/wallet/:key/proof': {
    id: 'getWalletProof',
    tag: 'Proof',
    summary: 'Prove to a wallet what it is owed',
    description:
      'The path from the leaf of the wallet to the root of a published proof; docs/proof-of-liabilities.md says how to check it.',
    needs: 'wallet_read',
    answer: 'WalletProof',
  },
};
