import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { readSummary } from '../../src/core/journal/sums.ts';
import {
  countTransactions,
  readTransactions,
  skipTransactions,
  type WalletTransactionRow,
} from '../../src/core/journal/wallet-transactions.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import type { TransferOrder } from '../../src/core/ledger/ledger.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';
import { verify } from '../../src/features/verify/verify.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { modulesOn } from '../support/modules.ts';

type TransferRow = {
  id: string;
  amount_msat: number;
  from_account: number;
  from_type: string | null;
  to_account: number;
  to_type: string | null;
};

const transfers = statement<TransferRow>(
  'test_transfers_in_order',
  'SELECT id, amount_msat, from_account, from_type, to_account, to_type FROM ledger_transfer ORDER BY position',
);

/** The wallet transactions of the ledger's transfers, read one by one: the slow twin of the journal. */
async function twinOf(database: Database, accounts: ReadonlySet<number>) {
  return (await database.all(transfers)).flatMap((t) => [
    ...(accounts.has(t.from_account) && t.from_type !== null
      ? [{ id: `wtx_${t.id}o`, account: t.from_account, amountMsat: -t.amount_msat, type: t.from_type }]
      : []),
    ...(accounts.has(t.to_account) && t.to_type !== null
      ? [{ id: `wtx_${t.id}i`, account: t.to_account, amountMsat: t.amount_msat, type: t.to_type }]
      : []),
  ]);
}

async function readAll(database: Database, owner: Parameters<typeof readTransactions>[1], order: 'asc' | 'desc', limit: number) {
  const rows: WalletTransactionRow[] = [];
  for (let after: number | undefined; ; ) {
    const part = await readTransactions(database, owner, { status: 'settled', order }, { after, limit });
    rows.push(...part.rows);
    after = part.next?.position;
    if (after === undefined) return rows.map(({ id }) => id);
  }
}

/** The first deposits of the harness have no invoice. */
async function problemsOf(database: Database): Promise<string[]> {
  return (await verify(database)).problems.filter((problem) => !problem.endsWith('no invoice owns this credit'));
}

const operation = fc.record({
  kind: fc.constantFrom('transfer', 'fee', 'both', 'refused'),
  from: fc.nat(2),
  to: fc.nat(1),
  amountMsat: fc.integer({ min: 1, max: 3000 }),
});

onBothDatabases('the journal', (open) => {
  it('has every booking once, in order, in pages of any size and in the sums (slow twin)', async () => {
    const database = await open();
    const { ledger, wallet } = await modulesOn(database);
    const wallets = [await wallet(100_000), await wallet(100_000), await wallet(100_000)] as [Wallet, Wallet, Wallet];
    const accounts = new Set(wallets.map(({ ledgerAccount }) => ledgerAccount));
    const [{ accountId }] = wallets;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 9 }), async (operations, limit) => {
        await Promise.all(
          operations.map(async ({ kind, from, to, amountMsat }) => {
            const [payer, payee] = [wallets[from], wallets[(from + 1 + to) % 3]] as [Wallet, Wallet];
            const between: TransferOrder = {
              id: newId(),
              from: payer.ledgerAccount,
              to: payee.ledgerAccount,
              amountMsat: msat(kind === 'refused' ? 10_000_000 : amountMsat),
              fromType: 'ln_transfer_out',
              toType: 'ln_transfer_in',
              memo: 'note',
            };
            const fee: TransferOrder = { id: newId(), from: payer.ledgerAccount, to: 3, amountMsat: msat(1), fromType: 'service_fee' };
            const orders = kind === 'fee' ? [fee] : kind === 'both' ? [between, fee] : [between];
            await ledger.post({ transfers: orders }).catch((error: unknown) => expect(error).toBeInstanceOf(Refusal));
          }),
        );
        const expected = await twinOf(database, accounts);
        const ids = expected.map(({ id }) => id);
        expect(await readAll(database, { accountId }, 'asc', limit)).toEqual(ids);
        expect(await readAll(database, { accountId }, 'desc', limit + 20)).toEqual(ids.toReversed());
        expect(await countTransactions(database, accountId)).toBe(ids.length);
        for (const order of ['asc', 'desc'] as const) {
          const skipped = await skipTransactions(database, { accountId }, { order, status: limit % 2 === 0 ? 'settled' : 'all' }, limit);
          expect(skipped === undefined).toBe(limit > ids.length);
          if (skipped === undefined) continue;
          const rest = await readTransactions(database, { accountId }, { status: 'settled', order }, { after: skipped, limit: 5 });
          const listed = order === 'asc' ? ids : ids.toReversed();
          expect(rest.rows.map(({ id }) => id)).toEqual(listed.slice(limit, limit + 5));
        }
        for (const { ledgerAccount } of wallets) {
          const own = expected.filter(({ account }) => account === ledgerAccount);
          expect(await readAll(database, { ledgerAccount }, 'asc', limit)).toEqual(own.map(({ id }) => id));
          const period = { from: 0, until: 3600 * Math.ceil(Date.now() / 3_600_000 + 1), interval: undefined };
          const summary = await readSummary(database, { ledgerAccount }, period);
          const of = (matches: (one: (typeof own)[number]) => boolean) =>
            own.filter(matches).reduce((sum, { amountMsat }) => sum + Math.abs(amountMsat), 0);
          const isFee = ({ type }: { type: string }) => type === 'service_fee';
          expect(summary).toMatchObject({
            in_msat: of(({ amountMsat }) => amountMsat > 0),
            out_msat: of((one) => one.amountMsat < 0 && !isFee(one)),
            fees_msat: of(isFee),
          });
        }
      }),
      { numRuns: 12 },
    );
    // The fees of this test have no schedule.
    const problems = await problemsOf(database);
    expect(problems.filter((problem) => !problem.endsWith('differs from the recorded fees of the service'))).toEqual([]);
  });

  it.each([
    [
      'a changed amount',
      'UPDATE wallet_transaction SET amount_msat = amount_msat + 1 WHERE position = (SELECT max(position) FROM wallet_transaction)',
    ],
    ['a missing row', 'DELETE FROM wallet_transaction WHERE position = (SELECT max(position) FROM wallet_transaction)'],
    [
      'a row of another account',
      "UPDATE wallet_transaction SET account_id = 'acc_x' WHERE position = (SELECT max(position) FROM wallet_transaction)",
    ],
    ['a wrong sum of a wallet', 'UPDATE wallet_hour SET in_msat = in_msat + 1'],
    ['a wrong sum of an account', 'UPDATE account_hour SET out_count = out_count + 1 WHERE hour = -1'],
  ])('verification finds %s', async (_name, change) => {
    const database = await open();
    const { ledger, wallet } = await modulesOn(database);
    const [a, b] = [await wallet(1000), await wallet(0)];
    const order = { id: newId(), from: a.ledgerAccount, to: b.ledgerAccount, amountMsat: msat(10) };
    await ledger.post({ transfers: [{ ...order, fromType: 'ln_transfer_out', toType: 'ln_transfer_in' }] });
    expect(await problemsOf(database)).toEqual([]);
    await database.transaction((tx) => tx.run(statement(`test_tamper_${_name.replaceAll(' ', '_')}`, change)));
    expect(await problemsOf(database)).not.toEqual([]);
  });
});
