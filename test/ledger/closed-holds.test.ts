import pg from 'pg';
import { expect, it } from 'vitest';
import { writeBatchWithoutTransfers } from '../../src/core/ledger/store-postgres.sql.ts';
import { migratedUrls } from '../support/ledger.ts';

/** The first version of PostgreSQL with EXPLAIN (GENERIC_PLAN). */
const GENERIC_PLAN_SINCE = 160_000;

const urls = migratedUrls('postgres');

it('finds closed holds by their ids on PostgreSQL, also with a plan that was made while there were none', async (context) => {
  const client = new pg.Client({
    connectionString: await urls(),
    options: '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off',
  });
  await client.connect();
  const { rows: versions } = await client.query("SELECT current_setting('server_version_num')::int AS version");
  if (versions[0].version < GENERIC_PLAN_SINCE) {
    await client.end();
    return context.skip('PostgreSQL 15 explains no generic plan');
  }
  await client.query('VACUUM ANALYZE ledger_hold');
  const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${writeBatchWithoutTransfers.postgres}`).finally(() => client.end());
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // A scan of the index without a condition would read all holds for each batch.
  expect(plan).toMatch(/ledger_hold_pkey.*\n\s+Index Cond: \(id = ANY/);
});
