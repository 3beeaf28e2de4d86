import { readInteger, readText } from '../columns.ts';
import type { NotImported } from '../source.ts';
import type { SourceDatabase } from '../source-database.ts';
import type { HubTables } from './tables.ts';

/** Names what stays in the hub: its owner's money, apps that spend it, and the connections of all apps. */
export async function readNotImported(database: SourceDatabase, tables: HubTables): Promise<NotImported[]> {
  const { apps, transactions, otherNode } = tables;
  const { appId, type, state } = transactions;
  const count = (condition: string) => countRows(database, `transactions t WHERE ${condition}`);
  const left: NotImported[] = [];
  const shared = `SELECT a.${apps.id} AS id, a.${apps.name} AS name, (SELECT count(*) FROM transactions t WHERE t.${appId} = a.${apps.id}) AS n
    FROM apps a WHERE NOT coalesce(a.${apps.isolated}, false) ORDER BY a.${apps.id}`;
  for await (const row of database.rows(shared))
    left.push({
      what: `app ${readText(row, 'id')}, ${readText(row, 'name') ?? ''}`,
      count: readInteger(row, 'n', 'apps'),
      reason: NOT_ISOLATED,
    });
  const owned = await count(`t.${appId} IS NULL`);
  if (owned > 0)
    left.push({ what: 'transactions of the owner of the hub', count: owned, reason: 'their money stays in the node of the hub' });
  const orphaned = await count(`t.${appId} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM apps a WHERE a.${apps.id} = t.${appId})`);
  if (orphaned > 0)
    left.push({ what: 'transactions of deleted apps', count: orphaned, reason: 'their money belongs to the owner of the hub since' });
  if (otherNode !== undefined) {
    const open = await count(`t.${type} = 'incoming' AND t.${state} = 'PENDING' AND ${isIsolated(tables)}`);
    const reason = `they can be paid at the node of the hub (${otherNode}) only, which this service cannot use`;
    if (open > 0) left.push({ what: 'open invoices', count: open, reason });
  }
  const connections = await countRows(database, `apps a WHERE a.${apps.isolated}`);
  return [...left, { what: 'connections of apps (NWC)', count: connections, reason: CONNECTIONS }];
}

const NOT_ISOLATED = 'it is not isolated: it spends the money of the owner of the hub, which stays in the node of the hub';
const CONNECTIONS = 'their keys derive from the seed of the hub: create new ones in this service, and replace them in the apps';

/** The SQL of whether a transaction `t` is one of an isolated app. */
export function isIsolated({ apps, transactions }: HubTables): string {
  return `t.${transactions.appId} IN (SELECT a.${apps.id} FROM apps a WHERE a.${apps.isolated})`;
}

async function countRows(database: SourceDatabase, from: string): Promise<number> {
  for await (const row of database.rows(`SELECT count(*) AS n FROM ${from}`)) return readInteger(row, 'n', 'transactions');
  return 0;
}
