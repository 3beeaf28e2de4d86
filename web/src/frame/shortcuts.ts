import { useEffect } from 'preact/hooks';

/** A key, or two keys one after the other: `r`, `g w`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** The time between the two keys of a sequence. */
const SEQUENCE_MS = 1_000;

/** Runs the function of a key while no field has the focus, no sheet is open and no modifier is pressed. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    let first = '';
    let firstAt = 0;
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const key = event.key.toLowerCase();
      const sequence = Date.now() - firstAt < SEQUENCE_MS ? `${first} ${key}` : key;
      [first, firstAt] = [key, Date.now()];
      const run = shortcuts[sequence] ?? shortcuts[key];
      if (!run) return;
      event.preventDefault();
      run();
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [shortcuts]);
}

/** Returns whether keys and pasted text belong to a field. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
}
