import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useWalletSearch } from '../../parts/wallet-names.ts';
import { phone } from '../../texts/en-phone.ts';
import { t } from '../../texts/texts.ts';
import './choose.css';

/** `/receive` */
export function ReceiveScreen() {
  return <Choose action="receive" />;
}

/** `/send` */
export function SendScreen() {
  return <Choose action="send" />;
}

/** Asks for the wallet, unless there is only one, and opens its sheet. */
function Choose({ action }: { action: 'receive' | 'send' }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const { wallets, isCurrent, error } = useWalletSearch(text);
  const only = text === '' && wallets?.length === 1 ? wallets[0] : undefined;
  useEffect(() => {
    if (only) navigate(`/wallets/${only.id}/${action}`, { replace: true });
  }, [only?.id]);
  const title = phone.choose.titles[action];
  const isEmpty = text === '' && wallets?.length === 0;
  return (
    <>
      <PageHead title={title} />
      {error !== undefined && <LoadError error={error} onRetry={() => location.reload()} />}
      {isEmpty && (
        <Empty icon="wallet" title={t.wallets.emptyTitle} action={<LinkButton href="/wallets/new">{t.wallets.newWallet}</LinkButton>}>
          {t.wallets.empty}
        </Empty>
      )}
      {!isEmpty && !only && error === undefined && (
        <Card isPadded>
          <TextField label={phone.choose.search} value={text} onValue={setText} autocomplete="off" maxLength={255} />
          {wallets === undefined ? (
            <SkeletonRows count={5} />
          ) : (
            <ul class="choices">
              {wallets.map(({ id, label }) => (
                <li key={id}>
                  <Link href={`/wallets/${id}/${action}`} replace>
                    <Icon name="wallet" />
                    <bdi class="shrink">{label}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
          )}
          <p class="small secondary" role="status">
            {isCurrent ? wallets?.length === 0 && t.common.noWalletFound : t.common.searching}
          </p>
        </Card>
      )}
    </>
  );
}
