import type { ListPage } from '../../api/list.ts';
import { ListFooter, type PageTurner } from '../../parts/pages.tsx';
import { desk } from '../../texts/en-desk.ts';

export interface TurnPagesProps {
  readonly pages: PageTurner;
  /** The present page; undefined while it is loaded. */
  readonly page: ListPage<unknown> | undefined;
  readonly perPage: number;
  readonly isOldestFirst?: boolean;
}

/** At the end of a card: which items of how many it shows, and the buttons that turn the pages. Nothing for an empty list. */
export function TurnPages({ pages, page, perPage, isOldestFirst = false }: TurnPagesProps) {
  if (!page || (pages.isFirst && page.items.length === 0)) return null;
  return (
    <div class="padded row wrap">
      <ListFooter pages={pages} page={page} perPage={perPage} {...(isOldestFirst && { names: desk.oldestFirst })} />
    </div>
  );
}
