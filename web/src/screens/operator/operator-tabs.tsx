import { useLocation } from 'wouter-preact';
import { Tabs } from '../../parts/tabs.tsx';
import { t } from '../../texts/texts.ts';

const PATHS = ['', '/payments', '/suspense', '/channels', '/reconciliation', '/proofs', '/instances', '/limits'] as const;

/** The pages of the operator. */
export function OperatorTabs() {
  const [path] = useLocation();
  return (
    <Tabs
      label={t.operator.pages}
      tabs={PATHS.map((end) => ({ href: `/operator${end}`, label: t.operator.tabs[end] ?? end, isCurrent: path === `/operator${end}` }))}
    />
  );
}
