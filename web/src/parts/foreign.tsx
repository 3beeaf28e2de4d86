import './foreign.css';

/** A text from outside: a memo, a comment, an error of another service. Always text, in its own direction, and wrapped. */
export function Foreign({ text }: { text: string }) {
  return <bdi class="foreign">{text}</bdi>;
}
