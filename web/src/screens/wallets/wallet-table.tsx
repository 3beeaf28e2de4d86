import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Wallet } from '../../api/client.ts';
import { useNodeState } from '../../api/service-state.ts';
import { useShortcuts } from '../../frame/shortcuts.ts';
import { AmountName, Balance, Sats } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';

export function WalletTable({ wallets }: { wallets: readonly Wallet[] }) {
  useRowKeys();
  return (
    <table class="table wallets-table">
      <thead>
        <tr>
          <th>{t.wallets.wallet}</th>
          <th class="desktop-only">{t.wallets.created}</th>
          <th class="end desktop-only">{t.wallets.inFlight}</th>
          <th class="end">
            <AmountName>{t.wallets.balance}</AmountName>
          </th>
          <th class="desktop-only">
            <span class="visually-hidden">{t.wallets.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {wallets.map((wallet) => (
          <WalletRow key={wallet.id} wallet={wallet} />
        ))}
      </tbody>
    </table>
  );
}

function WalletRow({ wallet }: { wallet: Wallet }) {
  const { id, user_label, balance, pending_msat, created_at, statusType } = wallet;
  const { canSend, canReceive } = useNodeState(wallet.ln_node_id);
  const name = user_label || t.wallets.unnamed;
  const isActive = statusType.name !== 'inactive';
  const held = pending_msat > 0 && (
    <>
      <Icon name="clock" size={15} /> <Sats sats={Math.ceil(pending_msat / 1000)} unit />
    </>
  );
  return (
    <tr class="clickable">
      <td>
        <Link class="name" href={`/wallets/${id}`}>
          <bdi>{name}</bdi>
        </Link>
        {!isActive && <Badge tone="plain">{t.wallets.inactive}</Badge>}
        {held && (
          <span class="sub phone-only">
            {held} {t.wallets.heldSuffix}
          </span>
        )}
      </td>
      <td class="desktop-only secondary">
        <Time at={created_at} />
      </td>
      <td class="end desktop-only held">{held}</td>
      <td class="end strong">
        <Balance sats={balance} />
      </td>
      <td class="desktop-only end">
        <span class="wallet-actions">
          {canReceive && (
            <LinkButton kind="quiet" size="small" icon="in" href={`/wallets/${id}/receive`} label={t.wallets.receiveTo(name)} />
          )}
          {canSend && isActive && (
            <LinkButton kind="quiet" size="small" icon="out" href={`/wallets/${id}/send`} label={t.wallets.sendFrom(name)} />
          )}
        </span>
      </td>
    </tr>
  );
}

/** J and K move the focus through the rows; Enter opens one, because its name is a link. */
function useRowKeys(): void {
  useShortcuts(useMemo(() => ({ j: () => moveFocus(1), k: () => moveFocus(-1) }), []));
}

function moveFocus(step: number): void {
  const names = [...document.querySelectorAll<HTMLElement>('.wallets-table .name')];
  const present = names.indexOf(document.activeElement as HTMLElement);
  names[present === -1 ? 0 : Math.min(names.length - 1, Math.max(0, present + step))]?.focus();
}
