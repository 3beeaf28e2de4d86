import type { ComponentChildren } from 'preact';
import type { RequestOptions } from '../../../client/satchel.js';
import { type ListPage, readListPage } from '../api/list.ts';
import { type Resource, type ResourceOptions, useResource } from '../api/resource.ts';
import { ListFooter, usePages } from './pages.tsx';

const PER_PAGE = 50;

/** The parameters that every list of the API has. */
export interface ListRequest {
  readonly 'per-page': number;
  readonly count: 1;
  readonly after?: string;
}

export interface ShownList<T> {
  readonly page: Resource<ListPage<T>>;
  /** The {@link ListFooter}. */
  readonly footer: ComponentChildren;
  /** The newest items are shown, so that new ones appear. */
  readonly isFirstPage: boolean;
}

/** Shows a list of the API page by page, newest first. `key` identifies the list, with its filters; without it nothing is loaded. */
export function useList<T extends { readonly id: string | number }>(
  key: string | undefined,
  send: (request: ListRequest, options: RequestOptions) => Promise<readonly T[]>,
  { perPage = PER_PAGE, csv, ...options }: ResourceOptions & { readonly perPage?: number; readonly csv?: string } = {},
): ShownList<T> {
  const pages = usePages(key);
  const { after } = pages;
  const page = useResource(
    key === undefined ? undefined : `${key} ${after}`,
    (signal) => readListPage((own) => send({ 'per-page': perPage, count: 1, ...(after !== undefined && { after }) }, own), signal),
    options,
  );
  return { page, footer: <ListFooter pages={pages} page={page.data} perPage={perPage} csv={csv} />, isFirstPage: pages.isFirst };
}
