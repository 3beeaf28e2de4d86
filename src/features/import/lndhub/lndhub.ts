import { isBcrypt } from '../../logins/bcrypt.ts';
import { qualified, readFlag, readInteger, readText, selectList } from '../columns.ts';
import { duplicateHash, IDLE, type ImportSource, type NotImported, type SourceProblem, type SourceWallet, walletLabel } from '../source.ts';
import { openSourceDatabase, type SourceDatabase, type SourceRow, sourceOn } from '../source-database.ts';
import { readHistory, readMsat } from './history.ts';
import { findTables, type LndhubTables, NET_OF_INVOICES, NEWEST } from './tables.ts';

/** Opens the PostgreSQL database of lndhub.go. */
export async function openLndhub(from: string): Promise<ImportSource> {
  return sourceOn(await openSourceDatabase(from), async (database) => {
    const tables = await findTables(database);
    return {
      name: 'lndhub',
      version: tables.version,
      wallets: () => readWallets(database, tables),
      history: () => readHistory(database, tables),
      problems: () => readProblems(database, tables),
      notImported: async (): Promise<NotImported[]> => [
        { what: 'tokens of apps', count: 0, reason: 'they are signed with a secret of lndhub.go: apps log in again by themselves' },
      ],
      close: () => database.close(),
    };
  });
}

/** Reads the users, each of which has one balance. */
async function* readWallets(database: SourceDatabase, { users, invoices }: LndhubTables): AsyncIterable<SourceWallet> {
  const { id, type, state, userId, createdAt } = invoices;
  const isTaken = `net.net < 0 AND i.${type} = 'outgoing'`;
  const sumIf = (condition: string) => `coalesce(sum(net.net) FILTER (WHERE ${condition}), 0)`;
  const selected = {
    id: `u.${users.id}`,
    email: `u.${users.email}`,
    login: `u.${users.login}`,
    password: `u.${users.password}`,
    isDeactivated: qualified('u', users.deactivated),
    isDeleted: qualified('u', users.deleted),
    balance: 'coalesce(ledger.balance, 0)',
    pending: 'coalesce(taken.pending, 0)',
    unreturned: 'coalesce(taken.unreturned, 0)',
    isIdle: `coalesce(used.newest, u.${users.createdAt}) < ${NEWEST} - interval '1 year'`,
  };
  // `ledger` is the figure of lndhub.go's API. It includes what pending payments have taken.
  const sql = `WITH net AS (${NET_OF_INVOICES}),
    taken AS (SELECT net.user_id, ${sumIf(`${isTaken} AND i.${state} IN ('initialized', 'open')`)} AS pending,
        ${sumIf(`${isTaken} AND i.${state} = 'error'`)} AS unreturned
      FROM net JOIN public.invoices i ON i.${id} = net.invoice_id AND i.${userId} = net.user_id GROUP BY net.user_id),
    ledger AS (SELECT a.user_id, sum(l.amount) AS balance FROM public.account_ledgers l JOIN public.accounts a ON a.id = l.account_id
      WHERE a.type = 'current' GROUP BY a.user_id),
    used AS (SELECT ${userId} AS user_id, max(${createdAt}) AS newest FROM public.invoices GROUP BY ${userId})
    SELECT ${selectList(selected)} FROM public.users u
      LEFT JOIN taken ON taken.user_id = u.${users.id}
      LEFT JOIN ledger ON ledger.user_id = u.${users.id}
      LEFT JOIN used ON used.user_id = u.${users.id}
    ORDER BY ${database.bytewise(`CAST(u.${users.id} AS TEXT)`)}`;
  for await (const row of database.rows(sql)) yield walletFromRow(row);
}

function walletFromRow(row: SourceRow): SourceWallet {
  const id = readText(row, 'id') ?? '';
  const where = `user ${id}`;
  const login = readText(row, 'login') ?? '';
  const balanceMsat = readMsat(row, 'balance', where);
  const isOff = readFlag(row, 'isDeactivated') || readFlag(row, 'isDeleted');
  const passwordHash = readText(row, 'password') ?? '';
  const isImportable = login.length <= MAX_LOGIN && isBcrypt(passwordHash);
  const unreturnedMsat = readMsat(row, 'unreturned', where);
  const remarks = [
    ...(isOff ? ['the user is deactivated: the wallet is inactive, and the login is not imported'] : []),
    ...(isOff || isImportable ? [] : ['the login is not imported: its password is not a hash of bcrypt with a cost of at most 14']),
    ...(unreturnedMsat < 0
      ? [`failed payments have taken ${-unreturnedMsat} msat and returned nothing: check whether the node has paid them`]
      : []),
  ];
  return {
    id,
    account: { id, name: login, email: readText(row, 'email')?.toLowerCase() },
    label: walletLabel(login),
    balanceMsat: balanceMsat - readMsat(row, 'pending', where),
    keys: [],
    links: [],
    appLogin: isImportable && !isOff ? { login, passwordHash } : undefined,
    isInactive: isOff,
    leftOut: leftOut(row, balanceMsat),
    remarks,
  };
}

/** What the login route accepts. */
const MAX_LOGIN = 128;

function leftOut(row: SourceRow, balanceMsat: number): string | undefined {
  if (readFlag(row, 'isDeleted')) return 'the user was deleted';
  return balanceMsat === 0 && readFlag(row, 'isIdle') ? IDLE : undefined;
}

async function* readProblems(database: SourceDatabase, { users, invoices }: LndhubTables): AsyncIterable<SourceProblem> {
  const { userId, rHash, type, state } = invoices;
  const payable = `${type} = 'incoming' AND ${state} <> 'error' AND ${rHash} <> ''`;
  const twice = `SELECT DISTINCT ${userId} AS id, ${rHash} AS hash FROM public.invoices WHERE ${payable} AND ${rHash} IN (
    SELECT ${rHash} FROM public.invoices WHERE ${payable} GROUP BY ${rHash} HAVING count(*) > 1) ORDER BY 1, 2`;
  for await (const row of database.rows(twice)) yield duplicateHash(readText(row, 'id'), readText(row, 'hash'));
  const accounts = `SELECT u.${users.id} AS id, count(a.id) AS n FROM public.users u LEFT JOIN public.accounts a ON a.user_id = u.${users.id} AND a.type = 'current'
    GROUP BY u.${users.id} HAVING count(a.id) <> 1 ORDER BY 1`;
  for await (const row of database.rows(accounts)) {
    const count = readInteger(row, 'n', 'accounts');
    yield { walletId: readText(row, 'id') ?? '', text: `it has ${count} accounts of the type current, and must have one` };
  }
}
