import { type Static, Type } from 'typebox';
import type { Database } from '../../core/db/database.ts';
import { openList } from '../../core/db/list.ts';
import { floorSat, msat } from '../../core/kernel/money.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { KeyParams } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { anyObject, namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { type ImportedRow, listImported } from './import.sql.ts';
import { SOURCE_NAMES } from './source.ts';

const ImportedTransactionObject = namedObject('ImportedTransaction', {
  id: Type.String({ description: 'The id of the row, `itx_…`. Later rows of the former service have larger ids' }),
  created_at: Type.Integer({ description: 'The time of the former service, in Unix seconds' }),
  settled_at: nullable(Type.Integer({ description: 'When it was settled, in Unix seconds; null if it was not' })),
  num_satoshis: Type.Integer({ description: 'The amount in whole satoshis; negative for money that left the wallet' }),
  num_msat: Type.Integer({ description: 'The amount in millisatoshis, exact; negative for money that left the wallet' }),
  fee_msat: Type.Integer({ description: 'What the wallet paid on top, in millisatoshis' }),
  user_label: Type.String({ description: 'The memo' }),
  status: oneOf(['settled', 'pending', 'open', 'failed'], {
    description: 'Its state at the time of the import. What was `pending` or `open` is a transaction or an invoice of this service since',
  }),
  kind: oneOf(['lightning', 'internal', 'other'], {
    description: '`lightning`: over the network. `internal`: between two wallets of the former service. `other`: another booking',
  }),
  payment_hash: nullable(Type.String({ description: 'The payment hash, in hex; null if it has none' })),
  payment_preimage: nullable(Type.String({ description: 'The proof of payment, in hex; null if it is not known' })),
  payment_request: nullable(Type.String({ description: 'The BOLT11 invoice; null if it has none' })),
  source: oneOf(SOURCE_NAMES, { description: 'The program from which it was imported' }),
  source_id: Type.String({ description: 'Its id there' }),
  data: anyObject('Further fields of the former service'),
});

const listSchema = {
  operationId: 'listImportedTransactions',
  tags: ['History'],
  summary: 'List the transactions that a wallet had before it was imported',
  description:
    'Newest first. They come before the transaction `opening_balance` of the wallet, which is their sum, and they count nowhere else. Empty for a ' +
    'wallet that was created here.',
  ...requires('wallet_tx_read'),
  params: KeyParams,
  querystring: ListQuery,
  response: { 200: Type.Array(ImportedTransactionObject) },
};

/** Lists the history that imported wallets had in the program that they come from. */
export function importedTransactionRoutes(app: App, { access, database }: { access: Access; database: Database }): void {
  for (const base of WALLET_BASES) {
    app.get(`${base}/imported-transactions`, { schema: listSchema }, async (request, reply) => {
      const wallet = await access.wallet(request, 'wallet_tx_read');
      const list = openList(database, { statements: listImported, filters: [wallet.id], prefix: 'itx' });
      return sendList(request, reply, list, render);
    });
  }
}

function render(row: ImportedRow): Static<typeof ImportedTransactionObject> {
  const { amount_msat, memo, state, preimage, data, ...same } = row;
  return {
    ...same,
    num_satoshis: floorSat(msat(amount_msat)),
    num_msat: amount_msat,
    user_label: memo,
    status: state,
    payment_preimage: preimage,
    data: data === null ? {} : (JSON.parse(data) as object),
  };
}
