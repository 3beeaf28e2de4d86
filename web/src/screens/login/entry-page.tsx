import type { ComponentChildren } from 'preact';
import { Form } from '../../parts/form.tsx';
import { Logo } from '../../parts/logo.tsx';
import './entry-page.css';

export interface EntryPageProps {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** The page of a person who is not logged in: one form in the middle. */
export function EntryPage({ title, text, onSubmit, children }: EntryPageProps) {
  return (
    <main class="entry-page">
      <Form class="entry-form" onSubmit={onSubmit}>
        <Logo size={36} />
        <div>
          <h1>{title}</h1>
          {text !== undefined && <p class="secondary">{text}</p>}
        </div>
        {children}
      </Form>
    </main>
  );
}
