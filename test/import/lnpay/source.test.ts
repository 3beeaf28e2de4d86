import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openLnpay } from '../../../src/features/import/lnpay/lnpay.ts';
import { collect } from '../collect.ts';
import { LNPAY_BALANCES, LNPAY_DUMP } from './fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'satchel-lnpay-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads the dump after a change of its text. */
async function read(change = (text: string) => text) {
  const path = join(folder, 'changed.sql');
  writeFileSync(path, change(readFileSync(LNPAY_DUMP, 'utf8')));
  const source = await openLnpay(path);
  try {
    const wallets = await collect(source.wallets());
    const history = await collect(source.history());
    const by = (label: string) => wallets.find((wallet) => wallet.label === label);
    const problems = await collect(source.problems());
    return { version: source.version, wallets, history, problems, notImported: await source.notImported(), by };
  } finally {
    await source.close();
  }
}

it('reads wallets with their ids and balances, and rows that add up to them', async () => {
  const { version, wallets, history, problems } = await read();
  expect(version).toBe('m230109_155754_wtx_rollup');
  expect(problems).toEqual([]);
  expect(new Map(wallets.map(({ ownId, balanceMsat }) => [ownId, balanceMsat]))).toEqual(
    new Map(LNPAY_BALANCES.map(({ id, balance }) => [id, balance * 1000])),
  );
  for (const { id, balanceMsat } of wallets) {
    const own = history.filter(({ walletId, state }) => walletId === id && state === 'settled');
    expect(own.reduce((sum, { amountMsat, feeMsat }) => sum + amountMsat - feeMsat, 0)).toBe(balanceMsat);
  }
  expect(wallets.map(({ id }) => id)).toEqual(wallets.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1)));
});

