import { useState } from 'preact/hooks';
import type { ListPage } from '../api/list.ts';
import { formatCount } from '../texts/count.ts';
import { lists } from '../texts/en-lists.ts';
import { Button, LinkButton } from './button.tsx';

interface Cursors {
  readonly list: string | undefined;
  /** The ids of the items before the pages that were turned; the last one begins this page. */
  readonly ids: readonly string[];
}

/** The position in a list. Another list, such as one with other filters, begins at its first page. */
export function usePages(list?: string) {
  const [cursors, setCursors] = useState<Cursors>({ list, ids: [] });
  const ids = cursors.list === list ? cursors.ids : [];
  return {
    after: ids.at(-1),
    /** The number of pages before this one. */
    depth: ids.length,
    reset: () => setCursors({ list, ids: [] }),
    older: (id: string) => setCursors({ list, ids: [...ids, id] }),
    newer: () => setCursors({ list, ids: ids.slice(0, -1) }),
    isFirst: ids.length === 0,
  };
}

export type PageTurner = ReturnType<typeof usePages>;

interface ListFooterProps {
  readonly pages: Pick<PageTurner, 'depth' | 'isFirst' | 'newer' | 'older'> & { readonly newerLabel?: string };
  /** The present page; undefined while it is loaded. */
  readonly page: ListPage<unknown> | undefined;
  /** The most items of a page. */
  readonly perPage: number;
  /** For lists that do not begin with the newest. */
  readonly names?: { readonly newer: string; readonly older: string };
  /** The URL of the whole list as CSV. */
  readonly csv?: string | undefined;
}

/** Which items of how many are shown, the link that saves all of them, and the buttons that turn the pages. */
export function ListFooter({ pages, page, perPage, names = lists, csv }: ListFooterProps) {
  if (!page || (pages.isFirst && page.items.length === 0 && page.next === undefined)) return null;
  const { items, next, total, isCapped } = page;
  const first = pages.depth * perPage + 1;
  return (
    <>
      <span class="small secondary number">
        {items.length > 0 &&
          lists.shown(
            formatCount(first),
            formatCount(first + items.length - 1),
            total === undefined ? undefined : formatCount(total),
            isCapped,
          )}
      </span>
      {csv !== undefined && (
        <LinkButton size="small" icon="download" href={csv} download="">
          {lists.export}
        </LinkButton>
      )}
      {(!pages.isFirst || next !== undefined) && (
        <>
          <Button size="small" class="push" disabled={pages.isFirst} onClick={pages.newer}>
            {pages.newerLabel ?? names.newer}
          </Button>
          <Button size="small" disabled={next === undefined} onClick={() => next !== undefined && pages.older(next)}>
            {names.older}
          </Button>
        </>
      )}
    </>
  );
}
