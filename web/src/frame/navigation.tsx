import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { useSession } from '../api/session.tsx';
import { Icon } from '../parts/icon.tsx';
import { t } from '../texts/texts.ts';
import { NAVIGATION, type NavigationEntry } from './entries.ts';

/** The links to the screens that the person may open. `children` are additional links, shown after those that every person has. */
export function Navigation({ children }: { children?: ComponentChildren }) {
  const entries = useNavigation();
  const [own, operators] = [false, true].map((isForOperators) =>
    entries.filter((entry) => (entry.isForOperators === true) === isForOperators),
  );
  return (
    <>
      {own?.map((entry) => (
        <Entry key={entry.path} entry={entry} />
      ))}
      {children}
      {operators && operators.length > 0 && <h2>{t.navigation.operatorGroup}</h2>}
      {operators?.map((entry) => (
        <Entry key={entry.path} entry={entry} />
      ))}
    </>
  );
}

/** Returns the entries for the role of the person. */
export function useNavigation(): readonly NavigationEntry[] {
  const { account } = useSession();
  return NAVIGATION.filter(({ isForOperators }) => !isForOperators || account.role === 'operator');
}

export function Entry({ entry }: { entry: NavigationEntry }) {
  const [path] = useLocation();
  const isCurrent = path === entry.path || path.startsWith(`${entry.path}/`);
  const Count = entry.count;
  return (
    <Link class="entry" href={entry.path} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={entry.icon} />
      <span>{entry.label}</span>
      {Count && <Count />}
    </Link>
  );
}
