import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import './foreign.css';

/** In UTF-16 code units. */
const SHORT = 600;

/** A text from outside: a memo, a comment, an error of another service. Always text, in its own direction, and wrapped. A long text is cut until asked for. */
export function Foreign({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = text.length > SHORT && !isWhole;
  return (
    <>
      <bdi class="foreign">{isCut ? `${text.slice(0, SHORT).toWellFormed()}…` : text}</bdi>
      {isCut && (
        <button type="button" class="show-all small" onClick={() => setIsWhole(true)}>
          {t.common.showAll}
        </button>
      )}
    </>
  );
}
