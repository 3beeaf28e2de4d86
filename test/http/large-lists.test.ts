import { expect, it } from 'vitest';
import { pick, readSelection } from '../../src/http/responses/select.ts';
import { mapInSlices, nextTurn, SLICE_ROWS, serializeInSlices } from '../../src/http/responses/slices.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const SUBPATHS = Array.from({ length: 49 }, (_, i) => `passThru.field${i}`);

/** Counts the turns of the event loop during some work. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  let turns = 0;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}

it('reads each object once, however many paths lead to it', () => {
  let reads = 0;
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field${i}`, i]));
  const row = {
    id: 'wtx_1',
    get passThru() {
      reads++;
      return fields;
    },
  };
  const picked = pick(row, readSelection([...SUBPATHS, ...SUBPATHS].join()));
  expect(reads).toBe(1);
  expect(Object.keys(picked.passThru as object)).toHaveLength(49);
  expect(pick(row, readSelection(`${SUBPATHS.join()},passThru,passThru.field1`))).toEqual({ passThru: fields });
  expect(JSON.stringify(picked).length).toBeLessThan(JSON.stringify(row).length);
});

it('renders and serializes a large list in many turns of the event loop, and a small one in one', async () => {
  const rows = Array.from({ length: 500 }, (_, i) => ({ i }));
  const slices = Math.ceil(rows.length / SLICE_ROWS);
  expect(await turnsDuring(mapInSlices(rows, (row) => row))).toBeGreaterThanOrEqual(slices - 2);
  expect(await mapInSlices(rows, ({ i }) => i * 2)).toEqual(rows.map(({ i }) => i * 2));
  const sizes: number[] = [];
  const serialize = (slice: readonly object[]) => {
    sizes.push(slice.length);
    return JSON.stringify(slice);
  };
  expect(await turnsDuring(serializeInSlices(rows, serialize))).toBeGreaterThanOrEqual(slices - 1);
  expect(Math.max(...sizes)).toBe(SLICE_ROWS);
  for (const list of [rows, rows.slice(0, SLICE_ROWS), rows.slice(0, 1), []]) {
    expect(String(await serializeInSlices(list, JSON.stringify))).toBe(JSON.stringify(list));
  }
});

it('processes one slice in each turn, however many lists are in progress', async () => {
  let now = 0;
  const seen: number[] = [];
  const step = () => {
    now++;
    if (now < 1000 && seen.length < 90) setImmediate(step);
  };
  setImmediate(step);
  const list = async () => {
    for (let i = 0; i < 30; i++) {
      await nextTurn();
      seen.push(now);
    }
  };
  await Promise.all([list(), list(), list()]);
  expect(new Set(seen).size).toBe(90);
});

onFakeNode('large lists', (service) => {
  it('return the same as small ones, with and without fields', async () => {
    const { client } = service;
    const [wallet, other] = [await client.wallet(1000), await client.wallet()];
    const passThru = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, `ü ${i}`]));
    for (let i = 0; i < SLICE_ROWS * 2; i++) {
      await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 1, memo: `ü ${i}`, passThru });
    }
    for (const query of ['', '&status=all', `&fields=${SUBPATHS.join()}`, '&fields=id,wal.balance', '&fields=nothing']) {
      const path = `/v1/wallet/${wallet.id}/transactions`;
      const whole = await client.request('GET', `${path}?per-page=100${query}`, { key: client.secretKey });
      expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(whole.headers.get('content-length')).toBe(String(Buffer.byteLength(whole.text)));
      const parts: Json[] = [];
      for (let page = 1; page <= 6; page++) parts.push(...(await client.get(`${path}?per-page=10&page=${page}${query}`)));
      expect(whole.body).toHaveLength(SLICE_ROWS * 2 + 1);
      expect(whole.body).toEqual(parts);
    }
    expect(await service.problems()).toEqual([]);
  });
});
