import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';
import { useIsReachable } from '../api/service-state.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { t } from '../texts/texts.ts';
import { useNavigation } from './navigation.tsx';
import { useCurrentWallet } from './recent-wallet.ts';

/** The bar at the bottom of a phone: what a thumb needs most. It acts on the wallet that is open, or was open last; without one, it asks. */
export function Bar() {
  const [path] = useLocation();
  const wallet = useCurrentWallet();
  /** Without the service, nothing that moves money is offered. */
  const isOff = !useIsReachable();
  const ofWallet = wallet === undefined ? '' : `/wallets/${wallet}`;
  const isOf = (start: string) => path === start || path.startsWith(`${start}/`);
  const counts = useNavigation().map(({ path: key, count: Count }) => Count && <Count key={key} />);
  return (
    <nav class="bar" aria-label={t.navigation.bar}>
      <Entry href={ofWallet || '/wallets'} icon="wallet" label={t.wallet.title} isCurrent={isOf('/wallets')} />
      <Entry isOff={isOff} href={`${ofWallet}/receive`} icon="in" label={t.wallet.receive} isCurrent={isOf('/receive')} />
      <Entry isOff={isOff} href="/scan" icon="scan" label={t.navigation.scan} isCurrent={isOf('/scan')} />
      <Entry isOff={isOff} href={`${ofWallet}/send`} icon="out" label={t.wallet.send} isCurrent={isOf('/send')} />
      <Entry href="/more" icon="menu" label={t.navigation.more} isCurrent={isOf('/more')}>
        {counts}
      </Entry>
    </nav>
  );
}

interface EntryProps {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly isOff?: boolean;
  readonly children?: ComponentChildren;
}

function Entry({ href, icon, label, isCurrent, isOff = false, children }: EntryProps) {
  const inside = (
    <>
      <span class="sign">
        <Icon name={icon} size={icon === 'scan' ? 26 : 22} />
      </span>
      {label}
      {children}
    </>
  );
  if (isOff) return <span class={`entry off ${icon}`}>{inside}</span>;
  return (
    <Link class={`entry ${icon}`} href={href} aria-current={isCurrent ? 'page' : undefined}>
      {inside}
    </Link>
  );
}
