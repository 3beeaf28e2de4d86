import { Link, useLocation } from 'wouter-preact';
import { useSession } from '../api/session.tsx';
import { Icon } from '../parts/icon.tsx';
import { NAVIGATION, type NavigationEntry } from '../routes.ts';
import { t } from '../texts/texts.ts';

/** The links to the screens that the person may open. The bar of a phone has room for five. */
export function Navigation({ isBar = false }: { isBar?: boolean }) {
  const entries = useNavigation();
  if (isBar) return entries.filter((entry) => entry.isInBar).map((entry) => <Entry key={entry.path} entry={entry} />);
  const [own, operators] = [false, true].map((isForOperators) =>
    entries.filter((entry) => (entry.isForOperators === true) === isForOperators),
  );
  return (
    <>
      {own?.map((entry) => (
        <Entry key={entry.path} entry={entry} />
      ))}
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

function Entry({ entry }: { entry: NavigationEntry }) {
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
