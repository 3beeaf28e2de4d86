import { type Static, Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { KeyParams } from '../../http/fields.ts';
import { EXAMPLE } from '../../http/openapi/example-values.ts';
import { PUBLIC, requires } from '../../http/openapi/route-schema.ts';
import { PageQuery, readPage, setPageHeaders } from '../../http/responses/paging.ts';
import { oneOf } from '../../http/responses/response-types.ts';
import type { Epoch, WalletProof } from './epoch.ts';
import type { Proofs } from './proofs.ts';

function hash(description: string, example: string) {
  return Type.String({ description: `${description}: 32 bytes in hex`, examples: [example] });
}

const EpochObject = Type.Object(
  {
    epoch: Type.Integer({ description: 'The number of the epoch, from 1, without a gap', examples: [7] }),
    created_at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
    root: hash('The root of the tree, which commits to every wallet', 'a41f7c2e905b3d68e7f60192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6'),
    total_msat: Type.Integer({ description: 'The sum of all balances in millisatoshis', examples: [6_200_000] }),
    leaves: Type.Integer({ description: 'The number of wallets', examples: [2] }),
    tree_hash: hash('The hash of the tree', 'c05e8d3192f64b7aa0b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f50617'),
    previous_root: hash('The root of the epoch before', '19ad0c5be27f43885d6e1b90c3f4a2d7e8695a4b3c2d1e0ff0e1d2c3b4a59687'),
  },
  { title: 'Epoch' },
);

const { tree_hash: _treeHash, ...EPOCH_OF_PROOF } = EpochObject.properties;

const ProofObject = Type.Object(
  {
    ...EPOCH_OF_PROOF,
    leaf_index: Type.Integer({ description: 'The position of the leaf of the wallet, from 0', examples: [1] }),
    wallet_id: Type.String({ description: 'The wallet, `wal_…`', examples: [EXAMPLE.wallet] }),
    salt: hash(
      'A random value that hides the wallet in the published tree',
      '3bd94f06c1e85a727093b4d5e6f7081920a1b2c3d4e5f60718293a4b5c6d7e8f',
    ),
    balance_msat: Type.Integer({ description: 'The booked balance in millisatoshis, with what is held', examples: [5_000_000] }),
    head: hash(
      'The hash of the last ledger entry of the wallet, or zeros',
      '7de2190fb4a86c3550617283940a1b2c3d4e5f60718293a4b5c6d7e8f9011223',
    ),
    path: Type.Array(
      Type.Object({
        side: oneOf(['left', 'right'], { description: 'The side on which this node is joined to the path' }),
        sum_msat: Type.Integer({ description: 'The sum of the balances below this node, in millisatoshis', examples: [1_200_000] }),
        hash: hash('The hash of this node', EXAMPLE.paymentHash),
      }),
      { description: 'The nodes from the leaf of the wallet to the root' },
    ),
  },
  { title: 'WalletProof' },
);

const EPOCH = { tags: ['Proof'], ...PUBLIC };

const lastSchema = {
  ...EPOCH,
  operationId: 'getLastEpoch',
  summary: 'Read the last proof of liabilities',
  description: 'Returns the sum of all balances and the root that commits to each of them.',
  response: { 200: EpochObject },
  errorStatuses: [404],
};

const epochSchema = {
  ...EPOCH,
  operationId: 'getEpoch',
  summary: 'Read a proof of liabilities',
  description: 'Returns the epoch with this number.',
  params: Type.Object({ epoch: Type.String({ description: 'The number of the epoch, from 1', examples: ['7'] }) }),
  response: { 200: EpochObject },
};

const listSchema = {
  ...EPOCH,
  operationId: 'listEpochs',
  summary: 'List the proofs of liabilities',
  description: 'Newest first.',
  querystring: PageQuery,
  response: { 200: Type.Array(EpochObject) },
};

const walletSchema = {
  operationId: 'getWalletProof',
  tags: ['Proof'],
  summary: 'Prove that a wallet is included in a proof of liabilities',
  description:
    'Returns the path from the leaf of the wallet to the root of a published epoch. docs/proof-of-liabilities.md explains how to check it.',
  ...requires('wallet_read'),
  params: KeyParams,
  querystring: Type.Object({
    epoch: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The number of the epoch. Default: the last one' }),
    ),
  }),
  response: { 200: ProofObject },
};

export function proofRoutes(app: App, { access, proofs }: { access: Access; proofs: Proofs }): void {
  app.get('/v1/proof', { schema: lastSchema }, async () => epochObject(await proofs.last()));

  app.get('/v1/proof/:epoch', { schema: epochSchema }, async (request) => {
    const isNumber = /^[1-9][0-9]{0,14}$/.test(request.params.epoch);
    return epochObject(isNumber ? await proofs.epoch(Number(request.params.epoch)) : undefined);
  });

  app.get('/v1/proofs', { schema: listSchema, config: { isPublic: true } }, async (request, reply) => {
    const page = readPage(request.query);
    const { epochs, total } = await proofs.list(page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return epochs.map(epochObject);
  });

  for (const base of WALLET_BASES) {
    app.get(`${base}/proof`, { schema: walletSchema }, async (request) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return proofObject(await proofs.ofWallet(wallet, request.query.epoch));
    });
  }
}

function epochObject(epoch: Epoch | undefined): Static<typeof EpochObject> {
  if (!epoch) throw new Refusal('proof_unavailable', 'No such epoch has been published.');
  return {
    epoch: epoch.epoch,
    created_at: epoch.createdAt,
    root: hex(epoch.root),
    total_msat: epoch.totalMsat,
    leaves: epoch.leaves,
    tree_hash: hex(epoch.treeHash),
    previous_root: hex(epoch.previousRoot),
  };
}

function proofObject({ epoch, index, walletId, salt, balanceMsat, head, path }: WalletProof): Static<typeof ProofObject> {
  return {
    ...epochObject(epoch),
    leaf_index: index,
    wallet_id: walletId,
    salt: hex(salt),
    balance_msat: balanceMsat,
    head: hex(head),
    path: path.map(({ side, sumMsat, hash }) => ({ side, sum_msat: sumMsat, hash: hex(hash) })),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
