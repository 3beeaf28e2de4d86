import type { Wallet } from '../../api/client.ts';
import { useIsReachable, useNodeState } from '../../api/service-state.ts';
import { useSession } from '../../api/session.tsx';
import { SERVICE_URL } from '../../base-path.ts';
import { HeroAmount, HeroSkeleton } from '../../parts/amount.tsx';
import { Badge, StatusBadge } from '../../parts/badge.tsx';
import { Button, LinkButton, type LinkButtonProps } from '../../parts/button.tsx';
import { Menu, type MenuEntry } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { t } from '../../texts/texts.ts';
import { PhoneHead } from './phone-head.tsx';

/** The name of the wallet, what it can spend, and what can be done with it. */
export function WalletHead({ id, wallet }: { id: string; wallet: Wallet | undefined }) {
  const path = `/wallets/${id}`;
  const { canSend, canReceive, reason } = useNodeState(wallet?.ln_node_id);
  const isActive = wallet?.statusType.name !== 'inactive';
  const isReachable = useIsReachable();
  const canTransfer = isActive && isReachable;
  const isOperator = useSession().account.role === 'operator';
  const title = wallet?.user_label || (wallet ? t.wallets.unnamed : t.wallet.title);
  const inactive = <Badge tone="plain">{t.wallets.inactive}</Badge>;
  const hero = wallet ? <HeroAmount sats={wallet.balance} caption={t.wallet.spendable} /> : <HeroSkeleton width="240px" />;
  const menu = menuOf({ path, id, isActive, isOperator });
  if (useIsPhone()) {
    const transfer: MenuEntry[] = canTransfer ? [{ label: t.wallet.transfer, icon: 'transfer', href: `${path}/transfer` }] : [];
    return (
      <PhoneHead
        walletId={id}
        title={title}
        aside={!isActive && inactive}
        menu={<Menu label={t.wallet.more} entries={[...transfer, ...menu]} />}
      >
        {hero}
      </PhoneHead>
    );
  }
  return (
    <PageHead
      title={title}
      parent={{ href: '/wallets', label: t.wallets.title }}
      aside={wallet && (isActive ? <StatusBadge status="active" /> : inactive)}
      actions={
        <>
          <Action kind="primary" icon="in" href={`${path}/receive`} isPossible={canReceive} reason={reason}>
            {t.wallet.receive}
          </Action>
          <Action icon="out" href={`${path}/send`} isPossible={canSend && isActive} reason={reason ?? t.wallet.inactive}>
            {t.wallet.send}
          </Action>
          {/* A transfer needs no node. */}
          <Action icon="transfer" href={`${path}/transfer`} isPossible={canTransfer} reason={isActive ? reason : t.wallet.inactive}>
            {t.wallet.transfer}
          </Action>
          <Menu label={t.wallet.more} entries={menu} />
        </>
      }
    >
      {hero}
    </PageHead>
  );
}

/** A link to a sheet; a disabled button while it cannot work. The banner says why as well. */
function Action({ isPossible, reason, ...button }: LinkButtonProps & { isPossible: boolean; reason: string | undefined }) {
  if (isPossible) return <LinkButton {...button} />;
  const { kind, icon, children } = button;
  return (
    <span class="disabled-action" title={reason}>
      <Button {...(kind && { kind })} {...(icon && { icon })} disabled>
        {children}
        <span class="visually-hidden">{reason}</span>
      </Button>
    </span>
  );
}

interface MenuOptions {
  readonly path: string;
  readonly id: string;
  readonly isActive: boolean;
  readonly isOperator: boolean;
}

function menuOf({ path, id, isActive, isOperator }: MenuOptions): MenuEntry[] {
  return [
    { label: t.wallet.statement, icon: 'download', href: `${path}/statement` },
    { label: t.wallet.voucher, icon: 'ticket', href: `/links/withdraw?wallet=${id}` },
    { label: t.navigation.apps, icon: 'plug', href: `/connections?wallet=${id}` },
    { label: t.wallet.keys, icon: 'key', href: `/keys?wallet=${id}` },
    { label: t.wallet.proof, icon: 'lightning', href: `${SERVICE_URL}/v1/wallet/${id}/proof`, download: `${id}-proof.json` },
    { label: t.wallet.limits, icon: 'lock', href: `${path}/limits` },
    ...(isOperator ? [{ label: t.wallet.serviceFees, icon: 'ticket', href: `${path}/fees` } as const] : []),
    { label: t.wallet.rename, icon: 'settings', href: `${path}/rename` },
    isActive
      ? { label: t.wallet.deactivate, icon: 'stop', href: `${path}/deactivate` }
      : { label: t.wallet.activate, icon: 'done', href: `${path}/activate` },
  ];
}
