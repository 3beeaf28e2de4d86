import { expect, it } from 'vitest';
import type { Ledger } from '../../src/core/ledger/ledger.ts';
import { cutOut, MAX_COUNT } from '../../src/features/transactions/cut.ts';
import type { ListQuery } from '../../src/features/transactions/list.ts';
import { idOf } from '../../src/features/transactions/list.ts';
import type { ListScope, PlacedEntry } from '../../src/features/transactions/scope.ts';
import { entriesOfPeriod } from '../../src/features/transactions/statement.ts';

/** A wallet with this many entries, every hundredth of which is a deposit. It counts the entries that are read. */
function longScope(entries: number, maxLookedAt = 20_000): ListScope & { read: number } {
  const scope = {
    read: 0,
    maxLookedAt,
    lastPlace: async () => entries,
    async entries(first: number, last: number): Promise<PlacedEntry[]> {
      scope.read += last - first + 1;
      return Array.from({ length: last - first + 1 }, (_, i) => entryAt(last - i));
    },
    async bookedAtMs(place: number) {
      scope.read += 1;
      return place * 1000;
    },
    payments: async () => ({ payments: [], before: undefined }),
    openInvoices: async () => ({ invoices: [], lookedAt: 0, before: undefined }),
    ofHash: async () => ({ openInvoice: undefined, credit: undefined, payments: [], charges: [] }),
    find: async () => ({ entry: undefined, payment: undefined }),
  };
  return scope;
}

function entryAt(place: number): PlacedEntry {
  const type = place % 100 === 0 ? 'ln_deposit' : 'ln_transfer_out';
  const entry = {
    position: place,
    transfer_id: String(place),
    side: 'from' as const,
    entry: place,
    amount_msat: 1,
    balance_msat: 1,
    lntx: null,
  };
  return {
    place,
    walletId: 'wal_1',
    entry: { ...entry, created_at_ms: place * 1000, type, memo: null, pass_thru: null, other_account: 1 },
  };
}

const every: ListQuery = { status: 'settled', type: undefined, from: undefined, to: undefined };

it('W6: answers other requests between the pieces of concurrent long reads', async () => {
  const rare: ListQuery = { ...every, type: 'nothing' };
  const waits: number[] = [];
  let over = false;
  let readBefore = 0;
  const scopes = Array.from({ length: 20 }, () => longScope(1_000_000));
  const read = () => scopes.reduce((sum, scope) => sum + scope.read, 0);
  /** Another caller, whose work runs once per turn of the event loop. */
  const other = () => {
    waits.push(read() - readBefore);
    readBefore = read();
    if (!over) setImmediate(other);
  };
  setImmediate(other);
  const ledger = {
    entries: async (_: number, first: number, last: number) => (await scopes[0]?.entries(first, last))?.map(({ entry }) => entry),
  };
  const statement = async () => {
    const pages = entriesOfPeriod(ledger as unknown as Ledger, { account: 1, total: 30_000 }, { from: 0, to: 1_000_000 });
    for await (const page of pages) expect(page.length).toBeGreaterThan(0);
  };
  await Promise.all([...scopes.map((scope) => cutOut(scope, rare, undefined, { limit: 50, offset: 0, after: undefined })), statement()]);
  over = true;
  expect(read()).toBeGreaterThan(20 * 20_000);
  // The first pieces of a list are read at once, then one piece per turn.
  const [first = 0, ...later] = waits;
  expect(first).toBeLessThanOrEqual(21 * 2_000);
  expect(Math.max(...later)).toBeLessThanOrEqual(2_000);
});

it('W6: stops counting at 10,000 and reports that, for any length of history', async () => {
  const scope = longScope(1_000_000);
  const listed = await cutOut(scope, every, undefined, { limit: 50, offset: 0, after: undefined });
  expect(listed).toMatchObject({ total: MAX_COUNT, capped: true });
  expect(listed.items).toHaveLength(50);
  expect(scope.read).toBeLessThan(12_000);
  const short = await cutOut(longScope(MAX_COUNT), every, undefined, { limit: 50, offset: 9_990, after: undefined });
  expect(short).toMatchObject({ total: MAX_COUNT, capped: false });
  expect(short.items).toHaveLength(10);
});

it('W6: reads a limited part for a rare type, and the cursor continues after it', async () => {
  const scope = longScope(1_000_000);
  const deposits = { ...every, type: 'ln_deposit' };
  const page = await cutOut(scope, deposits, undefined, { limit: 500, offset: 0, after: undefined });
  expect(page).toMatchObject({ total: page.items.length, capped: true });
  expect(scope.read).toBeLessThan(22_000);
  const from = { entry: entryAt(900_000), payment: undefined };
  const first = await cutOut(scope, deposits, from, { limit: 500, offset: 0, after: 'x' });
  expect(first.items.length).toBeLessThan(500);
  const last = Number(/^wtx_(\d+)o$/.exec(first.next ?? '')?.[1]);
  const second = await cutOut(scope, deposits, { entry: entryAt(last), payment: undefined }, { limit: 500, offset: 0, after: 'x' });
  const places = [...first.items, ...second.items].map((line) => Number(/\d+/.exec(idOf(line))?.[0]));
  expect(places).toEqual(Array.from({ length: places.length }, (_, i) => 899_900 - i * 100));
});

it('W6: finds a short period deep in a long history without reading newer entries', async () => {
  const scope = longScope(1_000_000);
  const listed = await cutOut(scope, { ...every, from: 300_000, to: 300_009 }, undefined, { limit: 50, offset: 0, after: undefined });
  expect(listed).toMatchObject({ total: 10, capped: false });
  expect(scope.read).toBeLessThan(2500);
});
