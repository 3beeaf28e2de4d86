import { Foreign } from '../parts/foreign.tsx';
import { Note } from '../parts/note.tsx';
import { money } from '../texts/en-money.ts';
import type { SuccessAction as Action } from './attempt.ts';

/** What the payee shows after the payment (LUD-09). All of it is the payee's text. */
export function SuccessAction({ action }: { action: Action }) {
  const url = action.url !== undefined && /^https?:/i.test(action.url) ? action.url : undefined;
  const texts = [action.message, action.description, action.plaintext ?? undefined].filter((text) => text !== undefined && text !== '');
  return (
    <Note tone="good">
      <p class="tiny secondary">{money.attempt.payeeSays}</p>
      {texts.map((text) => (
        <p key={text}>
          <Foreign text={text ?? ''} />
        </p>
      ))}
      {url !== undefined && (
        <a href={url} target="_blank" rel="noopener noreferrer">
          <Foreign text={url} />
        </a>
      )}
    </Note>
  );
}
