import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useNavigation } from './navigation.tsx';
import { type Shortcuts, useShortcuts } from './shortcuts.ts';

/** Opens the palette with Ctrl K, and the screens with G and a letter. */
export function usePalette() {
  const [isOpen, setIsOpen] = useState(false);
  const [, navigate] = useLocation();
  const navigation = useNavigation();
  const goTo: Shortcuts = useMemo(
    () => Object.fromEntries(navigation.flatMap(({ path, letter }) => (letter ? [[`g ${letter}`, () => navigate(path)]] : []))),
    [navigation.length, navigate],
  );
  useShortcuts(goTo);
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setIsOpen(true);
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return {
    isOpen,
    open: useCallback(() => setIsOpen(true), []),
    close: useCallback(() => setIsOpen(false), []),
  };
}
