import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useNavigation } from './navigation.tsx';
import { type Shortcuts, useShortcuts } from './shortcuts.ts';

const OPEN = 'open-palette';

/** Opens the palette from a screen whose header replaces the search. */
export function openPalette(): void {
  dispatchEvent(new Event(OPEN));
}

/** Opens the palette with Ctrl K, the list of shortcuts with `?`, and the screens with G and a letter. `/` starts a search. */
export function usePalette() {
  const [shown, setShown] = useState<'palette' | 'shortcuts'>();
  const [, navigate] = useLocation();
  const navigation = useNavigation();
  const open = useCallback(() => setShown('palette'), []);
  const shortcuts: Shortcuts = useMemo(
    () => ({
      ...Object.fromEntries(navigation.flatMap(({ path, letter }) => (letter ? [[`g ${letter}`, () => navigate(path)]] : []))),
      '/': () => searchPage() || setShown('palette'),
      '?': () => setShown('shortcuts'),
    }),
    [navigation.length, navigate],
  );
  useShortcuts(shortcuts);
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setShown('palette');
    }
    addEventListener('keydown', onKey);
    addEventListener(OPEN, open);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener(OPEN, open);
    };
  }, []);
  return {
    shown,
    open,
    close: useCallback(() => setShown(undefined), []),
  };
}

/** Goes to the search or the filter of the page. @returns false if it has none */
function searchPage(): boolean {
  const search = document.querySelector<HTMLElement>('main [aria-keyshortcuts="/"]');
  if (search instanceof HTMLButtonElement) search.click();
  else search?.focus();
  return search !== null;
}
