import { detectColumns } from '../columns.ts';
import { UnusableSource } from '../source.ts';
import type { SourceDatabase } from '../source-database.ts';

/** The names of lndhub.go's migrations up to 1.0.2, of which versions before it have the first ones. */
const KNOWN_MIGRATIONS: ReadonlySet<string> = new Set(
  (
    '20220115171101 20220119021600 20220120000700 20220301100000 20220304103000 20220308103000 20220518090000 20221226203000 20230113103000 ' +
    '2023021603000 20230503150000 20230524110000 20230703120000 20230703130000 20230928130000 20231123030000 20231229091800 20240103130000 ' +
    '2024060603000'
  ).split(' '),
);

/** The SQL of the columns that are read, for the version of the source. */
export type LndhubTables = Awaited<ReturnType<typeof findTables>>;

/** Finds the tables and columns. @throws UnusableSource for a version that is not known */
export async function findTables(database: SourceDatabase) {
  if (database.dialect !== 'postgres')
    throw new UnusableSource('--from must be the postgres:// URL of the database of lndhub.go. It supports no other database.');
  const version = await readVersion(database);
  const users = await detectColumns(database, 'users', {
    id: { names: ['id'] },
    email: { names: ['email'] },
    login: { names: ['login'] },
    password: { names: ['password'] },
    createdAt: { names: ['created_at'] },
    deactivated: { names: ['deactivated'], isOptional: true },
    deleted: { names: ['deleted'], isOptional: true },
  });
  const invoices = await detectColumns(database, 'invoices', {
    id: { names: ['id'] },
    type: { names: ['type'] },
    userId: { names: ['user_id'] },
    amount: { names: ['amount'] },
    memo: { names: ['memo'] },
    descriptionHash: { names: ['description_hash'] },
    paymentRequest: { names: ['payment_request'] },
    rHash: { names: ['r_hash'] },
    preimage: { names: ['preimage'] },
    internal: { names: ['internal'] },
    state: { names: ['state'] },
    errorMessage: { names: ['error_message'] },
    createdAt: { names: ['created_at'] },
    expiresAt: { names: ['expires_at'] },
    settledAt: { names: ['settled_at'] },
    keysend: { names: ['keysend'], isOptional: true },
    customRecords: { names: ['destination_custom_records'], isOptional: true },
  });
  await detectColumns(database, 'accounts', { id: { names: ['id'] }, userId: { names: ['user_id'] }, type: { names: ['type'] } });
  await detectColumns(database, 'transaction_entries', {
    invoiceId: { names: ['invoice_id'] },
    credit: { names: ['credit_account_id'] },
    debit: { names: ['debit_account_id'] },
    amount: { names: ['amount'] },
    createdAt: { names: ['created_at'] },
  });
  await detectColumns(database, 'account_ledgers', { accountId: { names: ['account_id'] }, amount: { names: ['amount'] } });
  return { version, users, invoices };
}

async function readVersion(database: SourceDatabase): Promise<string> {
  if ((await database.columns('bun_migrations')).size === 0)
    throw new UnusableSource('The source has no table bun_migrations. Check that --from is the database of lndhub.go.');
  let newest = '';
  for await (const { name } of database.rows('SELECT name FROM public.bun_migrations ORDER BY name')) {
    if (!KNOWN_MIGRATIONS.has(String(name)))
      throw new UnusableSource(
        `The source has the migration ${name}, which is newer than lndhub.go 1.0.2. Use a version of Satchel that knows it.`,
      );
    newest = String(name);
  }
  return `migration ${newest}`;
}

/** What each invoice has changed in the balance of its user, which has an account of the type `current`. Reserves and their return are part of it. */
export const NET_OF_INVOICES = `SELECT user_id, invoice_id, sum(amount) AS net, min(created_at) AS created_at FROM (
    SELECT a.user_id, e.invoice_id, e.amount, e.created_at
      FROM public.transaction_entries e JOIN public.accounts a ON a.id = e.credit_account_id AND a.type = 'current'
    UNION ALL
    SELECT a.user_id, e.invoice_id, -e.amount, e.created_at
      FROM public.transaction_entries e JOIN public.accounts a ON a.id = e.debit_account_id AND a.type = 'current'
  ) entry GROUP BY user_id, invoice_id`;

/**
 * The time of the newest invoice. Ages are relative to it and not to the clock, so that a stopped source gives the same plan every day.
 */
export const NEWEST = '(SELECT coalesce(max(created_at), now()) FROM public.invoices)';
