import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useNavigation } from './navigation.tsx';
import { type Shortcuts, useShortcuts } from './shortcuts.ts';

type PaletteComponent = ComponentType<{ onClose: () => void }>;

/** Opens the palette with Ctrl K, and the screens with G and a letter. The palette's code is loaded at its first use. */
export function usePalette() {
  const [isOpen, setIsOpen] = useState(false);
  const [Palette, setPalette] = useState<PaletteComponent>();
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
  useEffect(() => {
    if (isOpen && !Palette) import('./palette.tsx').then((file) => setPalette(() => file.Palette));
  }, [isOpen, Palette]);
  return {
    Palette: isOpen ? Palette : undefined,
    open: useCallback(() => setIsOpen(true), []),
    close: useCallback(() => setIsOpen(false), []),
  };
}
