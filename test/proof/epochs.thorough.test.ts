import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { type EpochRow, lastEpoch, listEpochs, readEpoch } from '../../src/features/proof/proof.sql.ts';
import { hex, type WalletProof } from '../../src/features/proof/proof-object.ts';
import { KEEP_EPOCHS, takeEpoch } from '../../src/features/proof/take-epoch.ts';
import { readProof } from '../../src/features/proof/wallet-proof.ts';
import { onBothDatabases, problemsOfLedger, silentLog } from '../support/ledger.ts';
import { dropWallet, manyWallets, move, type TestedWallet } from './many-wallets.ts';
import { type SlowLeaf, slowPath, slowRoot, slowTree } from './slow-tree.ts';

const forever = new AbortController().signal;
/** More wallets than a page, with several blocks of which the last one is not full. */
const MANY = 301;

onBothDatabases('epochs of the proof of liabilities', (open) => {
  it('V1: prove every wallet its balance as the definition of the tree says, for few and for many wallets', async () => {
    const { database, ledger, take, wallets } = await started(open, 0);
    for (const more of [1, 1, 61, 1, 1, 64, MANY - 129]) {
      wallets.push(...(await manyWallets(database, ledger, balances(more))));
      const { root } = await take();
      await expectWhole(database, wallets, hex(root));
    }
    expect(wallets).toHaveLength(MANY);
  });

  it('can be made without any wallet', async () => {
    const { take } = await started(open, 0);
    const epoch = await take();
    expect([epoch.epoch, epoch.leaves, epoch.total_msat]).toEqual([1, 0, 0]);
    expect(hex(epoch.root)).toBe(slowRoot(1, epoch.created_at, 0, slowTree([]), '0'.repeat(64)));
  });

  it('V4: are one moment of the ledger, although money moves while they are made', async () => {
    const { database, ledger, take, wallets } = await started(open, MANY);
    const taking = { over: false };
    const epoch = take().finally(() => {
      taking.over = true;
    });
    const [first, last] = [wallets[0], wallets.at(-1)] as [TestedWallet, TestedWallet];
    const { node, serviceFees } = SYSTEM_ACCOUNTS;
    // Transfers between the last page and the first, deposits and fees: a tree of two moments would have a wrong sum. The number of transfers
    // in that time depends on the machine.
    do {
      await move(ledger, last.ledgerAccount, first.ledgerAccount, 40);
      await move(ledger, node, last.ledgerAccount, 70);
      await move(ledger, first.ledgerAccount, serviceFees, 3);
    } while (!taking.over);
    const { total_msat, root } = await epoch;
    const leaves = await expectWhole(database, wallets, hex(root));
    expect(leaves.reduce((sum, { balance }) => sum + balance, 0n)).toBe(BigInt(total_msat));
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('V4: are not published when a wallet is missing: the sums of the ledger disagree', async () => {
    const { database, take, wallets } = await started(open, 3);
    await take();
    await dropWallet(database, wallets[1] as TestedWallet);
    await expect(take()).rejects.toThrow('the system accounts owe');
    expect((await database.first(lastEpoch))?.epoch).toBe(1);
  });

  it('V5: commit to the root before it, and keep every root but only the last trees', async () => {
    const { database, take, wallets } = await started(open, 70);
    const epochs = [];
    for (let number = 1; number <= KEEP_EPOCHS + 2; number++) epochs.push(await take());
    for (const [index, epoch] of epochs.entries()) {
      expect(epoch.epoch).toBe(index + 1);
      expect(hex(epoch.previous_root)).toBe(index === 0 ? '0'.repeat(64) : hex((epochs[index - 1] as EpochRow).root));
      expect(plain(await database.first(readEpoch, index + 1))).toEqual(plain(epoch));
    }
    const listed = await database.all(listEpochs.desc, epochs.length, 5);
    expect(listed.map(plain)).toEqual(epochs.slice(-6, -1).reverse().map(plain));
    const [wallet] = wallets as [TestedWallet];
    await expect(readProof(database, wallet, 2)).rejects.toMatchObject({ type: 'proof_unavailable' });
    expect((await readProof(database, wallet, 3)).root).toBe(hex((epochs[2] as EpochRow).root));
    expect(await count(database, 'trees')).toBe(KEEP_EPOCHS);
    expect(await count(database, 'leaves')).toBe(KEEP_EPOCHS * wallets.length);
  });

  it('change the neighbours of a wallet and the salt of its leaf each time', async () => {
    const { database, take, wallets } = await started(open, 100);
    const orders: string[][] = [];
    const salts = new Set<string>();
    for (let number = 1; number <= 2; number++) {
      await take();
      const shown = await Promise.all(wallets.map((wallet) => readProof(database, wallet)));
      for (const { salt } of shown) salts.add(salt);
      orders.push(shown.sort((a, b) => a.leaf_index - b.leaf_index).map(({ wallet_id }) => wallet_id));
    }
    expect(salts.size).toBe(200);
    expect(orders[0]).not.toEqual(orders[1]);
    expect(orders[0]?.toSorted()).toEqual(orders[1]?.toSorted());
    expect(orders[0]).not.toEqual(wallets.map(({ id }) => id));
  });

  it('have no proof for a wallet that was created later', async () => {
    const { database, ledger, take } = await started(open, 70);
    await take();
    const [young] = (await manyWallets(database, ledger, [500])) as [TestedWallet];
    await expect(readProof(database, young)).rejects.toMatchObject({ type: 'proof_unavailable', status: 404 });
    await take();
    expect((await readProof(database, young)).balance_msat).toBe(500);
  });

  it('are neither visible nor left in the database when they were interrupted', async () => {
    const { database, take, wallets } = await started(open, 1100);
    const stopped = new AbortController();
    const interrupted = changed(database, {
      async transaction(work) {
        const result = await database.transaction(work);
        if ((await count(database, 'leaves')) > 0) stopped.abort();
        return result;
      },
    });
    await expect(takeEpoch({ database: interrupted, clock: systemClock, log: silentLog }, stopped.signal)).rejects.toThrow();
    expect(await database.first(lastEpoch)).toBeUndefined();
    await expect(readProof(database, wallets[0] as TestedWallet)).rejects.toMatchObject({ type: 'proof_unavailable' });
    expect((await take()).epoch).toBe(1);
    expect([await count(database, 'trees'), await count(database, 'leaves')]).toEqual([1, wallets.length]);
  });

  it('keep the tree of an epoch that another instance publishes after its tree was listed for deletion', async () => {
    const { database, wallets } = await started(open, 70);
    // The other instance lists the tree while it is being built, and continues after it was published.
    const listed = Promise.withResolvers<void>();
    const published = Promise.withResolvers<void>();
    const listing = changed(database, {
      async all(statement, ...parameters) {
        const rows = await database.all(statement, ...parameters);
        if (statement.name !== 'proof_unkept_trees' || rows.length === 0) return rows;
        listed.resolve();
        await published.promise;
        return rows;
      },
    });
    const building = changed(database, {
      async snapshot(work) {
        await listed.promise;
        return database.snapshot(work);
      },
    });
    const first = takeEpoch({ database: building, clock: systemClock, log: silentLog }, forever);
    await expect.poll(() => count(database, 'trees')).toBe(1);
    const second = takeEpoch({ database: listing, clock: systemClock, log: silentLog }, forever);
    const { root } = await first;
    published.resolve();
    await Promise.allSettled([second]);
    expect(await count(database, 'leaves')).toBeGreaterThanOrEqual(wallets.length);
    await expectWhole(database, wallets, hex(root));
  });

  it('made by two instances at once are either two epochs or given up; the next one is complete', async () => {
    const { database, take, wallets } = await started(open, 140);
    const taken = await Promise.allSettled([take(), take()]);
    const published = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    // Each may have dropped the tree of the other. Every published epoch is complete.
    expect((await database.first(lastEpoch))?.epoch ?? 0).toBe(published.length);
    if (published.length > 0) await expectWhole(database, wallets, hex((await database.first(lastEpoch))?.root ?? Buffer.of()));
    await take();
    await expectWhole(database, wallets, hex((await database.first(lastEpoch))?.root ?? Buffer.of()));
    expect(await count(database, 'trees')).toBe(published.length + 1);
  });
});

/** Returns the database with some of its methods replaced. */
function changed(database: Database, methods: Partial<Pick<Database, 'all' | 'snapshot' | 'transaction'>>): Database {
  return { ...database, ...methods };
}

async function started(open: () => Promise<Database>, wallets: number) {
  const database = await open();
  const ledger = createLedger(database, systemClock);
  const take = (signal = forever) => takeEpoch({ database, clock: systemClock, log: silentLog }, signal);
  return { database, ledger, take, wallets: await manyWallets(database, ledger, balances(wallets)) };
}

/** Returns the balances of some wallets, a few of them 0. */
function balances(wallets: number): number[] {
  return Array.from({ length: wallets }, (_, index) => (index % 5 === 3 ? 0 : 1000 + index * 7));
}

/** Reads the proofs of all wallets, and expects that together they are the tree of the definition, with the published root. */
async function expectWhole(database: Database, wallets: readonly TestedWallet[], root: string): Promise<SlowLeaf[]> {
  const shown: WalletProof[] = [];
  for (const wallet of wallets) shown.push(await readProof(database, wallet));
  shown.sort((a, b) => a.leaf_index - b.leaf_index);
  expect(shown.map(({ leaf_index }) => leaf_index)).toEqual(wallets.map((_, index) => index));
  const leaves = shown.map(({ salt, wallet_id: wallet, balance_msat, head }) => ({ salt, wallet, balance: BigInt(balance_msat), head }));
  expect(leaves.map(({ wallet }) => wallet).sort()).toEqual(wallets.map(({ id }) => id).sort());
  const step = Math.ceil(shown.length / 20);
  for (const { leaf_index, path } of shown.filter((_, at) => at % step === 0 || at === shown.length - 1)) {
    const steps = path.map(({ side, sum_msat, hash }) => ({ side, sum: BigInt(sum_msat), hash }));
    expect(steps).toEqual(slowPath(leaves, leaf_index));
  }
  const { epoch, created_at, previous_root } = shown[0] as WalletProof;
  expect(root).toBe(slowRoot(epoch, created_at, leaves.length, slowTree(leaves), previous_root));
  return leaves;
}

const COUNTS = {
  trees: statement<{ n: number }>('test_count_trees', 'SELECT count(*) AS n FROM proof_tree'),
  leaves: statement<{ n: number }>('test_count_leaves', 'SELECT count(*) AS n FROM proof_leaf'),
};

async function count(database: Database, of: keyof typeof COUNTS): Promise<number> {
  return (await database.first(COUNTS[of]))?.n ?? 0;
}

/** The two databases return bytes as different classes. */
function plain(epoch: EpochRow | undefined) {
  return epoch && { ...epoch, tree_hash: hex(epoch.tree_hash), previous_root: hex(epoch.previous_root), root: hex(epoch.root) };
}
