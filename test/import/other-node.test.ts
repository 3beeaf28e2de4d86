import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { type ImportChoices, makePlan } from '../../src/features/import/plan.ts';
import { openInvoiceOf } from '../../src/features/import/signers.ts';
import type { ImportSource, SourceHistoryRow } from '../../src/features/import/source.ts';

const DAY = 86_400;
const NOW = 1_795_900_000;
const [own, other] = [new FakeNetwork({ seed: 'own' }).connect(), new FakeNetwork({ seed: 'other' }).connect()];

async function* each<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items;
}

async function row(node: typeof own, changes: Partial<SourceHistoryRow> = {}): Promise<SourceHistoryRow> {
  const preimage = randomBytes(32).toString('hex');
  const { paymentRequest } = await node.createInvoice({ preimage, amountMsat: msat(7_000), description: '', expirySeconds: 600 });
  const invoice = { paymentHash: paymentHashOf(preimage), paymentRequest, amountMsat: 7_000, feeMsat: 0, memo: '' };
  return { id: preimage, walletId: 'one', state: 'settled', kind: 'lightning', createdAt: NOW, ...invoice, ...changes };
}

async function planOf(history: readonly SourceHistoryRow[], choices: Partial<ImportChoices> = {}) {
  const { pubkey, network } = await own.info();
  const wallet = { id: 'one', account: { id: 'one' }, label: '', balanceMsat: undefined, keys: [], links: [] };
  const source: ImportSource = {
    name: 'lndhub',
    version: 'a test',
    wallets: () => each([wallet]),
    history: () => each(history),
    problems: () => each([]),
    notImported: async () => [],
    close: async () => undefined,
  };
  return makePlan(source, { node: { pubkey, network }, hasHistory: true, negative: 'refuse', allowedMismatches: new Map(), ...choices });
}

it('an import from a program that used another node is refused, and names both nodes', async () => {
  const { problems } = await planOf([await row(own), await row(other), await row(other)]);
  const { pubkey } = await other.info();
  expect(problems).toEqual([expect.stringContaining(`2 of the 3 newest invoices of the source are of another node, such as ${pubkey}`)]);
  expect(problems[0]).toContain((await own.info()).pubkey);
  const allowed = await planOf([await row(other)], { otherNode: 'its node was closed' });
  expect([allowed.problems, allowed.wallets[0]?.action]).toEqual([[], 'import']);
});

it('an import onto another network is refused', async () => {
  const { pubkey } = await own.info();
  const { problems } = await planOf([await row(own)], { node: { pubkey, network: 'bitcoin' } });
  expect(problems).toEqual([expect.stringContaining('on regtest')]);
});

it('an import is not refused for invoices that others have signed: payments, internal rows, and those of a node that was replaced', async () => {
  const { problems } = await planOf([
    await row(other, { createdAt: NOW - 31 * DAY }),
    await row(other, { kind: 'internal' }),
    await row(other, { amountMsat: -7_000, state: 'failed' }),
    await row(own, { paymentRequest: 'lnbc1' }),
    await row(own),
  ]);
  expect(problems).toEqual([]);
});

it('the newest invoices of an import are judged however many rows follow or precede them', async () => {
  const rows = await Promise.all(Array.from({ length: 250 }, (_, index) => row(own, { createdAt: NOW - 40 * DAY + index })));
  expect((await planOf([await row(other), ...rows])).problems).toHaveLength(1);
  expect((await planOf([...rows, await row(other)])).problems).toHaveLength(1);
  expect((await planOf([...rows, await row(own)])).problems).toEqual([]);
});

it('open invoices of another node make an import refuse the wallet, or are named and not counted', async () => {
  const rows = [await row(own, { state: 'open' }), await row(other, { state: 'open', createdAt: NOW - 40 * DAY })];
  const refused = await planOf(rows);
  expect(refused.wallets[0]).toMatchObject({ action: 'refused', open_invoices: 1 });
  expect(refused.wallets[0]?.problems).toEqual([expect.stringContaining('1 open invoice of another node')]);
  const allowed = await planOf([...rows, await row(own, { state: 'open', paymentHash: '00'.repeat(32) })], { otherNode: 'it was closed' });
  expect(allowed.sums.open_invoices).toBe(1);
  expect(allowed.wallets[0]).toMatchObject({ action: 'import', open_invoices: 1 });
  expect(allowed.wallets[0]?.remarks).toEqual([
    expect.stringMatching(/because they are of another node: 1$/),
    expect.stringMatching(/because they are not valid or belong to another row: 1$/),
  ]);
});

it('an import stores only open invoices of the node of the ledger', async () => {
  const node = await own.info();
  expect(openInvoiceOf(await row(own, { state: 'open' }), node)).toMatchObject({ payee: node.pubkey });
  expect(openInvoiceOf(await row(other, { state: 'open' }), node)).toBe('of another node');
  expect(openInvoiceOf(await row(own, { state: 'open' }), { ...node, network: 'signet' })).toBe('of another node');
  expect(openInvoiceOf(await row(own, { paymentRequest: 'x' }), node)).toBe('invalid');
});
