import type { ComponentChildren } from 'preact';

export interface FormProps {
  readonly class?: string;
  /** Runs when the browser accepts all fields. */
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** Fields that the page sends itself. */
export function Form({ class: look = 'stack', onSubmit, children }: FormProps) {
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
