import { existsSync, statSync } from 'node:fs';
import { readInteger, readText } from '../columns.ts';
import { type ImportSource, type NotImported, type SourceProblem, UnusableSource } from '../source.ts';
import type { SourceDatabase } from '../source-database.ts';
import { OPEN_INVOICE, readHistory } from './history.ts';
import { checkTables, loadDump } from './tables.ts';
import { readWallets } from './wallets.ts';

/** Opens a dump of the MySQL database of LNPay, as mysqldump or mariadb-dump writes it. */
export async function openLnpay(from: string): Promise<ImportSource> {
  if (!existsSync(from) || !statSync(from).isFile())
    throw new UnusableSource(`--from must be the path of a dump that mysqldump or mariadb-dump has written. ${from} is no file.`);
  const database = await loadDump(from);
  try {
    const version = await checkTables(database);
    return {
      name: 'lnpay',
      version,
      wallets: () => readWallets(database),
      history: () => readHistory(database),
      problems: () => duplicateInvoices(database),
      notImported: () => notImported(database),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Two open invoices with one hash would be credited twice by one payment, or not at all. */
async function* duplicateInvoices(database: SourceDatabase): AsyncIterable<SourceProblem> {
  const sql = `SELECT DISTINCT json_extract(t.json_data, '$.wallet_id') AS wallet, lower(t.r_hash_decoded) AS hash FROM ln_tx t
    WHERE ${OPEN_INVOICE} AND EXISTS (SELECT 1 FROM ln_tx o WHERE o.r_hash_decoded = t.r_hash_decoded AND o.id <> t.id) ORDER BY 1, 2`;
  for await (const row of database.rows(sql))
    yield {
      walletId: readText(row, 'wallet') ?? '',
      text: `another invoice has the payment hash ${readText(row, 'hash')} too: one payment would be credited twice`,
    };
}

async function notImported(database: SourceDatabase): Promise<NotImported[]> {
  const counts: readonly (readonly [table: string, condition: string, what: string, reason: string])[] = [
    ['wallet_lnurlw', 'true', 'permanent withdraw links', 'whoever has one can take the balance: create links with a limit'],
    ['integration_webhook', 'true', 'webhooks', 'their receivers must expect the events of this service: create them again'],
    ['user', 'mfa_secret_key IS NOT NULL', 'second factors', 'the owner adds an authenticator app again'],
    [
      'user_access_key',
      "access_key LIKE 'waklw!_%' ESCAPE '!'",
      'rights of withdraw keys (waklw_)',
      'they could spend everything, and only identify the wallet here',
    ],
    [
      'user_access_key',
      "access_key LIKE 'wakew%'",
      'keys of public websites of wallets',
      'they have 47 random bits, and this service has no such websites',
    ],
  ];
  const found: NotImported[] = [];
  for (const [table, condition, what, reason] of counts) {
    if ((await database.columns(table)).size === 0) continue;
    for await (const row of database.rows(`SELECT count(*) AS n FROM "${table}" WHERE ${condition}`)) {
      const count = readInteger(row, 'n', table);
      if (count > 0) found.push({ what, count, reason });
    }
  }
  return found;
}
