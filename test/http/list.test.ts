import { pino } from 'pino';
import { type TSchema, Type } from 'typebox';
import { expect, it } from 'vitest';
import { type List, pageOf } from '../../src/core/kernel/list.ts';
import { ListQuery, NumberedListQuery, sendList } from '../../src/http/responses/list.ts';
import { selectable } from '../../src/http/responses/select.ts';
import { createServer } from '../../src/http/server.ts';

interface Item {
  readonly id: string;
  readonly text: string;
}

const Items = Type.Array(selectable(Type.Object({ id: Type.String(), text: Type.String() })));

/** A list in memory. Records how far it was counted. */
function listOf(items: readonly Item[]) {
  const counted: number[] = [];
  const list: List<Item> = {
    async readPage({ limit, order, after, offset = 0 }) {
      const sorted = items.toSorted((a, b) => (a.id < b.id === (order === 'asc') ? -1 : 1));
      const start = after === undefined ? offset : sorted.findIndex(({ id }) => id === after) + 1;
      return pageOf(sorted.slice(start, start + limit + 1), limit, ({ id }) => id);
    },
    async count(max) {
      counted.push(max);
      return Math.min(items.length, max);
    },
  };
  return { list, counted };
}

const numbered = (count: number, text = 'x') =>
  Array.from({ length: count }, (_, index) => ({ id: `item_${String(index).padStart(5, '0')}`, text }));

async function serve(items: readonly Item[], querystring = ListQuery as TSchema, { list, counted } = listOf(items)) {
  const app = createServer(pino({ level: 'silent' }), (routes) => {
    routes.get('/items', { schema: { querystring, response: { 200: Items } } }, async (request, reply) =>
      sendList(request, reply, list, (item) => item),
    );
  });
  const get = async (query = '') => {
    const { headers, body, statusCode } = await app.inject({ url: `/items${query}`, headers: { host: 'x' } });
    return { headers, statusCode, ids: JSON.parse(body).map?.(({ id }: Item) => Number(id.slice(5))), next: nextOf(headers.link), body };
  };
  return { get, counted };
}

function nextOf(link: unknown): string | undefined {
  return /<([^>]*)>; rel="next"/.exec(String(link))?.[1];
}

it('sends at most 100 items on a page, however many were requested', async () => {
  const { get } = await serve(numbered(250));
  expect((await get()).ids).toHaveLength(50);
  const large = await get('?per-page=5000');
  expect(large.ids).toHaveLength(100);
  expect(large.headers['x-pagination-per-page']).toBe('100');
});

it.each(['', '&order=desc', '&order=asc'])('leads through a whole list with%s by its links, and has none at the end', async (order) => {
  const { get, counted } = await serve(numbered(10));
  const seen: number[] = [];
  for (let at: string | undefined = `?per-page=5${order}`; at !== undefined; ) {
    const { ids, next } = await get(at);
    expect(ids).toHaveLength(5);
    seen.push(...ids);
    at = next;
  }
  const ascending = numbered(10).map((_, index) => index);
  expect(seen).toEqual(order === '&order=asc' ? ascending : ascending.toReversed());
  expect(counted).toEqual([]);
});

it('counts only on request, and up to 10,000', async () => {
  const [few, many] = [await serve(numbered(3)), await serve(numbered(10_001))];
  expect((await few.get('?count=0')).headers).not.toHaveProperty('x-pagination-total-count');
  expect((await few.get('?count=1')).headers['x-pagination-total-count']).toBe('3');
  const capped = await many.get('?count=1');
  expect(capped.headers).toMatchObject({ 'x-pagination-total-count': '10000', 'x-pagination-total-capped': 'true' });
  expect(capped.next).not.toContain('count');
});

it('ends a page of large items early, and continues after it', async () => {
  const { get } = await serve(numbered(50, 'é'.repeat(50_000)));
  const seen: number[] = [];
  let pages = 0;
  for (let at: string | undefined = '?'; at !== undefined; pages++) {
    const { ids, next, body } = await get(at);
    expect(Buffer.byteLength(body)).toBeLessThan(1_001_000);
    seen.push(...ids);
    at = next;
  }
  expect(new Set(seen).size).toBe(50);
  expect(pages).toBe(6);
});

it('sends an item that is larger than a page alone', async () => {
  const { get } = await serve(numbered(3, 'x'.repeat(2_000_000)));
  expect((await get()).ids).toEqual([2]);
});

it('selects fields, for which more items fit on a page', async () => {
  const { get } = await serve(numbered(50, 'x'.repeat(100_000)));
  const { body } = await get('?fields=id');
  expect(JSON.parse(body)).toHaveLength(50);
  expect(JSON.parse(body)[0]).toEqual({ id: 'item_00049' });
});

it('sends totals of a list with page numbers unless a cursor is given', async () => {
  const { get } = await serve(numbered(7), NumberedListQuery);
  expect((await get('?per-page=3')).headers).toMatchObject({ 'x-pagination-total-count': '7', 'x-pagination-page-count': '3' });
  expect((await get('?per-page=3&after=item_00003')).headers).not.toHaveProperty('x-pagination-total-count');
  const { headers, next } = await get('?per-page=3');
  expect(next).toBe('?after=item_00004&per-page=3');
  expect(headers.link).toMatch(/page=1&per-page=3>; rel="first".*page=3&per-page=3>; rel="last"/);
  expect((await get('?per-page=100&after=item_00000')).headers).not.toHaveProperty('link');
  const last = await get('?per-page=3&page=3');
  expect([last.ids, last.next]).toEqual([[0], undefined]);
  expect(last.headers.link).toMatch(/page=1&per-page=3>; rel="first".*page=3&per-page=3>; rel="last".*page=2&per-page=3>; rel="prev"/);
  expect((await get('?per-page=3&page=2')).next).toBe('?page=3&per-page=3');
  expect((await get('?page=1&after=item_00003')).statusCode).toBe(400);
});

it('sends all pages of a list whose count ended early', async () => {
  const { list, counted } = listOf(numbered(7));
  // Few of the newest items match.
  const count: (typeof list)['count'] = async (_max, order) => ({ total: order === 'asc' ? 7 : 2, isCapped: true });
  const { get } = await serve([], NumberedListQuery, { list: { ...list, count }, counted });
  const { headers, next } = await get('?per-page=5&order=asc&page=1');
  expect(headers).toMatchObject({ 'x-pagination-total-count': '7', 'x-pagination-total-capped': 'true' });
  const last = await get(next);
  expect([last.statusCode, last.ids]).toEqual([200, [5, 6]]);
});

it('refuses pages by number beyond 10,000 items and pages that are too large, and names the remedy', async () => {
  const { get } = await serve(numbered(10_050), NumberedListQuery);
  expect((await get('?page=100&per-page=100')).ids).toHaveLength(100);
  expect((await get('?page=101&per-page=100')).body).toContain('Use after=');
  const { headers } = await get('?per-page=30');
  const [, last = ''] = /.*<([^>]+)>; rel="last"/.exec(String(headers.link)) ?? [];
  expect((await get(last)).ids).toHaveLength(30);
  const large = await serve(numbered(50, 'x'.repeat(100_000)), NumberedListQuery);
  expect((await large.get('?page=1')).body).toContain('must be at most 9 for this page');
  expect((await large.get('?page=1&per-page=9')).ids).toHaveLength(9);
});
