import type { ComponentChildren } from 'preact';
import './card.css';

export interface CardProps {
  readonly title?: ComponentChildren;
  /** Beside the title, at its end. */
  readonly actions?: ComponentChildren;
  readonly footer?: ComponentChildren;
  /** For content that has no rows of its own. */
  readonly isPadded?: boolean;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

export function Card({ title, actions, footer, isPadded = false, class: added, children }: CardProps) {
  return (
    <section class={['card', added].filter(Boolean).join(' ')}>
      {(title !== undefined || actions !== undefined) && (
        <header>
          {title !== undefined && <h2>{title}</h2>}
          {actions !== undefined && <div class="row wrap push">{actions}</div>}
        </header>
      )}
      {isPadded ? <div class="padded">{children}</div> : children}
      {footer !== undefined && <footer>{footer}</footer>}
    </section>
  );
}
