import { expect, it } from 'vitest';
import { openLndhub } from '../../../src/features/import/lndhub/lndhub.ts';
import type { SourceHistoryRow, SourceWallet } from '../../../src/features/import/source.ts';
import { collect } from '../collect.ts';
import { lndhubDatabase, USERS, userOf } from './database.ts';

/** Reads the whole source. */
async function read(...changes: string[]) {
  const source = await openLndhub(await lndhubDatabase(...changes));
  try {
    const wallets = await collect(source.wallets());
    const history = await collect(source.history());
    return { version: source.version, wallets, history, problems: await collect(source.problems()) };
  } finally {
    await source.close();
  }
}

/** What each wallet is owed, and what its pending payments have taken, by its rows. */
function sums(rows: readonly SourceHistoryRow[], { id }: SourceWallet) {
  const sumOf = (state: string) => {
    const own = rows.filter((row) => row.walletId === id && row.state === state);
    return own.reduce((sum, { amountMsat, feeMsat }) => sum + amountMsat - feeMsat, 0);
  };
  return { owed: sumOf('settled'), taken: sumOf('pending') };
}

it('reads the balances that the API of lndhub.go returned, and rows that add up to them', async () => {
  const { version, wallets, history, problems } = await read();
  expect(version).toBe('migration 20240103130000');
  expect(problems).toEqual([]);
  expect(wallets.map(({ account }) => account.name)).toEqual(USERS.map(({ login }) => login));
  for (const [index, wallet] of wallets.entries()) {
    const { owed, taken } = sums(history, wallet);
    expect(owed).toBe(wallet.balanceMsat);
    expect(owed + taken).toBe((USERS[index]?.balance ?? Number.NaN) * 1000);
  }
});

it('reads payments, invoices and what they cost', async () => {
  const { wallets, history } = await read();
  const of = (name: string, ...fields: (keyof SourceHistoryRow)[]) => {
    const wallet = wallets.find(({ account }) => account.name === userOf(name).login);
    return history.filter(({ walletId }) => walletId === wallet?.id).map((row) => fields.map((field) => row[field]));
  };
  expect(of('payer', 'state', 'kind', 'amountMsat', 'feeMsat')).toEqual([
    ['settled', 'lightning', 100_000_000, 0],
    ['settled', 'lightning', 777_000, 0],
    ['settled', 'lightning', 501_000, 0],
    ['settled', 'lightning', -1_000_000, 3_000],
    ['settled', 'lightning', -20_000_000, 103_000],
    ['failed', 'lightning', -5_000_000, 0],
    ['settled', 'internal', -2_500_000, 13_000],
    ['settled', 'lightning', -50_000, 3_000],
    ['settled', 'internal', -60_000, 0],
  ]);
  expect(of('shop', 'state', 'kind', 'amountMsat', 'memo')).toEqual([
    ['settled', 'internal', 2_500_000, 'two coffees'],
    ['settled', 'internal', 60_000, ''],
    ['open', 'lightning', 1_234_000, 'open invoice'],
    ['open', 'lightning', 0, 'open invoice without an amount'],
    ['open', 'lightning', 55_000, ''],
    ['open', 'lightning', 99_000, 'expires at once'],
  ]);
  // The amount, the service fee and the reserve for the routing fee.
  expect(of('pending', 'state', 'amountMsat', 'feeMsat')).toEqual([
    ['settled', 9_000_000, 0],
    ['pending', -2_000_000, 31_000],
  ]);
  const hashes = history.filter(({ state }) => state !== 'failed').map(({ paymentHash }) => paymentHash);
  expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash ?? ''))).toBe(true);
});

it('keeps the logins of users who may log in', async () => {
  const { wallets } = await read();
  const of = (name: string) => wallets.find(({ account }) => account.name === userOf(name).login);
  expect(of('shop')).toMatchObject({
    appLogin: { login: 'shop@example.com', passwordHash: expect.stringMatching(/^\$2a\$10\$/) },
    isInactive: false,
  });
  expect(of('deactivated')).toMatchObject({ appLogin: undefined, isInactive: true, leftOut: undefined });
  expect(of('deleted')).toMatchObject({ appLogin: undefined, isInactive: true, leftOut: 'the user was deleted' });
});

it('leaves empty users out who have done nothing for a year before the newest invoice, and no others', async () => {
  const { wallets } = await read(`UPDATE public.users SET created_at = created_at - interval '2 years'`);
  expect(wallets.filter(({ leftOut }) => leftOut?.startsWith('it is empty')).map(({ account }) => account.name)).toEqual([
    userOf('unused').login,
  ]);
});

it('counts entries whose invoice was deleted, and failed payments whose money was not returned', async () => {
  const { wallets, history } = await read(
    `DELETE FROM public.invoices WHERE memo = 'balance of a deactivated user'`,
    `DELETE FROM public.transaction_entries WHERE entry_type LIKE '%\\_reversal' AND invoice_id = (SELECT id FROM public.invoices WHERE state = 'error')`,
  );
  for (const wallet of wallets) expect(sums(history, wallet).owed).toBe(wallet.balanceMsat);
  expect(history.find(({ kind }) => kind === 'other')).toMatchObject({ state: 'settled', amountMsat: 4_000_000 });
  const payer = wallets.find(({ account }) => account.name === userOf('payer').login);
  expect(payer?.remarks).toEqual([expect.stringContaining('failed payments have taken 5076000 msat and returned nothing')]);
});

it('reports two invoices with one payment hash, and a user with two balances', async () => {
  const { problems } = await read(
    `UPDATE public.invoices SET r_hash = (SELECT r_hash FROM public.invoices WHERE memo = 'open invoice') WHERE memo = 'deposit'`,
    `INSERT INTO public.accounts (user_id, type) VALUES (1, 'current')`,
  );
  expect(problems.map(({ walletId, text }) => [walletId, text.slice(0, 35)])).toEqual([
    ['2', 'another invoice has the payment has'],
    ['7', 'another invoice has the payment has'],
    ['1', 'it has 2 accounts of the type curre'],
  ]);
});

it.each([
  [`INSERT INTO public.bun_migrations (name) VALUES ('20991231000000')`, /migration 20991231000000, which is newer/],
  ['DROP TABLE public.bun_migrations', /no table bun_migrations/],
  ['DROP VIEW public.account_ledgers', /no table account_ledgers/],
  ['ALTER TABLE public.invoices RENAME r_hash TO hash', /lacks the columns r_hash/],
  [`UPDATE public.invoices SET state = 'held' WHERE id = 1`, /invoice 1: state must be one of/],
  ['UPDATE public.transaction_entries SET amount = 9007199254740992 WHERE id = 1', /at most 9007199254740 sat/],
])('is refused after %s', async (change, message) => {
  await expect(read(change)).rejects.toMatchObject({ name: 'UnusableSource', message: expect.stringMatching(message) });
});

it('reads a version of before service fees and deleted users', async () => {
  const { wallets } = await read(
    'ALTER TABLE public.invoices DROP COLUMN service_fee, DROP COLUMN routing_fee, DROP COLUMN destination_custom_records, DROP COLUMN keysend',
    'ALTER TABLE public.users DROP COLUMN deleted, DROP COLUMN deactivated',
    `DELETE FROM public.bun_migrations WHERE name > '20220304'`,
  );
  expect(wallets.map(({ leftOut, isInactive }) => leftOut === undefined && !isInactive)).toEqual(USERS.map(() => true));
});

it('is refused if it is no PostgreSQL database', async () => {
  await expect(openLndhub(import.meta.filename)).rejects.toMatchObject({ name: 'UnusableSource' });
});
