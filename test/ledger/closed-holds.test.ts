import pg from 'pg';
import { expect, it } from 'vitest';
import { writeBatchWithoutTransfers } from '../../src/core/ledger/store-postgres.sql.ts';
import { migratedUrls } from '../support/ledger.ts';

const urls = migratedUrls('postgres');

it('finds closed holds by their ids on PostgreSQL, also with a plan that was made while there were none', async () => {
  const client = new pg.Client({
    connectionString: await urls(),
    options: '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off',
  });
  await client.connect();
  await client.query('VACUUM ANALYZE ledger_hold');
  const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${writeBatchWithoutTransfers.postgres}`).finally(() => client.end());
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // A scan of the index without a condition would read all holds for each batch.
  expect(plan).toMatch(/ledger_hold_pkey.*\n\s+Index Cond: \(id = ANY/);
});
