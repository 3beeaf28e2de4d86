import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportText } from '../../src/cli/import-text.ts';
import { type ImportChoices, makePlan } from '../../src/features/import/plan.ts';
import type { ImportSource, SourceHistoryRow, SourceWallet } from '../../src/features/import/source.ts';

const CHOICES: ImportChoices = {
  node: { pubkey: '02'.repeat(33), network: 'regtest' },
  hasHistory: true,
  negative: 'zero',
  allowedMismatches: new Map(),
};

async function* each<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items;
}

function sourceOf(wallets: readonly SourceWallet[], history: readonly SourceHistoryRow[]): ImportSource {
  return {
    name: 'lnbits',
    version: 'a test',
    wallets: () => each(wallets),
    history: () => each(history),
    problems: () => each([]),
    notImported: async () => [],
    close: async () => undefined,
  };
}

const walletIds = fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{1,6}$/), { minLength: 1, maxLength: 8 }).map((ids) => ids.sort());

const rowOf = (walletId: string) =>
  fc.record({
    id: fc.uuid(),
    walletId: fc.constant(walletId),
    state: fc.constantFrom('settled', 'open', 'failed' as const),
    kind: fc.constantFrom('lightning', 'internal', 'other' as const),
    amountMsat: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
    feeMsat: fc.nat(10_000),
    memo: fc.string(),
    createdAt: fc.nat(2_000_000_000),
  });

const sources = walletIds.chain((ids) =>
  fc
    .tuple(fc.constant(ids), fc.tuple(...ids.map((id) => fc.array(rowOf(id), { maxLength: 12 }))))
    .map(([all, rows]) => ({ ids: all, rows })),
);

const walletWith = (id: string, balanceMsat?: number): SourceWallet => ({
  id,
  account: { id: 'one' },
  label: id,
  balanceMsat,
  keys: [],
  links: [],
});

