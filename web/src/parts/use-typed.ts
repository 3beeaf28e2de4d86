import { useEffect, useState } from 'preact/hooks';

/** A pause in typing starts a search. */
export const TYPING_MS = 250;

/** Returns the text that a person types, as it was at the last pause. */
export function useTypedText(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}
