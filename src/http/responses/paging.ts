import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';

export const PageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'The number of the page, from 1' })),
  'per-page': Type.Optional(
    Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'The number of items on a page. Default: 50, at most 500' }),
  ),
});

/** For lists with a cursor: `after=<id>` returns the items that follow that one, at the same cost at any depth. Not together with `page`. */
export const CursorQuery = Type.Object({
  ...PageQuery.properties,
  after: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Returns the items that follow the item with this id in the order of the list. Not together with `page`',
    }),
  ),
});

export interface Page {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_PER_PAGE = 50;
const MAX_PER_PAGE = 500;

export function readPage(query: { page?: number; 'per-page'?: number }): Page {
  const limit = Math.min(query['per-page'] ?? DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const page = query.page ?? 1;
  // The database needs an integer; a page that far is empty.
  return { page, limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/** @throws Refusal for a request with both a cursor and a page number. */
export function rejectPageWithAfter(query: { page?: number; after?: string }): void {
  if (query.page !== undefined && query.after !== undefined)
    throw new Refusal('validation_failed', 'Send either `page` or `after`, not both.');
}

/** Sets the link to the next page of a cursor, unless the page is the last one. */
export function setCursorHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  limit: number,
  items: readonly { readonly id: string }[],
): void {
  setNextLink(request, reply, limit, items.length < limit ? undefined : items.at(-1)?.id);
}

/** Sets the link to the page after a cursor; no link for undefined, the end. */
export function setNextLink(request: FastifyRequest, reply: FastifyReply, limit: number, after: string | undefined): void {
  reply.header('x-pagination-per-page', limit);
  if (after === undefined) return;
  const query = new URLSearchParams({ ...repeatedParameters(request), after, 'per-page': String(limit) });
  setLinks(reply, [`<?${query}>; rel="next"`]);
}

/** Many clients accept at most 16 kB of response headers, and each link repeats the query. */
const MAX_LINKS_LENGTH = 8192;

function setLinks(reply: FastifyReply, links: readonly string[]): void {
  const text = links.join(', ');
  if (text.length <= MAX_LINKS_LENGTH) reply.header('link', text);
}

/** Sets the totals and the links to other pages (RFC 8288). Links are relative and contain no credential. */
export function setPageHeaders(request: FastifyRequest, reply: FastifyReply, { page, limit }: Page, total: number): void {
  const pages = Math.max(1, Math.ceil(total / limit));
  const kept = repeatedParameters(request);
  const link = (rel: string, to: number) => {
    const query = new URLSearchParams({ ...kept, page: String(to), 'per-page': String(limit) });
    return `<?${query}>; rel="${rel}"`;
  };
  const links = [link('first', 1), link('last', pages)];
  if (page > 1) links.push(link('prev', Math.min(page - 1, pages)));
  if (page < pages) links.push(link('next', page + 1));
  reply.headers({
    'x-pagination-total-count': total,
    'x-pagination-page-count': pages,
    'x-pagination-current-page': page,
    'x-pagination-per-page': limit,
  });
  setLinks(reply, links);
}

/** A field name or a path of names. Keys and tokens are longer, so that none is repeated. */
const FIELD_PATH = /^\w{1,23}(\.\w{1,23})*$/;

/** Returns the query parameters that links repeat: only declared ones, which cannot be credentials. */
function repeatedParameters(request: FastifyRequest): Record<string, string> {
  const { fields, ...query } = request.query as Record<string, unknown>;
  const known = (request.routeOptions.schema?.querystring as { properties?: object } | undefined)?.properties ?? {};
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(known, name) || Object.hasOwn(CursorQuery.properties, name)) continue;
    if (typeof value === 'object' && value !== null)
      for (const [inner, text] of Object.entries(value)) kept[`${name}[${inner}]`] = String(text);
    else kept[name] = String(value);
  }
  const names = typeof fields === 'string' ? fields.split(',').filter((field) => FIELD_PATH.test(field.trim())) : [];
  return names.length > 0 ? { ...kept, fields: names.join(',') } : kept;
}
