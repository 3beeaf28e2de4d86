import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';

/** The ids of the items before the pages that were turned; the last one begins this page. */
export function usePages() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    after: cursors.at(-1),
    reset: () => setCursors([]),
    older: (id: string) => setCursors([...cursors, id]),
    newer: () => setCursors(cursors.slice(0, -1)),
    isFirst: cursors.length === 0,
  };
}

/** The buttons that turn the pages. `last`: the id of the last item of this page; undefined at the end of the list. */
export function Pager({ pages, last }: { readonly pages: ReturnType<typeof usePages>; readonly last: string | undefined }) {
  if (pages.isFirst && last === undefined) return null;
  return (
    <div class="row">
      {!pages.isFirst && (
        <Button size="small" onClick={pages.newer}>
          {t.wallet.newer}
        </Button>
      )}
      {last !== undefined && (
        <Button size="small" class="push" onClick={() => pages.older(last)}>
          {t.wallet.older}
        </Button>
      )}
    </div>
  );
}
