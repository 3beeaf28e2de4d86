import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Returns a reference for the element that `#<name>` scrolls to. The element may be loaded after the page. */
export function useAnchor(name: string): RefObject<HTMLDivElement> {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const show = () => {
      if (location.hash === `#${name}`) element.current?.scrollIntoView({ block: 'center' });
    };
    show();
    // The router announces its navigation with this event.
    addEventListener('pushState', show);
    return () => removeEventListener('pushState', show);
  }, []);
  return element;
}
