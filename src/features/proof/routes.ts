import { Type } from 'typebox';
import type { Database, SqlReader } from '../../core/db/database.ts';
import { type List, pageOf } from '../../core/kernel/list.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { KeyParams } from '../../http/fields.ts';
import { PUBLIC, requires } from '../../http/openapi/route-schema.ts';
import { ListQuery, readListPage } from '../../http/responses/list.ts';
import * as sql from './proof.sql.ts';
import { EpochObject, ProofObject, renderEpoch } from './proof-object.ts';
import { readProof } from './wallet-proof.ts';

const NUMBER = /^[1-9][0-9]{0,14}$/;

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
  querystring: Type.Object({
    ...ListQuery.properties,
    after: Type.Optional(
      Type.String({ maxLength: 15, description: 'Returns the epochs that follow the one with this number in the order of the list' }),
    ),
  }),
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
  const epochs = listEpochs(database);

  app.get('/v1/proof', { schema: lastSchema }, async () => renderEpoch(requireEpoch(await database.first(sql.lastEpoch))));

  app.get('/v1/proof/:epoch', { schema: epochSchema }, async (request) => {
    const { epoch } = request.params;
    return renderEpoch(requireEpoch(NUMBER.test(epoch) ? await database.first(sql.readEpoch, Number(epoch)) : undefined));
  });

  app.get('/v1/proofs', { schema: listSchema, config: { isPublic: true } }, async (request, reply) => {
    return (await readListPage(request, reply, epochs)).map(renderEpoch);
  });

  for (const base of WALLET_BASES) {
    app.get(`${base}/proof`, { schema: walletSchema }, async (request) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return readProof(database, wallet, request.query.epoch);
    });
  }
}

/** Epochs are numbered from 1 without a gap, so the last number is their count. */
function listEpochs(database: SqlReader): List<sql.EpochRow> {
  return {
    async readPage({ limit, order, after }) {
      if (after !== undefined && !NUMBER.test(after)) throw new Refusal('validation_failed', '`after` must be the number of an epoch.');
      const number = Number(after ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER));
      return pageOf(await database.all(sql.listEpochs[order], number, limit + 1), limit, ({ epoch }) => String(epoch));
    },
    count: async () => (await database.first(sql.lastEpoch))?.epoch ?? 0,
  };
}

function requireEpoch(row: sql.EpochRow | undefined): sql.EpochRow {
  if (!row) throw new Refusal('proof_unavailable', 'No such epoch has been published.');
  return row;
}
