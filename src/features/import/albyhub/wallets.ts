import { qualified, readData, readFlag, readInteger, readText, selectList } from '../columns.ts';
import { IDLE, type SourceWallet, walletLabel } from '../source.ts';
import type { SourceDatabase, SourceRow } from '../source-database.ts';
import type { HubTables } from './tables.ts';

const YEAR_SECONDS = 365 * 86_400;

/** Reads the isolated apps. Each one is a sub-wallet with a balance of its own. */
export async function* readWallets(
  database: SourceDatabase,
  { apps, transactions, epoch, newest }: HubTables,
): AsyncIterable<SourceWallet> {
  const { appId, type, state, amount, fee, reserve, createdAt, hold } = transactions;
  const isPending = (of: string) => `${type} = '${of}' AND ${state} = 'PENDING'`;
  const selected = {
    id: `CAST(a.${apps.id} AS TEXT)`,
    name: `a.${apps.name}`,
    metadata: qualified('a', apps.metadata),
    balance: 'coalesce(used.balance, 0)',
    openHolds: 'coalesce(used.open_holds, 0)',
    canPay: 'may.app_id IS NOT NULL',
    budget: 'coalesce(may.budget, 0)',
    renewal: 'may.renewal',
    isIdle: `coalesce(used.pending, 0) = 0 AND coalesce(used.newest, ${epoch(`a.${apps.createdAt}`)}) < ${newest} - ${YEAR_SECONDS}`,
  };
  // The figure of Alby Hub without what pending payments have taken. It does not charge the app for the fee of a receipt.
  const sql = `WITH used AS (SELECT ${appId} AS app_id, max(${epoch(createdAt)}) AS newest,
      sum(CASE WHEN ${state} <> 'SETTLED' THEN 0 WHEN ${type} = 'incoming' THEN ${amount}
        ELSE -(${amount} + coalesce(${fee}, 0) + coalesce(${reserve}, 0)) END) AS balance,
      count(CASE WHEN ${isPending('outgoing')} THEN 1 END) AS pending,
      count(CASE WHEN ${isPending('incoming')} AND ${hold} THEN 1 END) AS open_holds
    FROM transactions GROUP BY ${appId}),
    may AS (SELECT app_id, max(max_amount_sat) AS budget, max(budget_renewal) AS renewal
      FROM app_permissions WHERE scope = 'pay_invoice' GROUP BY app_id)
    SELECT ${selectList(selected)} FROM apps a LEFT JOIN used ON used.app_id = a.${apps.id} LEFT JOIN may ON may.app_id = a.${apps.id}
    WHERE a.${apps.isolated} ORDER BY ${database.bytewise(selected.id)}`;
  for await (const row of database.rows(sql)) yield walletFromRow(row);
}

function walletFromRow(row: SourceRow): SourceWallet {
  const id = readText(row, 'id') ?? '';
  const name = readText(row, 'name') ?? '';
  const balanceMsat = readInteger(row, 'balance', `app ${id}`);
  return {
    id,
    account: { id, name },
    label: walletLabel(name),
    balanceMsat,
    keys: [],
    links: [],
    isInactive: !readFlag(row, 'canPay'),
    leftOut: balanceMsat === 0 && readFlag(row, 'isIdle') ? IDLE : undefined,
    remarks: remarksOf(row, `app ${id}`),
  };
}

function remarksOf(row: SourceRow, where: string): string[] {
  const [budgetSat, openHolds] = [readInteger(row, 'budget', where), readInteger(row, 'openHolds', where)];
  const { metadata } = readData(row, ['metadata']);
  const address = (metadata as { lud16?: unknown } | undefined)?.lud16;
  return [
    ...(readFlag(row, 'canPay') ? [] : ['its app may not pay: the wallet is inactive']),
    ...(budgetSat > 0 ? [`the budget of its app is not imported: ${budgetSat} sat, renewal ${readText(row, 'renewal')}. Set limits`] : []),
    ...(openHolds > 0
      ? [`open hold invoices are not imported (${openHolds}): the app settles them over its connection, which ends with the hub`]
      : []),
    ...(typeof address === 'string' ? [`the Lightning address ${address} is not imported: Alby serves it`] : []),
  ];
}
