import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import { setLinks } from './links.ts';

export const PageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'The number of the page, from 1' })),
  'per-page': Type.Optional(
    Type.Integer({ minimum: 1, mayBeEmpty: true, description: 'The number of items on a page. Default: 50, at most 100' }),
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
const MAX_PER_PAGE = 100;

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
  setLinks(request, reply, { next: { after, 'per-page': limit } });
}

/** Sets the totals and the links to other pages (RFC 8288). Links are relative and contain no credential. */
export function setPageHeaders(request: FastifyRequest, reply: FastifyReply, { page, limit }: Page, total: number): void {
  const pages = Math.max(1, Math.ceil(total / limit));
  const to = (number: number) => ({ page: number, 'per-page': limit });
  reply.headers({
    'x-pagination-total-count': total,
    'x-pagination-page-count': pages,
    'x-pagination-current-page': page,
    'x-pagination-per-page': limit,
  });
  setLinks(request, reply, {
    first: to(1),
    last: to(pages),
    ...(page > 1 && { prev: to(Math.min(page - 1, pages)) }),
    ...(page < pages && { next: to(page + 1) }),
  });
}
