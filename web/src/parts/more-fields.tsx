import type { ComponentChildren } from 'preact';

export interface MoreFieldsProps {
  readonly title: string;
  /** An error stays visible, because it disables the button of the form. */
  readonly hasError: boolean;
  readonly children: ComponentChildren;
}

/** The optional fields of a form, folded until they are opened. */
export function MoreFields({ title, hasError, children }: MoreFieldsProps) {
  return (
    <details>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: A summary is a button. */}
      <summary onClick={(event) => hasError && event.preventDefault()}>{title}</summary>
      {children}
    </details>
  );
}
