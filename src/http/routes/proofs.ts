import { Type } from 'typebox';
import { Refusal } from '../../kernel/refusal.ts';
import type { Epoch, WalletProof } from '../../proof/epoch.ts';
import type { Proofs } from '../../proof/proofs.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access } from '../auth/access.ts';
import { KeyParams } from '../fields.ts';
import { oneOf } from '../objects.ts';
import { PageQuery, readPage, setPageHeaders } from '../responses/paging.ts';

const Hash = Type.String({ description: '32 bytes in hex' });

const EpochObject = Type.Object({
  epoch: Type.Integer({ description: 'From 1, without a gap' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  root: Hash,
  total_msat: Type.Integer({ description: 'What is owed to all wallets together' }),
  leaves: Type.Integer({ description: 'How many wallets there are' }),
  tree_hash: Hash,
  previous_root: Hash,
});

const { tree_hash: _treeHash, ...EPOCH_OF_PROOF } = EpochObject.properties;

const ProofObject = Type.Object({
  ...EPOCH_OF_PROOF,
  leaf_index: Type.Integer({ description: 'From 0' }),
  wallet_id: Type.String(),
  salt: Hash,
  balance_msat: Type.Integer({ description: 'Posted, what is held included' }),
  head: Type.String({ description: 'Hash of the last ledger entry of the wallet, zeros when it has none' }),
  path: Type.Array(
    Type.Object({ side: oneOf(['left', 'right'], 'Where this node stands beside the path'), sum_msat: Type.Integer(), hash: Hash }),
    {
      description: 'From below',
    },
  ),
});

const EpochNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Default: the last one' });

export function proofRoutes(app: App, { access, proofs }: { access: Access; proofs: Proofs }): void {
  const epochAnswer = { response: { 200: EpochObject } };

  app.get('/v1/proof', { schema: epochAnswer }, async () => epochObject(await proofs.last()));

  app.get('/v1/proof/:epoch', { schema: { params: Type.Object({ epoch: Type.String() }), ...epochAnswer } }, async (request) => {
    const isNumber = /^[1-9][0-9]{0,14}$/.test(request.params.epoch);
    return epochObject(isNumber ? await proofs.epoch(Number(request.params.epoch)) : undefined);
  });

  const list = { schema: { querystring: PageQuery, response: { 200: Type.Array(EpochObject) } }, config: { isPublic: true } };
  app.get('/v1/proofs', list, async (request, reply) => {
    const page = readPage(request.query);
    const { epochs, total } = await proofs.list(page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return epochs.map(epochObject);
  });

  for (const base of WALLET_BASES) {
    const querystring = Type.Object({ epoch: Type.Optional(EpochNumber) });
    app.get(`${base}/proof`, { schema: { params: KeyParams, querystring, response: { 200: ProofObject } } }, async (request) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return proofObject(await proofs.ofWallet(wallet, request.query.epoch));
    });
  }
}

function epochObject(epoch: Epoch | undefined) {
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

function proofObject({ epoch, index, walletId, salt, balanceMsat, head, path }: WalletProof) {
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
