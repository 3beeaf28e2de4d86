import { readText } from '../columns.ts';
import { duplicateHash, type ImportSource, type SourceProblem } from '../source.ts';
import { openSourceDatabase, type SourceDatabase, sourceOn } from '../source-database.ts';
import { readHistory } from './history.ts';
import { isIsolated, readNotImported } from './not-imported.ts';
import { findTables, type HubTables } from './tables.ts';
import { readWallets } from './wallets.ts';

/** Opens the database of Alby Hub: the SQLite file `nwc.db`, or the PostgreSQL database. */
export async function openAlbyhub(from: string): Promise<ImportSource> {
  return sourceOn(await openSourceDatabase(from), async (database) => {
    const tables = await findTables(database);
    return {
      name: 'albyhub',
      version: tables.version,
      wallets: () => readWallets(database, tables),
      history: () => readHistory(database, tables),
      problems: () => readProblems(database, tables),
      notImported: () => readNotImported(database, tables),
      close: () => database.close(),
    };
  });
}

async function* readProblems(database: SourceDatabase, tables: HubTables): AsyncIterable<SourceProblem> {
  const { transactions, otherNode } = tables;
  const { appId, type, state, paymentHash, selfPayment, hold } = transactions;
  const ofIsolated = (condition: string) =>
    `SELECT CAST(t.${appId} AS TEXT) AS id, t.${paymentHash} AS hash FROM transactions t WHERE ${isIsolated(tables)} AND ${condition} ORDER BY t.${transactions.id}`;
  // A hold invoice and the invoice that it wraps have one hash. The node receives the money of the first one only.
  const payable = `${type} = 'incoming' AND ${paymentHash} <> '' AND NOT coalesce(${selfPayment}, false)
    AND (${state} = 'SETTLED' OR (${state} = 'PENDING' AND NOT coalesce(${hold}, false)))`;
  const twice = `SELECT ${paymentHash} FROM transactions WHERE ${payable} GROUP BY ${paymentHash} HAVING count(*) > 1`;
  for await (const row of database.rows(ofIsolated(`${payable} AND ${paymentHash} IN (${twice})`)))
    yield duplicateHash(readText(row, 'id'), readText(row, 'hash'));
  for await (const row of database.rows(ofIsolated(`t.${state} = 'ACCEPTED'`)))
    yield {
      walletId: readText(row, 'id') ?? '',
      text: `a payer waits for the hold invoice with the payment hash ${readText(row, 'hash')}: settle or cancel it in the hub`,
    };
  if (otherNode === undefined) return;
  for await (const row of database.rows(ofIsolated(`t.${type} = 'outgoing' AND t.${state} = 'PENDING'`)))
    yield {
      walletId: readText(row, 'id') ?? '',
      text: `the payment ${readText(row, 'hash')} is pending in the node of the hub (${otherNode}), which this service cannot use: wait for its end`,
    };
}
