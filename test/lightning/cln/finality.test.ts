import { describe, expect, it } from 'vitest';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { silentLog as log } from '../../support/ledger.ts';
import { type Answer, replayOnSocket, type Script } from './replay.ts';

const HASH = '43ed996be9210c4187c1e90dce30abff8641146fc65fc5771e85c9b207edee5c';
const CHANNEL = '73e4d250364d50e402b69e1fbc775847a8a0ba748734e88ea6d0e2c760ed1864';
const PAID_AT = 1_795_306_644;
const AMOUNT = 10_000_700;

interface Move {
  readonly created_index: number;
  readonly account_id: string;
  readonly credit_msat: number;
  readonly debit_msat: number;
  readonly timestamp: number;
  readonly primary_tag: string;
  readonly payment_hash?: string;
}

/** A move as lightningd 26.06.6 returns it. */
function move(created_index: number, more: Partial<Move> = {}): Move {
  const of = { account_id: CHANNEL, credit_msat: AMOUNT, debit_msat: 0, timestamp: PAID_AT, primary_tag: 'invoice', payment_hash: HASH };
  return { created_index, ...of, ...more };
}

const CHAIN = { primary_tag: 'htlc_fulfill', credit_msat: 10_000_000 };

const PAID = {
  result: { invoices: [{ label: 'satchel-1', payment_hash: HASH, status: 'paid', amount_received_msat: AMOUNT, paid_at: PAID_AT }] },
};

/** The answers of a node with these moves. */
function movesOf(channelmoves: readonly Move[], chainmoves: readonly Move[] = []): Script {
  const page = (moves: readonly Move[], { start, limit }: { start?: unknown; limit?: unknown }) =>
    moves.slice(Number(start) - 1, Number(start) - 1 + Number(limit));
  return {
    wait: ({ subsystem }) => {
      const moves = subsystem === 'channelmoves' ? channelmoves : chainmoves;
      return { result: { subsystem, ...(moves.length > 0 && { created: moves.at(-1)?.created_index }) } };
    },
    listchannelmoves: (params) => ({ result: { channelmoves: page(channelmoves, params) } }),
    listchainmoves: (params) => ({ result: { chainmoves: page(chainmoves, params) } }),
    listpeerchannels: { result: { channels: [] } },
    listinvoices: PAID,
  };
}

const inChannel = (direction: 'in' | 'out', hash = HASH) => ({
  result: {
    channels: [
      { peer_id: '02', state: 'ONCHAIN', peer_connected: true, htlcs: [{ direction, payment_hash: hash, amount_msat: AMOUNT, state: '' }] },
    ],
  },
});

async function opened(script: Script) {
  const replay = await replayOnSocket(script);
  const node = openCln({ url: replay.url, log });
  const finality = (waitMs = 0, amount = AMOUNT) => node.settlementFinality({ paymentHash: HASH, htlcs: `${PAID_AT}:${amount}` }, waitMs);
  return { replay, node, finality };
}

