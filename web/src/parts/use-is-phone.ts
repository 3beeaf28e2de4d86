import { useEffect, useState } from 'preact/hooks';

/** The width up to which the layout is that of a phone, as in the style sheets. */
export const PHONE = '(max-width: 720px)';

/** Returns whether the window has the width of a phone: for what a phone must not load or shows elsewhere. Looks belong to the style sheets. */
export function useIsPhone(): boolean {
  return useMedia(PHONE);
}

/** Returns whether the window matches a media query, and renders again when that changes. */
export function useMedia(text: string): boolean {
  const [isMatch, setIsMatch] = useState(() => matchMedia(text).matches);
  useEffect(() => {
    const query = matchMedia(text);
    const follow = () => setIsMatch(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [text]);
  return isMatch;
}
