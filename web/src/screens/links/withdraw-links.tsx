import { useEffect, useState } from 'preact/hooks';
import { api, type WithdrawLink } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { AmountName, Msat, Sats } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Progress } from '../../parts/progress.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { useWalletLabels } from '../../parts/wallet-names.ts';
import { formatCount } from '../../texts/count.ts';
import { lists } from '../../texts/en-lists.ts';
import { payers as texts } from '../../texts/en-payers.ts';
import { t } from '../../texts/texts.ts';
import { ListSum } from './list-sum.tsx';
import { isActive, LastUse } from './pay-link-table.tsx';

const STATUSES = ['all', 'active', 'ended'] as const;

/** A claim is counted when it begins, and its amount when its payment ends. */
function isClaim({ event }: { event: { name: string } }): boolean {
  return event.name === 'link_claimed' || event.name === 'wallet_send' || event.name === 'wallet_send_failure';
}

export interface WithdrawLinksProps {
  /** Empty for all wallets. */
  readonly walletId: string;
  /** The links that were just created, which are marked. */
  readonly createdIds: readonly string[];
}

/** The withdraw links of all wallets of the account, or of one. `?status=` chooses which. */
export function WithdrawLinks({ walletId, createdIds }: WithdrawLinksProps) {
  const [search, change] = useFilters();
  const status = STATUSES.find((one) => one === search.get('status')) ?? 'all';
  const filter = { ...(walletId !== '' && { wallet_id: walletId }), ...(status !== 'all' && { status }) };
  const links = useList(
    `withdraw links ${walletId} ${status}`,
    (request, options) => api.withdrawLinks.listAll({ ...request, ...filter }, options),
    { isAffected: isClaim, csv: csvUrl('lnurl/withdraws', filter) },
  );
  const total = useResource(`withdraw links, total ${walletId} ${status}`, (signal) => api.withdrawLinks.getTotal(filter, { signal }), {
    isAffected: isClaim,
  });
  const reload = () => {
    links.page.reload();
    total.reload();
  };
  const created = createdIds.join();
  useEffect(() => {
    if (created !== '') reload();
  }, [created, links.page.reload, total.reload]);
  return (
    <Card
      title={t.links.withdraw}
      actions={
        <Segments
          label={t.links.status}
          value={status}
          options={optionsOf(lists.linkStatuses, STATUSES)}
          onChange={(value) => change({ status: value === 'all' ? undefined : value })}
        />
      }
      footer={
        <>
          {total.data && <ListSum name={texts.paidOutBy(formatCount(total.data.links))} msat={total.data.claimed_msat} />}
          {links.footer}
        </>
      }
    >
      <Loaded resource={links.page}>{({ items }) => <WithdrawTable links={items} createdIds={createdIds} onChanged={reload} />}</Loaded>
    </Card>
  );
}

interface WithdrawTableProps {
  readonly links: readonly WithdrawLink[];
  readonly createdIds: readonly string[];
  readonly onChanged: () => void;
}

function WithdrawTable({ links, createdIds, onChanged }: WithdrawTableProps) {
  const [revoking, setRevoking] = useState<WithdrawLink>();
  const labels = useWalletLabels(links.map((link) => link.wallet_id));
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
            <th class="end">
              <AmountName>{t.links.eachSats}</AmountName>
            </th>
            <th class="end desktop-only">{t.links.claimed}</th>
            <th class="desktop-only">{texts.lastUse}</th>
            <th class="desktop-only">{t.links.status}</th>
            <th class="end">
              <span class="visually-hidden">{t.links.revoke}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <tr key={link.id} class={createdIds.includes(link.id) ? 'open' : undefined}>
              <td>
                <bdi class="name">{link.user_label || link.memo || t.links.unnamed}</bdi>
                <span class="sub">
                  <bdi>{labels.get(link.wallet_id) ?? link.wallet_id}</bdi>
                  {' · '}
                  <Time at={link.created_at} />
                  <span class="phone-only">
                    {' · '}
                    {claimsOf(link)}
                    {link.claimed_msat > 0 && (
                      <>
                        {' · '}
                        <Msat msat={link.claimed_msat} unit />
                      </>
                    )}
                    {' · '}
                    {texts.lastUse}: <LastUse at={link.last_claimed_at} />
                  </span>
                </span>
              </td>
              <td class="end">{link.num_satoshis === null ? t.links.balance : <Sats sats={link.num_satoshis} />}</td>
              <td class="end desktop-only secondary claimed">
                {link.uses !== null && (
                  <div aria-hidden="true">
                    <Progress spent={link.claims} limit={link.uses} label={claimsOf(link)} />
                  </div>
                )}
                {claimsOf(link)}
                {link.claimed_msat > 0 && (
                  <span class="sub">
                    <Msat msat={link.claimed_msat} unit />
                  </span>
                )}
              </td>
              <td class="desktop-only secondary">
                <LastUse at={link.last_claimed_at} />
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
            await api.withdrawLinks.revoke(revoking.wallet_id, revoking.id);
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