describe('the plan of an import', () => {
  it('credits each wallet with the sum of its settled rows, and never less than nothing', async () => {
    await fc.assert(
      fc.asyncProperty(sources, async ({ ids, rows }) => {
        const plan = await makePlan(
          sourceOf(
            ids.map((id) => walletWith(id)),
            rows.flat(),
          ),
          CHOICES,
        );
        const expected = rows.map((own) =>
          own.reduce((sum, row) => (row.state === 'settled' ? sum + row.amountMsat - row.feeMsat : sum), 0),
        );
        expect(plan.wallets.map((wallet) => wallet.computed_balance_msat)).toEqual(expected);
        expect(plan.wallets.map((wallet) => wallet.opening_msat)).toEqual(expected.map((sum) => Math.max(0, sum)));
        const credited = plan.wallets.reduce((sum, wallet) => sum + wallet.opening_msat - wallet.shortfall_msat, 0);
        expect(credited).toBe(expected.reduce((sum, one) => sum + one, 0));
        expect(plan.wallets.map(({ history_rows }) => history_rows)).toEqual(rows.map(({ length }) => length));
      }),
      { numRuns: 60 },
    );
  });

  it('has another hash after any change of a row, a key, a link or an option', async () => {
    await fc.assert(
      fc.asyncProperty(sources, fc.nat(), async ({ ids, rows }, seed) => {
        const history = rows.flat();
        fc.pre(history.length > 0);
        const wallets = ids.map((id) => walletWith(id));
        const hashOf = async (source: ImportSource, choices = CHOICES) => (await makePlan(source, choices)).plan;
        const plan = await hashOf(sourceOf(wallets, history));
        expect(await hashOf(sourceOf(wallets, history))).toBe(plan);
        const at = seed % history.length;
        const changed = history.map((row, index) => (index === at ? { ...row, memo: `${row.memo}!` } : row));
        const [first = walletWith(''), ...others] = wallets;
        const link = { id: 'x', shortDesc: '', minMsat: 1000, maxMsat: 1000, commentLength: 0, paths: [] };
        const hashes = [
          plan,
          await hashOf(sourceOf(wallets, changed)),
          await hashOf(sourceOf([{ ...first, keys: [{ text: 'waka_x', label: '' }] }, ...others], history)),
          await hashOf(sourceOf([{ ...first, links: [link] }, ...others], history)),
          await hashOf(sourceOf(wallets, history), { ...CHOICES, except: ['nothing'] }),
          await hashOf(sourceOf(wallets, history), { ...CHOICES, negative: 'forgive' }),
        ];
        expect(new Set(hashes).size).toBe(hashes.length);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses a wallet whose own figure differs by a millisatoshi, unless the operator accepts it', async () => {
    const row = {
      id: 'r',
      walletId: 'a',
      state: 'settled',
      kind: 'lightning',
      amountMsat: 5000,
      feeMsat: 0,
      memo: '',
      createdAt: 1,
    } as const;
    for (const [figure, action] of [
      [5000, 'import'],
      [5001, 'refused'],
      [4999, 'refused'],
    ] as const) {
      const plan = await makePlan(sourceOf([walletWith('a', figure)], [row]), CHOICES);
      expect(plan.wallets[0]?.action).toBe(action);
    }
    const accepted = { ...CHOICES, allowedMismatches: new Map([['a', 'rounded']]) };
    const [wallet] = (await makePlan(sourceOf([walletWith('a', 5001)], [row]), accepted)).wallets;
    expect(wallet).toMatchObject({ action: 'import', opening_msat: 5000, remarks: [expect.stringMatching(/accepted: rounded/)] });
  });

  it('shows who bears a negative balance', async () => {
    const row = { id: 'r', walletId: 'a', state: 'settled', kind: 'other', amountMsat: -5000, feeMsat: 0, memo: '', createdAt: 1 } as const;
    const textOf = async (negative: ImportChoices['negative']) => {
      const plan = await makePlan(sourceOf([walletWith('a')], [row]), { ...CHOICES, negative });
      return reportText({ ...plan, already: [], problems: [], service_fees_msat: negative === 'forgive' ? 7000 : null });
    };
    expect(await textOf('refuse')).toMatch(/! a: it has -5000 msat\. .* --negative zero-and-report or --negative forgive$/m);
    expect(await textOf('zero')).toMatch(/^You bear 5,000 msat of negative balances: .* nothing is booked for them\.$/m);
    expect(await textOf('forgive')).toMatch(
      /^You bear 5,000 msat of negative balances: the fees of the service, 7,000 msat, pay for them\.$/m,
    );
  });

  it('names Lightning addresses that are lost, or get another domain', async () => {
    const link = { id: 'x', shortDesc: '', minMsat: 1000, maxMsat: 1000, commentLength: 0, paths: [], name: 'ada', domain: 'pay.example' };
    const remarksWith = async (addressDomain?: string) =>
      (await makePlan(sourceOf([{ ...walletWith('a'), links: [link] }], []), { ...CHOICES, addressDomain })).wallets[0]?.remarks;
    expect(await remarksWith()).toEqual(['the Lightning address ada@pay.example is not imported without --address-domain']);
    expect(await remarksWith('pay.example')).toEqual([]);
    expect(await remarksWith('new.example')).toEqual([
      expect.stringMatching(/^ada@pay.example becomes ada@new.example\. .* add pay.example to ADDRESS_DOMAINS/),
    ]);
  });

  it('refuses sums beyond 2^53 − 1 msat, and rows that are not in the order of the wallets', async () => {
    const row = {
      id: 'r',
      walletId: 'a',
      state: 'settled',
      kind: 'lightning',
      feeMsat: 0,
      memo: '',
      createdAt: 1,
      amountMsat: Number.MAX_SAFE_INTEGER,
    } as const;
    await expect(makePlan(sourceOf([walletWith('a')], [row, { ...row, id: 's' }]), CHOICES)).rejects.toThrow(/exceeds/);
    await expect(makePlan(sourceOf([walletWith('b')], [row]), CHOICES)).rejects.toThrow(/the wallet a, which the source does not have/);
    await expect(makePlan(sourceOf([walletWith('b'), walletWith('a')], [row]), CHOICES)).rejects.toThrow();
  });
});