it('reads transactions of all types, and invoices that may still be paid', async () => {
  const { history, by } = await read();
  const of = (label: string) => history.filter(({ walletId }) => walletId === by(label)?.id);
  expect(of('Till').map(({ kind, state, amountMsat, data }) => [data?.type, kind, state, amountMsat])).toEqual([
    ['ln_deposit', 'lightning', 'open', 2_222_000],
    ['ln_deposit', 'lightning', 'open', 0],
    ['balance_roll_up', 'other', 'settled', 12_345_000],
    ['ln_deposit', 'lightning', 'settled', 5_000_000],
    ['ln_deposit', 'lightning', 'settled', 70_000_000],
    ['ln_withdrawal', 'lightning', 'settled', -1_500_000],
    ['network_fee', 'other', 'settled', -3_000],
    ['service_fee', 'other', 'settled', -75_000],
    ['ln_transfer_out', 'internal', 'settled', -4_000_000],
  ]);
  expect(of('Till')[3]).toMatchObject({ memo: `Tea and 'cake' \\ "now"`, paymentHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(of('Käufer').map(({ state, memo, data }) => [state, memo, data?.passThru ?? data?.customRecords])).toEqual([
    ['open', 'expired', undefined],
    ['settled', 'to a customer', { order: 77 }],
    ['settled', 'keysend', expect.anything()],
    ['settled', 'LNURL Pay 🎂', { comment: 'hi' }],
  ]);
});

it('expects no payment of an invoice that ended a week before the newest row', async () => {
  const { history } = await read((text) => text.replaceAll(',1640432000,', ',1630000000,'));
  expect(history.filter(({ state }) => state === 'failed').map(({ memo }) => memo)).toEqual(['expired']);
});

it('keeps the secrets of keys whose role and prefix agree', async () => {
  const { by, wallets } = await read();
  const till = by('Till');
  const kinds = till?.keys.map(({ text, isWeak }) => `${text.split('_')[0]}${isWeak ? ' weak' : ''}`);
  expect(kinds).toEqual(['waka', 'waki', 'wakr', 'waklw', 'waklp', 'wakr weak']);
  expect(till?.remarks).toEqual([
    'Wallet Admin: a suspended key is not imported',
    'Wallet Read: a key with less than 128 random bits expires after 90 days',
  ]);
  expect(till?.account).toMatchObject({ name: 'shop', email: 'shop@example.com', passwordHash: expect.stringMatching(/^\$2y\$/) });
  expect(till?.account.keys?.map(({ text }) => text.slice(0, 4))).toEqual(['pak_', 'sak_']);
  for (const { keys, account, remarks } of wallets) {
    const secrets = [...keys, ...(account.keys ?? [])].map(({ text }) => text.slice(text.indexOf('_') + 1));
    expect(secrets.some((secret) => JSON.stringify(remarks).includes(secret))).toBe(false);
  }
});

it('gives a name to the oldest active link that has it', async () => {
  const { by } = await read();
  const named = (label: string) => by(label)?.links.map(({ name, domain, leftOut, keepsId }) => [name, domain, leftOut, keepsId]);
  expect(named('Till')).toEqual([
    [undefined, undefined, undefined, true],
    ['donate', 'pay.example.com', undefined, true],
    [undefined, undefined, 'it is inactive', true],
  ]);
  expect(named('Fees')?.[1]).toEqual([undefined, 'pay.example.com', undefined, true]);
});

it('leaves wallets of closed accounts out, and keeps inactive ones inactive', async () => {
  const { by } = await read();
  expect(by('Of a closed account')?.leftOut).toBe('the account of its user is closed');
  expect([by('Inactive')?.isInactive, by('Inactive')?.leftOut]).toEqual([true, undefined]);
});

it('counts what it does not import', async () => {
  const { notImported } = await read();
  expect(notImported.map(({ what, count }) => `${count} ${what}`)).toEqual([
    '1 permanent withdraw links',
    '1 second factors',
    '7 rights of withdraw keys (waklw_)',
    '14 keys of public websites of wallets',
  ]);
});

it('reads webhooks with the events that this service has, and counts the others', async () => {
  const hooksOf = ({ by }: Awaited<ReturnType<typeof read>>) => by('Till')?.account.webhooks;
  const hook = { id: 'iwh_FDkGFz4EKItnA4', url: 'https://shop.example.com/hook', eventTypes: ['wallet_receive', 'wallet_send'] };
  expect(hooksOf(await read())).toEqual([{ ...hook, secret: 'a shared secret' }]);
  const unknown = await read((text) => text.replace('[\\"wallet_receive\\",', '[\\"paywall_conversion\\",'));
  expect(hooksOf(unknown)).toEqual([{ ...hook, eventTypes: ['wallet_send'], secret: 'a shared secret' }]);
  for (const [from, to] of [
    ['https://shop.example.com/hook', 'ftp://shop.example.com/hook'],
    ['[\\"wallet_receive\\",\\"wallet_send\\"]', '[]'],
  ] as const) {
    const none = await read((text) => text.replace(from, to));
    expect([hooksOf(none), none.notImported.find(({ what }) => what === 'webhooks')?.count]).toEqual([[], 1]);
  }
});

it('counts users who share the wallets of an organization, and not those of the organization of all', async () => {
  const sharing = async (change?: (text: string) => string) =>
    (await read(change)).notImported.find(({ what }) => what.startsWith('users who share wallets'))?.count;
  expect(await sharing()).toBeUndefined();
  expect(await sharing((text) => text.replace("(201,NULL,'2020-02-19',2000,", "(201,NULL,'2020-02-19',2001,"))).toBe(2);
});

it('reports two invoices with one payment hash', async () => {
  const { history } = await read();
  const [one = '', two = ''] = history.filter(({ state }) => state === 'open').map(({ paymentHash }) => paymentHash);
  const { problems } = await read((text) => text.replace(one, two));
  expect(problems).toEqual([{ walletId: expect.any(String), text: expect.stringContaining(two) }]);
});

it.each([
  [(text: string) => text.replace('m230109_155754_wtx_rollup', 'm991231_000000_future'), /newer than m230109_155754_wtx_rollup/],
  [(text: string) => text.replace(/INSERT INTO `migration`[^;]*;/, ''), /no table migration/],
  [(text: string) => text.replace(/INSERT INTO `user` [^;]*;/, ''), /no table user/],
  [
    (text: string) => text.replaceAll('`external_hash` varchar(255) NOT NULL', '`hash` varchar(255) NOT NULL'),
    /lacks the columns external_hash/,
  ],
  [(text: string) => text.slice(0, text.length / 2), /ends in the middle|not complete/],
])('is refused after change %#', async (change, message) => {
  await expect(read(change)).rejects.toMatchObject({ name: 'UnusableSource', message: expect.stringMatching(message) });
});

it('is refused if there is no file', async () => {
  await expect(openLnpay(join(folder, 'missing.sql'))).rejects.toMatchObject({ name: 'UnusableSource' });
});
