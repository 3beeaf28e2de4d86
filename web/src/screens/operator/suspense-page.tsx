import { PageHead } from '../../parts/page-head.tsx';
import { t } from '../../texts/texts.ts';
import { OperatorTabs } from './operator-tabs.tsx';
import { Suspense } from './suspense.tsx';
import './operator.css';

/** `/operator/suspense`: all money that arrived for no wallet. */
export function SuspenseScreen() {
  return (
    <>
      <PageHead title={t.operator.suspense.title} />
      <OperatorTabs />
      <Suspense />
    </>
  );
}
