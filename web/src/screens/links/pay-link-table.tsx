import { Link, useSearch } from 'wouter-preact';
import type { PayLink } from '../../api/client.ts';
import type { ListPage } from '../../api/list.ts';
import type { Resource } from '../../api/resource.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useWalletLabels } from '../../parts/wallet-names.ts';
import { t } from '../../texts/texts.ts';

/** The pay links and Lightning addresses of the account. */
export function PayLinkTable({ links, selectedId }: { links: Resource<ListPage<PayLink>>; selectedId: string | undefined }) {
  // Its address keeps the filters.
  const search = useSearch();
  const query = search === '' ? '' : `?${search}`;
  const labels = useWalletLabels((links.data?.items ?? []).map((link) => link.wallet_id));
  return (
    <Loaded resource={links}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="link" title={t.links.emptyTitle} action={<LinkButton href="/links/new">{t.links.newPayLink}</LinkButton>}>
            {t.links.empty}
          </Empty>
        ) : (
          <table class="table">
            <thead>
              <tr>
                <th>{t.links.name}</th>
                <th class="desktop-only">{t.links.into}</th>
                <th class="end">{t.links.amountSats}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((link) => (
                <tr key={link.id} class={link.id === selectedId ? 'clickable open' : 'clickable'}>
                  <td>
                    <div class="row">
                      <Icon name={link.ln_address === null ? 'link' : 'address'} />
                      <div class="shrink">
                        <Link class="name" href={`/links/${link.id}${query}`} aria-current={link.id === selectedId ? 'true' : undefined}>
                          <bdi>{nameOf(link)}</bdi>
                        </Link>
                        {!isActive(link) && (
                          <Badge tone="plain" icon="close">
                            {t.links.inactive}
                          </Badge>
                        )}
                        <bdi class="sub phone-only">{labels.get(link.wallet_id)}</bdi>
                      </div>
                    </div>
                  </td>
                  <td class="desktop-only secondary">
                    <bdi>{labels.get(link.wallet_id) ?? link.wallet_id}</bdi>
                  </td>
                  <td class="end secondary">{amountsOf(link)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Loaded>
  );
}

/** Returns the address, or the label for the owner, or what payers read. */
export function nameOf(link: PayLink): string {
  return link.ln_address || link.user_label || link.lnurlp_short_desc;
}

export function isActive({ statusType }: { statusType: { name: string } }): boolean {
  return statusType.name === 'lnurl_active';
}

export function amountsOf({ lnurlp_minSendable_msat: min, lnurlp_maxSendable_msat: max }: PayLink): string {
  return min === max ? t.links.exactly(formatMsat(min)) : t.links.range(formatMsat(min), formatMsat(max));
}
