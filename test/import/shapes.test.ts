import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, it } from 'vitest';
import { openLnbits } from '../../src/features/import/lnbits/lnbits.ts';
import { type ImportPlan, makePlan } from '../../src/features/import/plan.ts';
import { freshUrls } from '../support/ledger.ts';
import { BALANCES, lnbitsFiles, PUBKEY } from './lnbits.ts';

const CHOICES = {
  node: { pubkey: PUBKEY, network: 'regtest' },
  hasHistory: true,
  negative: 'refuse',
  allowedMismatches: new Map(),
} as const;

async function planOf(from: string): Promise<ImportPlan> {
  const source = await openLnbits(from);
  try {
    return await makePlan(source, CHOICES);
  } finally {
    await source.close();
  }
}

/** What a plan says about each wallet, without what a version or a database does not have. */
const figures = ({ wallets }: ImportPlan) => wallets.map(({ links: _links, remarks: _remarks, ...wallet }) => wallet);

const files = lnbitsFiles();

/** The statements that turn the schema of LNbits 1.6.2 back into those of earlier migrations. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  '45 (1.4)': ['ALTER TABLE wallets DROP COLUMN lightning_address', 'ALTER TABLE apipayments DROP COLUMN external_id'],
  '25 (1.0)': [
    'ALTER TABLE apipayments DROP COLUMN tag',
    'ALTER TABLE apipayments DROP COLUMN extension',
    'ALTER TABLE apipayments DROP COLUMN updated_at',
  ],
};

const INDEXES = `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`;

function changed(sql: readonly string[]): string {
  const file = files('DROP VIEW balances');
  const database = new DatabaseSync(file);
  for (const { name } of database.prepare(INDEXES).all()) database.exec(`DROP INDEX "${name}"`);
  for (const one of sql) database.exec(one);
  database.close();
  return file;
}

it.each(Object.keys(BEFORE))('reads the schema of LNbits before migration %s', async (version) => {
  expect(figures(await planOf(changed(BEFORE[version] ?? [])))).toEqual(figures(await planOf(files())));
});

it('reads the schema of LNbits 0.12, which has `pending`, `hash` and `wallet`', async () => {
  const old = changed([
    'ALTER TABLE apipayments ADD COLUMN pending BOOLEAN',
    // Failed payments were deleted.
    "DELETE FROM apipayments WHERE status = 'failed'",
    "UPDATE apipayments SET pending = status = 'pending'",
    'ALTER TABLE apipayments DROP COLUMN status',
    'ALTER TABLE apipayments RENAME COLUMN payment_hash TO hash',
    'ALTER TABLE apipayments RENAME COLUMN wallet_id TO wallet',
    'ALTER TABLE accounts RENAME COLUMN password_hash TO pass',
  ]);
  const withoutFailed = await planOf(files("DELETE FROM apipayments WHERE status = 'failed'"));
  expect(figures(await planOf(old))).toEqual(figures(withoutFailed));
});

it('reads the PostgreSQL database of LNbits', async () => {
  const url = await freshUrls('postgres')();
  await copyToPostgres(files(), url);
  const [fromPostgres, fromSqlite] = [await planOf(url), await planOf(files())];
  expect(figures(fromPostgres)).toEqual(figures(fromSqlite));
  expect(fromPostgres.sums.open_invoices).toBe(8);
  expect(fromPostgres.wallets.filter(({ action }) => action === 'import')).toHaveLength(BALANCES.length + 1);
});

/** The types that LNbits declares on PostgreSQL. */
const POSTGRES_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(time|expiry|created_at|updated_at)$/, 'TIMESTAMP'],
  [/^(deleted|activated)$/, 'BOOLEAN'],
  [/^(amount|fee|version)$/, 'BIGINT'],
];

async function copyToPostgres(file: string, url: string): Promise<void> {
  const source = new DatabaseSync(file);
  const target = new pg.Client({ connectionString: url });
  await target.connect();
  try {
    for (const table of ['accounts', 'wallets', 'apipayments', 'dbversions']) {
      const columns = source
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(table)
        .map(({ name }) => String(name));
      const typeOf = (name: string) => POSTGRES_TYPES.find(([names]) => names.test(name))?.[1] ?? 'TEXT';
      await target.query(`CREATE TABLE ${table} (${columns.map((name) => `"${name}" ${typeOf(name)}`)})`);
      for (const row of source.prepare(`SELECT * FROM ${table}`).all()) {
        const values = columns.map((name) => valueFor(typeOf(name), row[name] ?? null));
        await target.query(`INSERT INTO ${table} VALUES (${columns.map((_, index) => `$${index + 1}`)})`, values);
      }
    }
  } finally {
    await target.end();
    source.close();
  }
}

function valueFor(type: string, value: unknown): unknown {
  if (value === null) return null;
  if (type === 'BOOLEAN') return value === 1;
  return type === 'TIMESTAMP' ? new Date(Number(value) * 1000).toISOString().replace('T', ' ').replace('Z', '') : value;
}
