import { useEffect, useState } from 'preact/hooks';

/** Returns whether an element has been scrolled out above the visible part of the page. */
export function useIsAbove(element: { readonly current: HTMLElement | null }): boolean {
  const [isAbove, setIsAbove] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry) setIsAbove(!entry.isIntersecting && entry.boundingClientRect.top < 0);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isAbove;
}
