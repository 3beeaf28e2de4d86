import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import './page-head.css';

export interface PageHeadProps {
  /** Also the title of the tab. */
  readonly title: string;
  /** Beside the title, such as a status. */
  readonly aside?: ComponentChildren;
  /** Below the title, such as the one large number of the page. */
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The page above this one. */
  readonly parent?: { readonly href: string; readonly label: string };
  /** The last item of the breadcrumb. Default: the title. */
  readonly breadcrumb?: string;
}

/** The head of a screen: its only `h1`, and its actions. */
export function PageHead({ title, aside, children, actions, parent, breadcrumb = title }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Satchel`;
  }, [title]);
  return (
    <header class="page-head">
      {parent && (
        <nav class="small" aria-label="Breadcrumb">
          <Link href={parent.href}>
            <bdi>{parent.label}</bdi>
          </Link>
          <span class="faint">/</span>
          <bdi class="shrink">{breadcrumb}</bdi>
        </nav>
      )}
      <div class="page-title">
        <div class="shrink">
          <div class="row wrap">
            <h1>
              <bdi>{title}</bdi>
            </h1>
            {aside}
          </div>
          {children}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
    </header>
  );
}
