import { existsSync, statSync } from 'node:fs';
import { readInteger, readText } from '../columns.ts';
import { duplicateHash, type ImportSource, type NotImported, type SourceProblem, UnusableSource } from '../source.ts';
import { type SourceDatabase, sourceOn } from '../source-database.ts';
import { OPEN_INVOICE, readHistory } from './history.ts';
import { checkTables, loadDump } from './tables.ts';
import { readWallets } from './wallets.ts';
import { type HookRow, webhooksOf, webhooksSql } from './webhooks.ts';

/** Opens a dump of the MySQL database of LNPay, as mysqldump or mariadb-dump writes it. */
export async function openLnpay(from: string): Promise<ImportSource> {
  if (!existsSync(from) || !statSync(from).isFile())
    throw new UnusableSource(`--from must be the path of a dump that mysqldump or mariadb-dump has written. ${from} is no file.`);
  return sourceOn(await loadDump(from), async (database) => {
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
  });
}

/** Two open invoices with one hash would be credited twice by one payment, or not at all. */
async function* duplicateInvoices(database: SourceDatabase): AsyncIterable<SourceProblem> {
  const sql = `SELECT DISTINCT json_extract(t.json_data, '$.wallet_id') AS wallet, lower(t.r_hash_decoded) AS hash FROM ln_tx t
    WHERE ${OPEN_INVOICE} AND EXISTS (SELECT 1 FROM ln_tx o WHERE o.r_hash_decoded = t.r_hash_decoded AND o.id <> t.id) ORDER BY 1, 2`;
  for await (const row of database.rows(sql)) yield duplicateHash(readText(row, 'wallet'), readText(row, 'hash'));
}

/** Users of an organization see the wallets of the others. All users without one are in that of LNPay. */
const SHARES_WALLETS = `org_id IN (SELECT o.id FROM org o WHERE o.name <> 'lnpay_default_org'
  AND (SELECT count(*) FROM user m WHERE m.org_id = o.id) > 1)`;

async function notImported(database: SourceDatabase): Promise<NotImported[]> {
  const counts: (readonly [table: string, condition: string, what: string, reason: string])[] = [
    ['wallet_lnurlw', 'true', 'permanent withdraw links', 'whoever has one can take the balance: create links with a limit'],
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
  if ((await database.columns('org')).size > 0)
    counts.push([
      'user',
      SHARES_WALLETS,
      'users who share wallets in an organization',
      'an account has one login: each sees the own wallets only',
    ]);
  const found: NotImported[] = [];
  const webhooks = await unknownWebhooks(database);
  if (webhooks > 0)
    found.push({
      what: 'webhooks',
      count: webhooks,
      reason: 'they have no valid URL or no event of this service, or a user has more than 20',
    });
  for (const [table, condition, what, reason] of counts) {
    if ((await database.columns(table)).size === 0) continue;
    for await (const row of database.rows(`SELECT count(*) AS n FROM "${table}" WHERE ${condition}`)) {
      const count = readInteger(row, 'n', table);
      if (count > 0) found.push({ what, count, reason });
    }
  }
  return found;
}

async function unknownWebhooks(database: SourceDatabase): Promise<number> {
  if ((await database.columns('integration_webhook')).size === 0) return 0;
  let count = 0;
  for await (const row of database.rows(`SELECT ${webhooksSql('u.id')} AS webhooks FROM user u`)) {
    const hooks = JSON.parse(String(row.webhooks)) as HookRow[];
    count += hooks.length - webhooksOf(hooks).length;
  }
  return count;
}
