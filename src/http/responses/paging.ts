import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../kernel/refusal.ts';

export const PageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'From 1' })),
  'per-page': Type.Optional(Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'Default 50, at most 500' })),
});

/** For lists with a cursor: `after=<id>` gives what follows that item, at the same cost however deep. Not together with `page`. */
export const CursorQuery = Type.Object({
  ...PageQuery.properties,
  after: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the item after which to go on' })),
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
  // Far past the end is as empty as just past it, and no database has to count that far.
  return { page, limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/** @throws Refusal when a cursor and a page number are asked for together. */
export function rejectPageWithAfter(query: { page?: number; after?: string }): void {
  if (query.page !== undefined && query.after !== undefined)
    throw new Refusal('validation_failed', '`page` and `after` exclude each other: send one of them.');
}

/** The next page of a cursor, while there may be one. */
export function setCursorHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  limit: number,
  items: readonly { readonly id: string }[],
): void {
  setNextLink(request, reply, limit, items.length < limit ? undefined : items.at(-1)?.id);
}

/** The link to what follows a cursor; none at the end. */
export function setNextLink(request: FastifyRequest, reply: FastifyReply, limit: number, after: string | undefined): void {
  reply.header('x-pagination-per-page', limit);
  if (after === undefined) return;
  const query = new URLSearchParams({ ...repeatable(request), after, 'per-page': String(limit) });
  setLinks(reply, [`<?${query}>; rel="next"`]);
}

/** Clients refuse answers with more than 16 kB of headers, and what the request asks stands in every link. */
const MAX_LINKS_LENGTH = 8192;

function setLinks(reply: FastifyReply, links: readonly string[]): void {
  const text = links.join(', ');
  if (text.length <= MAX_LINKS_LENGTH) reply.header('link', text);
}

/** The totals and the neighbours of a page (RFC 8288). Links are relative and never repeat a credential or a path key. */
export function setPageHeaders(request: FastifyRequest, reply: FastifyReply, { page, limit }: Page, total: number): void {
  const pages = Math.max(1, Math.ceil(total / limit));
  const kept = repeatable(request);
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

/** One name of a field, or a path of them; every key and token is longer than that. */
const FIELD_PATH = /^\w{1,23}(\.\w{1,23})*$/;

/** The part of the query that a link repeats: what the route knows, so that no credential is in it, however it was sent. */
function repeatable(request: FastifyRequest): Record<string, string> {
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
