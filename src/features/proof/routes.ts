import { type Static, Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { KeyParams } from '../../http/fields.ts';
import { PUBLIC, requires } from '../../http/openapi/route-schema.ts';
import { PageQuery, readPage, setPageHeaders } from '../../http/responses/list.ts';
import { namedObject, oneOf } from '../../http/responses/response-types.ts';
import type { Epoch, WalletProof } from './epoch.ts';
import type { Proofs } from './proofs.ts';

function hash(description: string) {
  return Type.String({ description: `${description}: 32 bytes in hex` });
}

const EpochObject = namedObject('Epoch', {
  epoch: Type.Integer({ description: 'The number of the epoch, from 1, without a gap' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  root: hash('The root of the tree, which commits to every wallet'),
  total_msat: Type.Integer({ description: 'The sum of all balances in millisatoshis' }),
  leaves: Type.Integer({ description: 'The number of wallets' }),
  tree_hash: hash('The hash of the tree'),
  previous_root: hash('The root of the epoch before'),
});

const { tree_hash: _treeHash, ...EPOCH_OF_PROOF } = EpochObject.properties;

const ProofObject = namedObject('WalletProof', {
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
  params: Type.Object({ epoch: Type.String({ description: 'The number of the epoch, from 1' }) }),
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
