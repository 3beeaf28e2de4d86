import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Note } from './note.tsx';

export interface FormProps {
  readonly class?: string;
  /** Runs when all fields are valid. */
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** A form that code submits. It shows its own messages at invalid fields and focuses the first: the browser's are in the browser's language. */
export function Form({ class: look = 'stack', onSubmit, children }: FormProps) {
  const [problem, setProblem] = useState<string>();
  return (
    <form
      class={look}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const invalid = event.currentTarget.querySelector<HTMLInputElement>(':is(input, select, textarea):invalid');
        setProblem(invalid ? problemOf(invalid) : undefined);
        if (!invalid) return onSubmit();
        // A field in a closed <details> cannot be focused.
        invalid.closest('details')?.setAttribute('open', '');
        invalid.focus();
      }}
    >
      {children}
      {problem !== undefined && <Note tone="error">{problem}</Note>}
    </form>
  );
}

function problemOf({ labels, validity, minLength }: HTMLInputElement): string {
  const name = labels?.[0]?.innerText.split('\n', 1)[0] ?? '';
  if (validity.valueMissing) return t.common.fieldMissing(name);
  return validity.tooShort ? t.common.fieldShort(name, minLength) : t.common.fieldInvalid(name);
}
