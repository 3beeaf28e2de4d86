import { detectColumns, readText, selectList } from '../columns.ts';
import type { SourceLink } from '../source.ts';
import { openSqlite, type SourceDatabase, type SourceRow } from '../source-database.ts';

/** The pay links of the extension `lnurlp`: in a file of their own, or in a schema of the core's database. */
export interface LinkTables {
  readonly database: SourceDatabase;
  readonly table: string;
  readonly isOwn: boolean;
}

export async function openLinks(core: SourceDatabase, file: string | undefined): Promise<LinkTables | undefined> {
  if (file !== undefined) return { database: openSqlite(file), table: 'pay_links', isOwn: true };
  const table = 'lnurlp.pay_links';
  return core.dialect === 'postgres' && (await core.columns(table)).size > 0 ? { database: core, table, isOwn: false } : undefined;
}

export async function closeLinks(links: LinkTables | undefined): Promise<void> {
  if (links?.isOwn) await links.database.close();
}

/** The most pay links of all wallets together that are kept in memory. */
const MAX_LINKS = 200_000;

/** Returns the links by the ids of their wallets. */
export async function linksByWallet(links: LinkTables | undefined): Promise<ReadonlyMap<string, readonly SourceLink[]>> {
  const byWallet = new Map<string, SourceLink[]>();
  if (!links) return byWallet;
  const { database, table } = links;
  const columns = await detectColumns(database, table, {
    id: { names: ['id'] },
    wallet: { names: ['wallet'] },
    description: { names: ['description'] },
    min: { names: ['min', 'amount'] },
    max: { names: ['max'], isOptional: true },
    currency: { names: ['currency'], isOptional: true },
    commentChars: { names: ['comment_chars'], isOptional: true },
    successText: { names: ['success_text'], isOptional: true },
    successUrl: { names: ['success_url'], isOptional: true },
    username: { names: ['username'], isOptional: true },
    domain: { names: ['domain'], isOptional: true },
  });
  let count = 0;
  for await (const row of database.rows(`SELECT ${selectList(columns)} FROM ${table} ORDER BY id LIMIT ${MAX_LINKS}`)) {
    const wallet = readText(row, 'wallet') ?? '';
    byWallet.set(wallet, [...(byWallet.get(wallet) ?? []), linkFromRow(row)]);
    count += 1;
  }
  if (count === MAX_LINKS) throw new Error(`the source has more than ${MAX_LINKS} pay links`);
  return byWallet;
}

const MAX_COMMENT = 500;

function linkFromRow(row: SourceRow): SourceLink {
  const id = readText(row, 'id') ?? '';
  const currency = readText(row, 'currency');
  return {
    id,
    shortDesc: readText(row, 'description') ?? 'Lightning payment',
    // Whole satoshis.
    minMsat: Math.max(1000, Math.round(Number(row.min)) * 1000),
    maxMsat: Math.max(1000, Math.round(Number(row.max ?? row.min)) * 1000),
    commentLength: Math.min(MAX_COMMENT, Math.max(0, Number(row.commentChars ?? 0))),
    name: readText(row, 'username')?.toLowerCase(),
    domain: readText(row, 'domain')?.toLowerCase(),
    successText: readText(row, 'successText'),
    successUrl: readText(row, 'successUrl'),
    // What printed LNURLs contain, of this and of earlier versions.
    paths: [`/lnurlp/${id}`, `/lnurlp/api/v1/lnurl/${id}`],
    leftOut: currency !== undefined && currency !== 'satoshis' ? `its amounts are in ${currency}` : undefined,
  };
}
