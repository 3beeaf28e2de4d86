import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { SYSTEM_ACCOUNTS } from '../../src/ledger/accounts.ts';
import type { Posting } from '../../src/ledger/posting.ts';
import { onBothDatabases } from '../support/databases.ts';
import { amount, ledgerWith, problemsOf } from '../support/ledgers.ts';

const ACCOUNTS = 3;

type Operation =
  | { kind: 'transfer'; from: number; to: number; msat: number }
  | { kind: 'deposit'; to: number; msat: number }
  | { kind: 'hold'; account: number; msat: number; reserve: number }
  | { kind: 'post'; hold: number; share: number }
  | { kind: 'void'; hold: number };

const account = fc.nat({ max: ACCOUNTS - 1 });
const msat = fc.integer({ min: 1, max: 2000 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant('transfer' as const), from: account, to: account, msat }),
  fc.record({ kind: fc.constant('deposit' as const), to: account, msat }),
  fc.record({ kind: fc.constant('hold' as const), account, msat, reserve: fc.nat({ max: 100 }) }),
  fc.record({ kind: fc.constant('post' as const), hold: fc.nat({ max: 9 }), share: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant('void' as const), hold: fc.nat({ max: 9 }) }),
);

/** The ledger as a child would write it: one thing after the other, nothing clever. */
class SlowTwin {
  readonly balances = Array.from({ length: ACCOUNTS }, () => 0);
  readonly holds: { account: number; msat: number; open: boolean }[] = [];

  spendable(a: number): number {
    const held = this.holds.filter((hold) => hold.open && hold.account === a).reduce((sum, hold) => sum + hold.msat, 0);
    return (this.balances[a] ?? 0) - held;
  }

  add(a: number, value: number): void {
    this.balances[a] = (this.balances[a] ?? 0) + value;
  }

  run(op: Operation): boolean {
    switch (op.kind) {
      case 'deposit':
        this.add(op.to, op.msat);
        return true;
      case 'transfer':
        if (op.from === op.to || this.spendable(op.from) < op.msat) return false;
        this.add(op.from, -op.msat);
        this.add(op.to, op.msat);
        return true;
      case 'hold': {
        const spendable = this.spendable(op.account);
        const accepted = spendable >= op.msat;
        const held = Math.min(op.msat + op.reserve, spendable);
        this.holds.push({ account: op.account, msat: accepted ? held : 0, open: accepted });
        return accepted;
      }
      case 'post':
      case 'void': {
        const hold = this.holds[op.hold];
        if (!hold?.open) return false;
        hold.open = false;
        if (op.kind === 'post') this.add(hold.account, -spentOf(hold.msat, op.share));
        return true;
      }
    }
  }
}

/** A share in percent of what a hold reserves, at least 1 msat. */
function spentOf(heldMsat: number, share: number): number {
  return Math.max(1, Math.floor((heldMsat * share) / 100));
}

onBothDatabases('the ledger against its slow twin', (open, dialect) => {
  it('F9: every history gives the same balances, sums to zero and folds to its entries, however it is batched', async () => {
    const database = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(operation, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (batches) => {
        const { ledger, accounts } = await ledgerWith(
          database,
          Array.from({ length: ACCOUNTS }, () => 0),
        );
        const twin = new SlowTwin();
        const holdIds: string[] = [];
        for (const batch of batches) {
          const expected: boolean[] = [];
          const postings = batch.map((op) => {
            const posting = toPosting(op, twin, accounts, holdIds);
            expected.push(twin.run(op));
            return posting;
          });
          const outcomes = await Promise.allSettled(
            postings.map((posting) => (posting ? ledger.post(posting) : Promise.reject(new Error('refused')))),
          );
          expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(expected);
        }
        const balances = await Promise.all(accounts.map((id) => ledger.balance(id)));
        expect(balances.map(({ balanceMsat }) => balanceMsat)).toEqual(twin.balances);
        expect(balances.map(({ spendableMsat }) => spendableMsat)).toEqual(twin.balances.map((_, a) => twin.spendable(a)));
      }),
      { numRuns: dialect === 'sqlite' ? 100 : 40 },
    );
    expect(await problemsOf(database)).toEqual([]);
  });
});

/** The posting of an operation; undefined where the twin knows that there is nothing to ask for. */
function toPosting(op: Operation, twin: SlowTwin, accounts: readonly number[], holdIds: string[]): Posting | undefined {
  const id = (a: number) => accounts[a] ?? 0;
  switch (op.kind) {
    case 'deposit':
      return { transfers: [{ id: newId(), from: SYSTEM_ACCOUNTS.node, to: id(op.to), amountMsat: amount(op.msat) }] };
    case 'transfer':
      return { transfers: [{ id: newId(), from: id(op.from), to: id(op.to), amountMsat: amount(op.msat) }] };
    case 'hold': {
      const holdId = newId();
      holdIds.push(holdId);
      return { holds: [{ id: holdId, account: id(op.account), amountMsat: amount(op.msat), reserveMsat: amount(op.reserve) }] };
    }
    case 'post':
    case 'void': {
      const hold = twin.holds[op.hold];
      const holdId = holdIds[op.hold];
      if (!hold || holdId === undefined || hold.msat === 0) return undefined;
      if (op.kind === 'void') return { voids: [{ holdId, account: id(hold.account) }] };
      const transfers = [
        { id: newId(), from: id(hold.account), to: SYSTEM_ACCOUNTS.node, amountMsat: amount(spentOf(hold.msat, op.share)) },
      ];
      return { posts: [{ holdId, account: id(hold.account), transfers }] };
    }
  }
}
