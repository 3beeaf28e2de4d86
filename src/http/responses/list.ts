import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Counted, List, ListPart } from '../../core/kernel/list.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { PER_TURN, takeTurn } from '../../core/kernel/turns.ts';
import { fieldsOf } from '../field-schema.ts';
import { choice } from '../fields.ts';
import { type Links, setLinks } from './links.ts';
import { CSV_FORMAT, isCsvRequest, sendCsv } from './list-csv.ts';
import { pick, selectionOf } from './select.ts';

const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 50;
/** Counting reads every item, so it stops here. Pages by number end here, too. */
export const MAX_COUNT = 10_000;
const MAX_PAGE_BYTES = PER_TURN.bytes;

const PER_PAGE = Type.Optional(
  Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'The number of items on a page. Default: 50, at most 100' }),
);

/** The query of a list. */
export const ListQuery = Type.Object({
  after: Type.Optional(
    Type.String({ maxLength: 64, description: 'Returns the items that follow the item with this id in the order of the list' }),
  ),
  'per-page': PER_PAGE,
  order: Type.Optional(choice(['asc', 'desc'], { description: '`desc`: newest first, the default. `asc`: oldest first' })),
  count: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1,
      mayBeEmpty: true,
      description: '1: the header `X-Pagination-Total-Count` has the number of items, which is counted up to 10,000',
    }),
  ),
});

/** The query of a list of LNPay's API, which also has page numbers. Its responses have totals, except after a cursor. */
export const NumberedListQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'The number of the page, from 1. Not together with `after`' }),
  ),
  ...ListQuery.properties,
});

/** The query of a list that is also sent as CSV. */
export const CsvListQuery = Type.Object({ ...ListQuery.properties, ...CSV_FORMAT });

export interface ListOptions {
  /** The order without the parameter `order`; default: newest first. */
  readonly defaultOrder?: ListPart['order'];
  /** Whether the filters of the request allow page numbers; default: true. Otherwise no link has one. */
  readonly allowsPages?: boolean;
}

/** A page of a list by number. */
export interface Page {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/** Returns the requested page. */
export function readPage(query: { page?: number; 'per-page'?: number }): Page {
  const limit = Math.min(query['per-page'] ?? DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const page = query.page ?? 1;
  // The database needs an integer; a page that far is empty.
  return { page, limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER - MAX_PER_PAGE) };
}

/**
 * Sends the page of a list that the query requests: {@link ListQuery} or {@link NumberedListQuery}, perhaps with filters, which the list has
 * applied. `render` returns the object of an item; its `id` is the cursor. A page of large items ends early, and the link `next` continues.
 * {@link CsvListQuery} can request the whole list instead.
 */
export async function sendList<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<T>,
  render: (item: T) => { readonly id: string | number },
  { defaultOrder = 'desc', allowsPages = true }: ListOptions = {},
): Promise<FastifyReply> {
  const query = request.query as Static<typeof NumberedListQuery>;
  const { after, order = defaultOrder } = query;
  if (isCsvRequest(request)) return sendCsv(request, reply, list, render, { order, after });
  if (query.page !== undefined && after !== undefined) throw new Refusal('validation_failed', 'Send either `page` or `after`, not both.');
  const page = readPage(query);
  const { limit, offset } = page;
  const isNumbered = after === undefined && Object.hasOwn(fieldsOf(request.routeOptions.schema?.querystring), 'page');
  await takeTurn();
  const counted = isNumbered || query.count === 1 ? countOf(await list.count(MAX_COUNT + 1, order)) : undefined;
  if (page.page > 1 && counted?.isCapped && offset >= MAX_COUNT) throw new Refusal('validation_failed', LAST_PAGE);
  const { items, next } = await list.readPage({ limit, order, after, offset });
  const objects = items.map(render);
  if (counted) setTotal(reply, counted);
  if (!counted || !isNumbered) return sendPart(request, reply, { objects, limit, next });
  if (query.page === undefined) {
    setPageNumbers(reply, page, counted.total);
    // The first page links to the next one by cursor: following it leads through the whole list, at the same cost for each page.
    return sendPart(request, reply, { objects, limit, next, links: allowsPages ? endsOf(page, counted.total) : {} });
  }
  const { text, count } = serialize(request, reply, objects);
  if (count < objects.length) throw new Refusal('validation_failed', tooLarge(count));
  setPageHeaders(request, reply, page, counted.total);
  return sendJson(reply, text);
}

/**
 * Returns the items of the page that the {@link ListQuery} of a request asks for, and sets its headers. For a list inside an object, and for items
 * without an `id`; all of them must be small.
 */
