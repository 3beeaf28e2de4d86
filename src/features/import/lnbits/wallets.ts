import { detectColumns, qualified, readFlag, readInteger, readText, selectList } from '../columns.ts';
import { type SourceLink, type SourceWallet, walletLabel } from '../source.ts';
import type { SourceDatabase, SourceRow } from '../source-database.ts';
import { type LinkTables, linksByWallet } from './links.ts';
import type { PaymentColumns } from './payment-columns.ts';

/** Reads the wallets with their owners, keys, links and balances. */
export async function* readWallets(
  database: SourceDatabase,
  payments: PaymentColumns,
  links: LinkTables | undefined,
): AsyncIterable<SourceWallet> {
  const wallets = await detectColumns(database, 'wallets', {
    id: { names: ['id'] },
    name: { names: ['name'] },
    user: { names: ['user'] },
    adminkey: { names: ['adminkey'] },
    inkey: { names: ['inkey'] },
    deleted: { names: ['deleted'], isOptional: true },
    walletType: { names: ['wallet_type'], isOptional: true },
    lightningAddress: { names: ['lightning_address'], isOptional: true },
  });
  const accounts = await detectColumns(database, 'accounts', {
    id: { names: ['id'] },
    username: { names: ['username'], isOptional: true },
    email: { names: ['email'], isOptional: true },
  });
  const own = Object.fromEntries(Object.entries(wallets).map(([name, column]) => [name, qualified('w', column)]));
  const owner = { username: qualified('a', accounts.username), email: qualified('a', accounts.email) };
  const { walletId, isSuccess, isPending, amount, balance } = payments;
  // LNbits takes the money of a pending payment; what a user is owed does not include that, so it is added again.
  const settled = `(SELECT ${balance} FROM apipayments WHERE ${walletId} = w.id AND ((${isSuccess}) OR ((${isPending}) AND ${amount} < 0)))`;
  const held = `(SELECT -${balance} FROM apipayments WHERE ${walletId} = w.id AND (${isPending}) AND ${amount} < 0)`;
  const sql = `SELECT ${selectList({ ...own, ...owner, settled, held })}
    FROM wallets w LEFT JOIN accounts a ON a.id = w."user" ORDER BY ${database.bytewise('w.id')}`;
  const linksOf = await linksByWallet(links);
  for await (const row of database.rows(sql)) yield walletFromRow(row, linksOf);
}

function walletFromRow(row: SourceRow, linksOf: ReadonlyMap<string, readonly SourceLink[]>): SourceWallet {
  const id = readText(row, 'id') ?? '';
  const where = `wallet ${id}`;
  const settledMsat = row.settled === null ? 0 : readInteger(row, 'settled', where);
  const heldMsat = row.held === null ? 0 : readInteger(row, 'held', where);
  const keys = [
    { text: keyText('waka', readText(row, 'adminkey')), label: 'LNbits admin key' },
    { text: keyText('waki', readText(row, 'inkey')), label: 'LNbits invoice key' },
  ];
  const address = readText(row, 'lightningAddress');
  return {
    id,
    account: { id: readText(row, 'user') ?? '', name: readText(row, 'username'), email: readText(row, 'email')?.toLowerCase() },
    label: walletLabel(readText(row, 'name')),
    balanceMsat: settledMsat + heldMsat,
    keys: keys.flatMap(({ text, label }) => (text === undefined ? [] : [{ text, label }])),
    links: [...(linksOf.get(id) ?? []), ...(address === undefined ? [] : [addressLink(id, address)])],
    leftOut: leftOut(row),
    isNeverImported: isShared(row),
    remarks: keys.flatMap(({ text, label }) =>
      text === undefined ? [`${label}: it is not 32 hexadecimal characters, and is not imported`] : [],
    ),
  };
}

function isShared(row: SourceRow): boolean {
  return readText(row, 'walletType') === 'lightning-shared';
}

function leftOut(row: SourceRow): string | undefined {
  if (isShared(row)) return 'it is a view of a wallet of another user';
  return readFlag(row, 'deleted') ? 'it was deleted' : undefined;
}

/** The keys of LNbits are UUIDs: 122 bits of randomness. */
function keyText(prefix: string, secret: string | undefined): string | undefined {
  return secret !== undefined && /^[0-9a-f]{32}$/.test(secret) ? `${prefix}_${secret}` : undefined;
}

/** The Lightning address that LNbits 1.6 gives every wallet. */
function addressLink(walletId: string, name: string): SourceLink {
  const limits = { minMsat: 1000, maxMsat: 100_000_000_000, commentLength: 255 };
  return { id: `address-${walletId}`, shortDesc: 'Lightning payment', ...limits, name: name.toLowerCase(), paths: [] };
}
