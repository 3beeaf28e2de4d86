import { expect, it } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { type Books, booksOn, FAILED, RESERVE_MSAT } from './books.ts';

const OWN_MSAT = 1_000_000_000;
/** What is ours in channel b. */
const B_MSAT = 900_000_000;
/** A little more than the fee of a closing transaction can be. */
const LOSS_MSAT = 30_000_000;

const nodeAlerts = async (books: Books) =>
  (await books.openAlerts()).filter((one) => one.startsWith('node_')).map((one) => one.split(' ')[0]);

/** Moves channel b from the open channels to those that are being closed. Its closing transaction costs a fee. */
function close({ responses }: Books, feeMsat = 2_810_000): void {
  responses.localMsat = Number(responses.localMsat) - B_MSAT;
  responses.openChannels = ['a'];
  responses.closing = [{ id: 'b', peerPubkey: '02'.repeat(33), isForced: true, limboMsat: msat(B_MSAT - feeMsat) }];
}

/** The node's own money does not cover the customers' while the channel is being closed. */
async function begun(books: Books) {
  await books.reconcile();
  const wallet = await books.wallet(0);
  await books.invoices.settle(books.paidAtNode(await books.invoice(wallet, 500_000_000), 500_000_000));
  await books.reconcile();
  expect(await books.openAlerts()).toEqual([]);
  return wallet;
}

onBothDatabases('a channel that is being closed', (open) => {
  it('is counted and named while it is being closed, and raises no alert, also when its money has reached the wallet of the node', async () => {
    const database = await open();
    const books = await booksOn(database);
    await begun(books);
    close(books);
    expect(await books.reconcile()).toMatchObject({
      closing_msat: B_MSAT - 2_810_000,
      closing_channels: [{ id: 'b', num_msat: B_MSAT - 2_810_000 }],
      assets_msat: OWN_MSAT + 500_000_000 - 2_810_000,
      difference_msat: 0,
    });
    books.responses.closing = [{ id: 'b', peerPubkey: '02'.repeat(33), isForced: true, limboMsat: msat(100_000_000) }];
    await books.reconcile();
    books.responses.closing = [];
    expect(await books.reconcile()).toMatchObject({ closing_msat: 0, swept_msat: B_MSAT, difference_msat: 0 });
    expect(await books.openAlerts()).toEqual([]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('hides no loss that happens while it is being closed, whichever step it is at', async () => {
    const lose = ({ responses }: Books) => {
      responses.localMsat = Number(responses.localMsat) - LOSS_MSAT;
    };
    const steps = [
      (books: Books) => close(books),
      ({ responses }: Books) => {
        responses.closing = responses.closing.map((one) => ({ ...one, limboMsat: msat(1000) }));
      },
      ({ responses }: Books) => {
        responses.closing = [];
      },
    ];
    for (const at of [0, 1, 2]) {
      const books = await booksOn(await open());
      await begun(books);
      for (const [index, step] of steps.entries()) {
        step(books);
        if (index === at) lose(books);
        await books.reconcile();
        expect(await nodeAlerts(books), `${at} ${index}`).toEqual(index < at ? [] : ['node_balance_fell']);
      }
      // The fee explains a part of it only if both are seen at once.
      expect((await books.reconcile()).fell_msat).toBe(at === 0 ? LOSS_MSAT + 2_810_000 : LOSS_MSAT);
    }
  });

  it('hides no loss in the channel itself', async () => {
    const books = await booksOn(await open());
    await begun(books);
    close(books, LOSS_MSAT);
    await books.reconcile();
    expect(await nodeAlerts(books)).toEqual(['node_balance_fell']);
  });

  it('is explained by the list of closed channels when it was closed between two reconciliations, and by nothing else', async () => {
    for (const isListed of [true, false]) {
      const books = await booksOn(await open());
      await begun(books);
      close(books);
      books.responses.closing = [];
      if (isListed) books.responses.closed = [{ id: 'b', settledMsat: msat(B_MSAT - 2_810_000) }];
      await books.reconcile();
      expect(await nodeAlerts(books)).toEqual(isListed ? [] : ['node_balance_fell']);
    }
  });

  it('counts its money as returned when a channel is opened with it, and alerts about a loss after that', async () => {
    const books = await booksOn(await open());
    await begun(books);
    close(books, 0);
    await books.reconcile();
    books.responses.closing = [];
    await books.reconcile();
    books.responses.localMsat = Number(books.responses.localMsat) + B_MSAT;
    books.responses.openChannels = ['a', 'c'];
    expect(await books.reconcile()).toMatchObject({ swept_msat: 0, rose_msat: 0, fell_msat: 0, difference_msat: 0 });
    books.responses.localMsat = Number(books.responses.localMsat) - LOSS_MSAT;
    await books.reconcile();
    expect(await nodeAlerts(books)).toEqual(['node_balance_fell']);
  });

  it('counts a payment that comes back on the chain, so that its return does not look like money that left', async () => {
    const books = await booksOn(await open());
    const wallet = await begun(books);
    const payment = await books.pay(wallet, 40_000_000);
    // The HTLC is an output of the commitment, which the node lists with the rest of the channel.
    close(books, 0);
    await books.reconcile();
    await books.end(payment, FAILED);
    expect(await books.reconcile()).toMatchObject({ fell_msat: 0, difference_msat: 0, in_flight_msat: 0 });
    expect(await nodeAlerts(books)).toEqual([]);
    expect(RESERVE_MSAT).toBeGreaterThan(0);
  });
});
