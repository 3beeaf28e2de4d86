import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readInteger, readText } from '../columns.ts';
import { type ImportSource, type NotImported, type SourceProblem, UnusableSource } from '../source.ts';
import { openSourceDatabase, type SourceDatabase, sourceOn } from '../source-database.ts';
import { readHistory } from './history.ts';
import { closeLinks, type LinkTables, openLinks } from './links.ts';
import { paymentColumns } from './payment-columns.ts';
import { readWallets } from './wallets.ts';

/** The tables of the core that have nothing to import, or whose rows are imported. */
const KNOWN_TABLES: ReadonlySet<string> = new Set(
  (
    'accounts wallets apipayments dbversions settings system_settings audit extensions installed_extensions balance_check balance_notify ' +
    'tiny_url webpush_subscriptions assets wasm_invocations'
  ).split(' '),
);

/** That of LNbits 1.6.2. A later one may change the meaning of a column. */
const NEWEST_MIGRATION = 50;

/** Opens the database of LNbits: the SQLite file `database.sqlite3`, with those of its extensions in the same folder, or the PostgreSQL database. */
export async function openLnbits(from: string): Promise<ImportSource> {
  return sourceOn(await openSourceDatabase(from), async (database) => {
    const columns = await paymentColumns(database);
    const links = await openLinks(database, extensionFile(database, from, 'lnurlp'));
    return {
      name: 'lnbits',
      version: await readVersion(database),
      wallets: () => readWallets(database, columns, links),
      history: () => readHistory(database, columns),
      problems: () => duplicateInvoices(database, columns),
      notImported: () => notImported(database, links, from),
      async close() {
        await closeLinks(links);
        await database.close();
      },
    };
  });
}

/** Returns the file of an extension, which LNbits keeps in the folder of the core’s file; undefined on PostgreSQL, where it is a schema. */
function extensionFile({ dialect }: SourceDatabase, from: string, name: string): string | undefined {
  const file = join(dirname(from.replace(/^sqlite:/, '')), `ext_${name}.sqlite3`);
  return dialect === 'sqlite' && existsSync(file) ? file : undefined;
}

async function readVersion(database: SourceDatabase): Promise<string> {
  if ((await database.columns('dbversions')).size === 0) return 'unknown';
  for await (const row of database.rows("SELECT version FROM dbversions WHERE db = 'core'")) {
    const version = readInteger(row, 'version', 'dbversions');
    if (version <= NEWEST_MIGRATION) return `migration ${version}`;
    throw new UnusableSource(
      `The source has migration ${version} of LNbits, and this version of Satchel knows them up to ${NEWEST_MIGRATION}. Use a newer version of Satchel.`,
    );
  }
  return 'unknown';
}

/** Two invoices with one hash would be credited twice by one payment, or not at all. */
async function* duplicateInvoices(
  database: SourceDatabase,
  columns: Awaited<ReturnType<typeof paymentColumns>>,
): AsyncIterable<SourceProblem> {
  const { paymentHash, walletId, amount, isFailed } = columns;
  const duplicated = `SELECT ${paymentHash} FROM apipayments WHERE ${amount} > 0 AND NOT (${isFailed()}) AND ${paymentHash} <> ''
    GROUP BY ${paymentHash} HAVING count(*) > 1`;
  const sql = `SELECT DISTINCT ${walletId} AS wallet, ${paymentHash} AS hash FROM apipayments
    WHERE ${amount} > 0 AND NOT (${isFailed()}) AND ${paymentHash} IN (${duplicated})`;
  for await (const row of database.rows(sql))
    yield {
      walletId: readText(row, 'wallet') ?? '',
      text: `another invoice has the payment hash ${readText(row, 'hash')} too; delete or mark as failed the one that was not paid`,
    };
}

async function notImported(database: SourceDatabase, links: LinkTables | undefined, from: string): Promise<NotImported[]> {
  const left: NotImported[] = [];
  const isExtensionTable = (name: string) => !KNOWN_TABLES.has(name) && !name.startsWith('sqlite_');
  for (const name of (await database.tables()).filter(isExtensionTable))
    left.push({ what: `table ${name}`, count: 1, reason: 'it is not a table of the core of LNbits that has something to import' });
  if (!links) left.push({ what: 'extension lnurlp', count: 0, reason: 'the source has no tables of pay links' });
  if (extensionFile(database, from, 'withdraw') !== undefined)
    left.push({ what: 'extension withdraw', count: 1, reason: 'withdraw links are not imported: create new ones' });
  return left;
}
