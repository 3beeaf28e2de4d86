import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Button } from '../parts/button.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Logo } from '../parts/logo.tsx';
import { Toasts } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { Banner } from './banner.tsx';
import { Bar } from './bar.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Navigation } from './navigation.tsx';
import { Person } from './person.tsx';
import { usePalette } from './use-palette.ts';
import './frame.css';

const Palette = lazy(() => import('./palette.tsx').then((file) => file.Palette));
const ShortcutList = lazy(() => import('./shortcut-list.tsx').then((file) => file.ShortcutList));

/** The frame around every screen: the navigation at the side, on a phone at the top and the bottom. */
export function Frame({ children }: { children: ComponentChildren }) {
  const palette = usePalette();
  return (
    <div class="frame">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page. */}
      <a class="button primary skip-link" href="#content" onClick={skipToContent}>
        {t.common.skipToContent}
      </a>
      <header class="top phone-only">
        <Brand />
        <Button kind="quiet" icon="search" label={t.palette.open} class="push" onClick={palette.open} />
      </header>
      <nav class="rail" aria-label={t.navigation.main}>
        <Brand />
        <Button class="search" icon="search" onClick={palette.open}>
          {t.common.search}
          <kbd>Ctrl K</kbd>
        </Button>
        <Navigation />
        <Person />
      </nav>
      <Content>
        {children}
        <ErrorBoundary place={String(palette.shown)}>
          {palette.shown === 'palette' && <Palette onClose={palette.close} />}
          {palette.shown === 'shortcuts' && <ShortcutList onClose={palette.close} />}
        </ErrorBoundary>
      </Content>
      <Bar />
      <Toasts />
    </div>
  );
}

/** After a change of the page, the focus is at its start, as after a page load. Not for sheets, which move the focus themselves. */
function Content({ children }: { children: ComponentChildren }) {
  const [path] = useLocation();
  const page = path.split('/').slice(0, 3).join('/');
  const element = useRef<HTMLElement>(null);
  const previous = useRef({ page, hadSheet: false });
  useEffect(() => {
    const hasSheet = document.querySelector('dialog[open]') !== null;
    const { page: left, hadSheet } = previous.current;
    previous.current = { page, hadSheet: hasSheet };
    if (left === page || hasSheet || hadSheet) return;
    scrollTo(0, 0);
    element.current?.focus({ preventScroll: true });
  }, [page]);
  return (
    <main class="content" id="content" tabIndex={-1} ref={element}>
      <Banner />
      {children}
    </main>
  );
}

/** Without a change of the address, whose `#` belongs to the screens. */
function skipToContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Brand() {
  return (
    <Link class="brand" href="/wallets">
      <Logo />
      Satchel
    </Link>
  );
}
