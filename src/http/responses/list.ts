import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { List, ListPart } from '../../core/kernel/list.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { fieldsOf } from '../field-schema.ts';
import { choice } from '../fields.ts';
import { listTurn } from '../limits/list-turns.ts';
import { setLinks } from './links.ts';
import { pick, selectionOf } from './select.ts';

const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 50;
/** Counting reads every item, so it stops here. Pages by number end here, too. */
const MAX_COUNT = 10_000;
/** Rendering and serializing a page blocks all other requests. */
const MAX_PAGE_BYTES = 1_000_000;

/** The query of a list. */
export const ListQuery = Type.Object({
  after: Type.Optional(
    Type.String({ maxLength: 64, description: 'Returns the items that follow the item with this id in the order of the list' }),
  ),
  'per-page': Type.Optional(
    Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'The number of items on a page. Default: 50, at most 100' }),
  ),
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

export interface ListOptions {
  /** The order without the parameter `order`; default: newest first. */
  readonly defaultOrder?: ListPart['order'];
}

/**
 * Sends the page of a list that the query requests: {@link ListQuery} or {@link NumberedListQuery}, perhaps with filters, which the list has
 * applied. `render` returns the object of an item; its `id` is the cursor. A page of large items ends early, and the link `next` continues.
 */
export async function sendList<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<T>,
  render: (item: T) => { readonly id: string | number },
  { defaultOrder = 'desc' }: ListOptions = {},
): Promise<FastifyReply> {
  const { page, after, order = defaultOrder, 'per-page': perPage = DEFAULT_PER_PAGE, count } = request.query as ListParameters;
  if (page !== undefined && after !== undefined) throw new Refusal('validation_failed', 'Send either `page` or `after`, not both.');
  const limit = Math.min(perPage, MAX_PER_PAGE);
  // The database needs an integer; a page that far is empty.
  const offset = Math.min(((page ?? 1) - 1) * limit, Number.MAX_SAFE_INTEGER - MAX_PER_PAGE);
  const isNumbered = after === undefined && Object.hasOwn(fieldsOf(request.routeOptions.schema?.querystring), 'page');
  await listTurn(request);
  const total = isNumbered || count === 1 ? await list.count(MAX_COUNT + 1) : 0;
  if (page !== undefined && total > MAX_COUNT && offset + limit > MAX_COUNT) throw new Refusal('validation_failed', LAST_PAGE);
  const { items, next } = await list.readPage({ limit, order, after, offset });
  const objects = items.map(render);
  const { text, count: fitting } = serialize(request, reply, objects);
  if (page !== undefined && fitting < items.length) throw new Refusal('validation_failed', tooLarge(fitting));
  reply.header('x-pagination-per-page', limit);
  if (isNumbered || count === 1) setTotals(reply, { total, limit, page: isNumbered ? (page ?? 1) : undefined });
  if (page !== undefined) setNumberedLinks(request, reply, { page, limit, total });
  else {
    const cursor = fitting < items.length ? objects[fitting - 1]?.id : next;
    if (cursor !== undefined) setLinks(request, reply, { next: { after: cursor, 'per-page': limit } });
  }
  return reply.type('application/json; charset=utf-8').send(text);
}

type ListParameters = Static<typeof NumberedListQuery>;

const LAST_PAGE = `Pages of this list end at ${MAX_COUNT} items. Use after=<id of the last item> instead of page.`;

function tooLarge(fitting: number): string {
  return (
    `Query parameter \`per-page\` must be at most ${fitting} for this page, because its items are larger than ` +
    `${MAX_PAGE_BYTES / 1_000_000} MB. Or use after=<id>: such pages end early.`
  );
}

interface SerializedPage {
  readonly text: string;
  /** The number of objects in it. */
  readonly count: number;
}

/** Serializes as many objects as fit on a page: at least one, so that a cursor always advances. */
function serialize(request: FastifyRequest, reply: FastifyReply, objects: readonly object[]): SerializedPage {
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

interface NumberedPage {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

function setTotals(reply: FastifyReply, { total, limit, page }: Omit<NumberedPage, 'page'> & { page: number | undefined }): void {
  const counted = Math.min(total, MAX_COUNT);
  reply.header('x-pagination-total-count', counted);
  if (total > MAX_COUNT) reply.header('x-pagination-total-capped', 'true');
  if (page === undefined) return;
  reply.headers({ 'x-pagination-page-count': pagesOf(counted, limit), 'x-pagination-current-page': page });
}

function pagesOf(total: number, limit: number): number {
  return Math.max(1, Math.ceil(total / limit));
}

function setNumberedLinks(request: FastifyRequest, reply: FastifyReply, { page, limit, total }: NumberedPage): void {
  const last = pagesOf(Math.min(total, MAX_COUNT), limit);
  const to = (number: number) => ({ page: number, 'per-page': limit });
  setLinks(request, reply, {
    first: to(1),
    last: to(last),
    ...(page > 1 && { prev: to(Math.min(page - 1, last)) }),
    ...(page < last && { next: to(page + 1) }),
  });
}
