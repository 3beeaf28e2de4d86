import { useState } from 'preact/hooks';
import { api, type WithdrawLink } from '../../api/client.ts';
import { formatMsat, Sats } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { useChosenWallet } from '../../parts/wallet-names.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';
import { isActive } from './pay-link-table.tsx';

/** The withdraw links of one wallet, which `?wallet=` chooses. */
export function WithdrawLinks() {
  const [search, change] = useFilters();
  const walletId = useChosenWallet(search);
  const key = walletId === '' ? undefined : `withdraw links ${walletId}`;
  const links = useList(key, (request, options) => api.withdrawLinks.list(walletId, request, options), {
    isAffected: ({ event }) => event.name === 'link_claimed' || event.name === 'wallet_send_failure',
  });
  return (
    <Card
      title={t.links.withdraw}
      actions={
        <div class="withdraw-of">
          <WalletSelect label={t.links.of} value={walletId} onValue={(wallet) => change({ wallet })} />
        </div>
      }
      footer={links.footer}
    >
      {key === undefined ? (
        <Empty icon="ticket" title={t.links.noWithdrawTitle}>
          {t.links.noWithdraw}
        </Empty>
      ) : (
        <Loaded resource={links.page}>
          {({ items }) => <WithdrawTable walletId={walletId} links={items} onChanged={links.page.reload} />}
        </Loaded>
      )}
    </Card>
  );
}

function WithdrawTable({ walletId, links, onChanged }: { walletId: string; links: readonly WithdrawLink[]; onChanged: () => void }) {
  const [revoking, setRevoking] = useState<WithdrawLink>();
  if (links.length === 0)
    return (
      <Empty icon="ticket" title={t.links.noWithdrawTitle}>
        {t.links.noWithdraw}
      </Empty>
    );
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th>{t.links.link}</th>
            <th class="end">{t.links.eachSats}</th>
            <th class="end desktop-only">{t.links.claimed}</th>
            <th class="desktop-only">{t.links.status}</th>
            <th class="end">
              <span class="visually-hidden">{t.links.revoke}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <tr key={link.id}>
              <td>
                <bdi class="name">{link.user_label || link.memo || t.links.unnamed}</bdi>
                <span class="sub">
                  <Time at={link.created_at} />
                  <span class="phone-only"> · {claimsOf(link)}</span>
                </span>
              </td>
              <td class="end">{link.num_satoshis === null ? t.links.balance : <Sats sats={link.num_satoshis} />}</td>
              <td class="end desktop-only secondary">
                {claimsOf(link)}
                <span class="sub">{formatMsat(link.claimed_msat)}</span>
              </td>
              <td class="desktop-only">{statusOf(link)}</td>
              <td class="end">
                {isActive(link) && (
                  <Button size="small" onClick={() => setRevoking(link)}>
                    {t.links.revoke}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {revoking && (
        <ConfirmSheet
          title={t.links.revokeTitle(revoking.user_label || revoking.memo || t.links.unnamed)}
          text={t.links.revokeText}
          action={t.links.revokeAction}
          onConfirm={async () => {
            await api.withdrawLinks.revoke(walletId, revoking.id);
            onChanged();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

function claimsOf({ claims, uses }: WithdrawLink): string {
  return uses === null ? t.links.claimsWithoutEnd(claims) : t.links.claimsOf(claims, uses);
}

function statusOf(link: WithdrawLink) {
  if (isActive(link))
    return (
      <Badge tone="done" icon="done">
        {t.statuses.active}
      </Badge>
    );
  if (link.revoked_at !== null) return <Badge tone="plain">{t.statuses.revoked}</Badge>;
  if (link.uses_left === 0) return <Badge tone="plain">{t.links.usedUp}</Badge>;
  return (
    <Badge tone="plain">{link.expires_at !== null && link.expires_at * 1000 < Date.now() ? t.statuses.expired : t.links.inactive}</Badge>
  );
}
