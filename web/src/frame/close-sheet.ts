import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

/**
 * Returns a function that closes the sheet of the present address and shows `parent`, the address of the screen below it. If the sheet was
 * opened from there, that is the step back of the browser, so that Back does not open the sheet again.
 */
export function useCloseSheet(parent: string): () => void {
  const [path, navigate] = useLocation();
  const visits = useRef({ path, previous: '' });
  useEffect(() => {
    if (visits.current.path !== path) visits.current = { path, previous: visits.current.path };
  }, [path]);
  return () => {
    if (visits.current.path !== parent && visits.current.previous === parent) history.back();
    else navigate(parent, { replace: true });
  };
}
