import { useEffect, useState } from 'preact/hooks';

/** The width up to which the layout is that of a phone, as in the style sheets. */
const PHONE = '(max-width: 720px)';

/** Returns whether the window has the width of a phone: for what a phone must not load or shows elsewhere. Looks belong to the style sheets. */
export function useIsPhone(): boolean {
  const [isPhone, setIsPhone] = useState(() => matchMedia(PHONE).matches);
  useEffect(() => {
    const query = matchMedia(PHONE);
    const follow = () => setIsPhone(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return isPhone;
}
