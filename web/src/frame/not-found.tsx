import { LinkButton } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { t } from '../texts/texts.ts';

/** The address is unknown, or its screen is for operators. */
export function NotFoundScreen() {
  return (
    <>
      <PageHead title={t.common.notFoundTitle} />
      <Empty icon="search" title={t.common.notFoundTitle} action={<LinkButton href="/wallets">{t.navigation.wallets}</LinkButton>}>
        {t.common.notFound}
      </Empty>
    </>
  );
}
