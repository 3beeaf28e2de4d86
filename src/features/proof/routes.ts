import { Type } from 'typebox';
import type { Database } from '../../core/db/database.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { KeyParams } from '../../http/fields.ts';
import { PUBLIC, requires } from '../../http/openapi/route-schema.ts';
import { PageQuery, readPage, setPageHeaders } from '../../http/responses/list.ts';
import * as sql from './proof.sql.ts';
import { EpochObject, ProofObject, renderEpoch } from './proof-object.ts';
import { readProof } from './wallet-proof.ts';

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

export function proofRoutes(app: App, { access, database }: { access: Access; database: Database }): void {
  app.get('/v1/proof', { schema: lastSchema }, async () => renderEpoch(requireEpoch(await database.first(sql.lastEpoch))));

  app.get('/v1/proof/:epoch', { schema: epochSchema }, async (request) => {
    const { epoch } = request.params;
    const isNumber = /^[1-9][0-9]{0,14}$/.test(epoch);
    return renderEpoch(requireEpoch(isNumber ? await database.first(sql.readEpoch, Number(epoch)) : undefined));
  });

  app.get('/v1/proofs', { schema: listSchema, config: { isPublic: true } }, async (request, reply) => {
    const page = readPage(request.query);
    const total = (await database.first(sql.lastEpoch))?.epoch ?? 0;
    const newest = total - page.offset;
    const rows = await database.all(sql.pageOfEpochs, newest - page.limit + 1, newest);
    setPageHeaders(request, reply, page, total);
    return rows.map(renderEpoch);
  });

  for (const base of WALLET_BASES) {
    app.get(`${base}/proof`, { schema: walletSchema }, async (request) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return readProof(database, wallet, request.query.epoch);
    });
  }
}

function requireEpoch(row: sql.EpochRow | undefined): sql.EpochRow {
  if (!row) throw new Refusal('proof_unavailable', 'No such epoch has been published.');
  return row;
}