describe('a settlement that lightningd has reported', () => {
  it.each<[string, Move[], Move[], object]>([
    ['is final when its receipt is recorded', [move(1)], [], { state: 'final' }],
    [
      'is final when all its parts are recorded',
      [move(1, { credit_msat: 4_000_700 }), move(2, { credit_msat: 6_000_000 })],
      [],
      { state: 'final' },
    ],
    ['is final when it was claimed on the chain, which rounds it down', [], [move(1, CHAIN)], { state: 'final' }],
    [
      'is worth what arrived when the rest left all channels without a receipt',
      [],
      [move(1, { ...CHAIN, credit_msat: 9_000_000 })],
      { state: 'final', amountMsat: 9_000_000 },
    ],
    ['never arrived when it left all channels without a receipt', [], [], { state: 'failed' }],
    ['is not proven by a receipt of another hash', [move(1, { payment_hash: 'f'.repeat(64) })], [], { state: 'failed' }],
    ['is not proven by a payment of ours', [move(1, { credit_msat: 0, debit_msat: AMOUNT })], [], { state: 'failed' }],
    ['is not proven by a forwarded payment', [move(1, { primary_tag: 'routed' })], [], { state: 'failed' }],
    [
      'is not proven by a payment of ours that the peer claimed on the chain',
      [],
      [move(1, { ...CHAIN, account_id: 'external' })],
      { state: 'failed' },
    ],
  ])('%s', async (_name, channelmoves, chainmoves, expected) => {
    const { finality } = await opened(movesOf(channelmoves, chainmoves));
    expect(await finality()).toEqual(expected);
  });

  it('is unknown while its HTLC is in a channel, also in one that is being closed', async () => {
    const { replay, finality } = await opened({ ...movesOf([]), listpeerchannels: inChannel('in') });
    expect(await finality()).toMatchObject({ state: 'unknown' });
    replay.change({ listpeerchannels: inChannel('out') });
    expect(await finality()).toEqual({ state: 'failed' });
  });

  it('is unknown, and not failed, when its receipt is not recorded within the wait', async () => {
    const { finality } = await opened(movesOf([]));
    expect(await finality(50)).toMatchObject({ state: 'unknown' });
  });

  it('is final as soon as its receipt is recorded', async () => {
    const { replay, finality } = await opened(movesOf([move(1, { payment_hash: 'f'.repeat(64) })]));
    const waiting = finality(10_000);
    await expect.poll(() => replay.calls.filter(({ method }) => method === 'listchannelmoves').length).toBeGreaterThan(3);
    replay.change(movesOf([move(1, { payment_hash: 'f'.repeat(64) }), move(2)]));
    expect(await waiting).toEqual({ state: 'final' });
  });

  it('is not taken for failed by a read of moves that began before its HTLC left the channel', async () => {
    const moves: Move[] = [];
    const script = movesOf(moves);
    const list = script.listchannelmoves as (params: object) => Answer;
    const delayed = Promise.withResolvers<void>();
    let reads = 0;
    let looks = 0;
    const { node, finality } = await opened({
      ...script,
      async listchannelmoves(params) {
        const answer = list(params);
        if (++reads === 1) await delayed.promise;
        return answer;
      },
      listpeerchannels() {
        // The HTLC of the second payment leaves its channel, and its move is stored, after the first one's moves were read.
        if (++looks === 2) moves.push(move(1));
        return { result: { channels: [] } };
      },
    });
    const other = node.settlementFinality({ paymentHash: 'e'.repeat(64), htlcs: `${PAID_AT}:1` }, 0);
    await expect.poll(() => reads).toBe(1);
    const ours = finality();
    await expect.poll(() => looks).toBe(2);
    // Calls that were made later have a response, so the second payment waits for moves.
    for (let i = 0; i < 3; i++) await node.info();
    delayed.resolve();
    await other;
    expect(await ours).toEqual({ state: 'final' });
  });

  it('is unknown when a node that was restored from a backup does not list it as paid', async () => {
    const { finality } = await opened({ ...movesOf([]), listinvoices: { result: { invoices: [] } } });
    expect(await finality()).toMatchObject({ state: 'unknown' });
  });

  it('is unknown when so many receipts followed that those of its time were deleted', async () => {
    const moves = Array.from({ length: 100_002 }, (_, i) => move(i + 1, { payment_hash: i.toString(16).padStart(64, '0') }));
    const { node, finality, replay } = await opened(movesOf(moves.slice(0, 1)));
    await node.settlementFinality({ paymentHash: 'e'.repeat(64), htlcs: `${PAID_AT}:1` }, 0);
    replay.change(movesOf(moves));
    expect(await finality()).toMatchObject({ state: 'unknown' });
  });

  it('is found among older moves, page by page, and each move is counted once', async () => {
    const later = Array.from({ length: 1200 }, (_, i) => move(i + 2, { payment_hash: 'e'.repeat(64), timestamp: PAID_AT + 5000 }));
    const { replay, node, finality } = await opened(movesOf([move(1, { credit_msat: 6_000_000 }), ...later]));
    // The first settlement that is asked about is a later one.
    await node.settlementFinality({ paymentHash: 'e'.repeat(64), htlcs: `${PAID_AT + 5000}:1` }, 0);
    replay.change({ listpeerchannels: inChannel('in') });
    const found = await Promise.all(Array.from({ length: 8 }, () => finality()));
    expect(found.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'unknown'));
    expect(await finality(0, 6_000_000)).toEqual({ state: 'final' });
  });

  it('is not counted twice when the events are read again during a search for it', async () => {
    const script = movesOf([move(1, { credit_msat: 6_000_000 }), move(2, { payment_hash: 'e'.repeat(64), timestamp: PAID_AT + 5000 })]);
    const list = script.listchannelmoves as (params: object) => Answer;
    const delayed = Promise.withResolvers<void>();
    let isSearched = false;
    const { node, finality } = await opened({
      ...script,
      listpeerchannels: inChannel('in'),
      async listchannelmoves(params) {
        if (!isSearched && params.start === 1 && params.limit !== 1) {
          isSearched = true;
          await delayed.promise;
        }
        return list(params);
      },
    });
    const ask = (hash: string, paidAt: number) => node.settlementFinality({ paymentHash: hash.repeat(64), htlcs: `${paidAt}:1` }, 0);
    await ask('e', PAID_AT + 5000);
    const ours = finality();
    await expect.poll(() => isSearched).toBe(true);
    node.watch(undefined, new AbortController().signal);
    // From now on, all moves are read.
    await ask('d', PAID_AT);
    delayed.resolve();
    expect(await ours).toMatchObject({ state: 'unknown' });
    expect(await finality(0, 6_000_000)).toEqual({ state: 'final' });
  });

  it('is looked up if it is known by its hash alone', async () => {
    const paid = {
      label: 'satchel-1',
      payment_hash: HASH,
      status: 'paid',
      amount_received_msat: AMOUNT,
      paid_at: PAID_AT,
      updated_index: 1,
    };
    const { node, replay } = await opened({ ...movesOf([move(1)]), listinvoices: { result: { invoices: [paid] } } });
    expect(await node.settlementFinality({ paymentHash: HASH }, 0)).toEqual({ state: 'final' });
    replay.change({ listinvoices: { result: { invoices: [{ ...paid, status: 'unpaid' }] } } });
    expect(await node.settlementFinality({ paymentHash: HASH }, 0)).toMatchObject({ state: 'unknown' });
  });

  it('reads new moves once for all that wait', async () => {
    const { replay, node } = await opened(movesOf([move(1)]));
    const ask = (amount: number) => node.settlementFinality({ paymentHash: HASH, htlcs: `${PAID_AT}:${amount}` }, 1);
    const states = async (amount: number) =>
      new Set((await Promise.all(Array.from({ length: 50 }, () => ask(amount)))).map(({ state }) => state));
    expect(await states(AMOUNT)).toEqual(new Set(['final']));
    expect(replay.calls.length).toBeLessThan(20);
    // The receipt was counted once.
    expect(await states(AMOUNT + 1)).toEqual(new Set(['unknown']));
  });
});
