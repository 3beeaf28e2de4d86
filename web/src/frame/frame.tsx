import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { useSession } from '../api/session.tsx';
import { Icon } from '../parts/icon.tsx';
import { Logo } from '../parts/logo.tsx';
import { NAVIGATION, type NavigationEntry } from '../routes.ts';
import { t } from '../texts/texts.ts';
import './frame.css';

/** The frame around every screen: the navigation at the side, on a phone at the bottom. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { account } = useSession();
  const entries = NAVIGATION.filter(({ isForOperators }) => !isForOperators || account.role === 'operator');
  return (
    <div class="frame">
      <a class="button primary skip-link" href="#content">
        {t.common.skipToContent}
      </a>
      <nav class="rail" aria-label={t.navigation.main}>
        <Link class="brand" href="/wallets">
          <Logo />
          Satchel
        </Link>
        {entries
          .filter(({ isForOperators }) => !isForOperators)
          .map((entry) => (
            <Entry key={entry.path} entry={entry} />
          ))}
        {account.role === 'operator' && <h2>{t.navigation.operatorGroup}</h2>}
        {entries
          .filter(({ isForOperators }) => isForOperators)
          .map((entry) => (
            <Entry key={entry.path} entry={entry} />
          ))}
      </nav>
      <main class="content" id="content" tabIndex={-1}>
        {children}
      </main>
      <nav class="bar" aria-label={t.navigation.main}>
        {entries
          .filter(({ isInBar }) => isInBar)
          .map((entry) => (
            <Entry key={entry.path} entry={entry} />
          ))}
      </nav>
    </div>
  );
}

function Entry({ entry }: { entry: NavigationEntry }) {
  const [path] = useLocation();
  const isCurrent = path === entry.path || path.startsWith(`${entry.path}/`);
  return (
    <Link class="entry" href={entry.path} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={entry.icon} />
      <span>{entry.label}</span>
    </Link>
  );
}