export async function readListPage<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<T>,
  defaultOrder: ListPart['order'] = 'desc',
): Promise<readonly T[]> {
  const query = request.query as Static<typeof ListQuery>;
  const { after, order = defaultOrder } = query;
  const { limit } = readPage(query);
  await takeTurn();
  const counted = query.count === 1 ? countOf(await list.count(MAX_COUNT + 1, order)) : undefined;
  const { items, next } = await list.readPage({ limit, order, after });
  if (counted) setTotal(reply, counted);
  setPartHeaders(request, reply, { limit, after: next });
  return items;
}

function setTotal(reply: FastifyReply, { total, isCapped }: Counted): void {
  reply.header('x-pagination-total-count', total);
  if (isCapped) reply.header('x-pagination-total-capped', 'true');
}

function countOf(counted: number | Counted): Counted {
  return typeof counted === 'number' ? { total: Math.min(counted, MAX_COUNT), isCapped: counted > MAX_COUNT } : counted;
}

/** A count that ended earlier, because too much was read, leaves pages that can be sent: the total and the links name them. */
const LAST_PAGE = `Pages of this list end at ${MAX_COUNT} items. Use after=<id of the last item> instead of page.`;

function tooLarge(fitting: number): string {
  return (
    `Query parameter \`per-page\` must be at most ${fitting} for this page, because its items are larger than ` +
    `${MAX_PAGE_BYTES / 1_000_000} MB. Or use after=<id>: such pages end early.`
  );
}

interface Part {
  readonly objects: readonly { readonly id: string | number }[];
  readonly limit: number;
  /** The cursor after which the list continues; undefined at its end. */
  readonly next: string | undefined;
  /** Further links. */
  readonly links?: Links;
}

/** Sends as many objects of a part of a list as fit, and a link to the next part. */
export function sendPart(request: FastifyRequest, reply: FastifyReply, { objects, limit, next, links = {} }: Part): FastifyReply {
  const { text, count } = serialize(request, reply, objects);
  const after = count < objects.length ? objects[count - 1]?.id : next;
  setPartHeaders(request, reply, { limit, after }, links);
  return sendJson(reply, text);
}

function setPartHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, after }: { readonly limit: number; readonly after: string | number | undefined },
  links: Links = {},
): void {
  reply.header('x-pagination-per-page', limit);
  setLinks(request, reply, { ...links, ...(after !== undefined && { next: { after, 'per-page': limit } }) });
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

/** Serializes as many objects as fit on a page, and returns their number: at least one, so that a cursor always advances. */
function serialize(request: FastifyRequest, reply: FastifyReply, objects: readonly object[]): { text: string; count: number } {
  const selection = selectionOf(request);
  const whole = reply.getSerializationFunction('200') ?? JSON.stringify;
  const toText = (some: readonly object[]) => (selection ? JSON.stringify(some.map((one) => pick(one, selection))) : whole(some as never));
  const text = toText(objects);
  if (Buffer.byteLength(text) <= MAX_PAGE_BYTES) return { text, count: objects.length };
  const fitting: string[] = [];
  let bytes = 0;
  for (const object of objects) {
    const one = toText([object]).slice(1, -1);
    bytes += Buffer.byteLength(one);
    if (bytes > MAX_PAGE_BYTES && fitting.length > 0) break;
    fitting.push(one);
  }
  return { text: `[${fitting.join()}]`, count: fitting.length };
}

/** Sets the totals of a page by number, and the links to other pages (RFC 8288). */
function setPageHeaders(request: FastifyRequest, reply: FastifyReply, at: Page, total: number): void {
  reply.header('x-pagination-total-count', total);
  setPageNumbers(reply, at, total);
  const { page, limit } = at;
  const last = pagesOf(total, limit);
  const to = (number: number) => ({ page: number, 'per-page': limit });
  setLinks(request, reply, {
    ...endsOf({ limit }, total),
    ...(page > 1 && { prev: to(Math.min(page - 1, last)) }),
    ...(page < last && { next: to(page + 1) }),
  });
}

function setPageNumbers(reply: FastifyReply, { page, limit }: Page, total: number): void {
  reply.headers({
    'x-pagination-page-count': pagesOf(total, limit),
    'x-pagination-current-page': page,
    'x-pagination-per-page': limit,
  });
}

/** Returns the links to the first and the last page. */
function endsOf({ limit }: { readonly limit: number }, total: number): Links {
  return { first: { page: 1, 'per-page': limit }, last: { page: pagesOf(total, limit), 'per-page': limit } };
}

function pagesOf(total: number, limit: number): number {
  return Math.max(1, Math.ceil(total / limit));
}
