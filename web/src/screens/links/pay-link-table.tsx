import { Link, useSearch } from 'wouter-preact';
import type { PayLink } from '../../api/client.ts';
import type { ListPage } from '../../api/list.ts';
import type { Resource } from '../../api/resource.ts';
import { AmountName, formatMsat, Msat } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { linkName } from '../../parts/link-text.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useWalletLabels } from '../../parts/wallet-names.ts';
import { formatCount } from '../../texts/count.ts';
import { payers as texts } from '../../texts/en-payers.ts';
import { t } from '../../texts/texts.ts';

interface PayLinkTableProps {
  readonly links: Resource<ListPage<PayLink>>;
  readonly selectedId: string | undefined;
  /** The account may have links although the list is empty. */
  readonly isFiltered: boolean;
}

/** The pay links and Lightning addresses of the account. */
export function PayLinkTable({ links, selectedId, isFiltered }: PayLinkTableProps) {
  // Its address keeps the filters.
  const search = useSearch();
  const query = search === '' ? '' : `?${search}`;
  const labels = useWalletLabels((links.data?.items ?? []).map((link) => link.wallet_id));
  return (
    <Loaded resource={links}>
      {({ items }) =>
        items.length === 0 && isFiltered ? (
          <Empty icon="link" title={texts.noneTitle}>
            {texts.none}
          </Empty>
        ) : items.length === 0 ? (
          <Empty icon="link" title={t.links.emptyTitle} action={<LinkButton href="/links/new">{t.links.newPayLink}</LinkButton>}>
            {t.links.empty}
          </Empty>
        ) : (
          <table class="table">
            <thead>
              <tr>
                <th>{t.links.name}</th>
                <th class="end desktop-only">{t.links.amountSats}</th>
                <th class="end desktop-only">{texts.payments}</th>
                <th class="desktop-only">{texts.lastUse}</th>
                <th class="end">
                  <AmountName>{texts.receivedSats}</AmountName>
                </th>
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
                        <span class="sub">
                          <bdi>{labels.get(link.wallet_id) ?? link.wallet_id}</bdi>
                          <span class="phone-only">
                            {' · '}
                            {link.payments ? `${texts.paymentsOf(formatCount(link.payments))} · ` : ''}
                            <LastUse at={link.last_paid_at} />
                          </span>
                        </span>
                      </div>
                    </div>
                  </td>
                  <td class="end desktop-only secondary">{isAnyAmount(link) ? texts.anyAmount : amountsOf(link)}</td>
                  <td class="end desktop-only number">{link.payments ? formatCount(link.payments) : ''}</td>
                  <td class="desktop-only secondary">
                    <LastUse at={link.last_paid_at} />
                  </td>
                  <td class="end">
                    {link.received_msat ? <Msat msat={link.received_msat} /> : <span class="faint">{texts.noneYet}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Loaded>
  );
}

/** When a link was paid or claimed last. */
export function LastUse({ at }: { at: number | null }) {
  return at === null ? <span>{texts.never}</span> : <Time at={at} />;
}

/** Returns the address, or the label for the owner, or what payers read. */
export function nameOf(link: PayLink): string {
  return link.ln_address || link.user_label || linkName(link.lnurlp_short_desc);
}

export function isActive({ statusType }: { statusType: { name: string } }): boolean {
  return statusType.name === 'lnurl_active';
}

/** The amounts of a pay link without limits of its own. */
const ANY_MSAT = { least: 1000, most: 100_000_000_000 };

function isAnyAmount({ lnurlp_minSendable_msat: min, lnurlp_maxSendable_msat: max }: PayLink): boolean {
  return min <= ANY_MSAT.least && max >= ANY_MSAT.most;
}

export function amountsOf({ lnurlp_minSendable_msat: min, lnurlp_maxSendable_msat: max }: PayLink): string {
  return min === max ? t.links.exactly(formatMsat(min)) : t.links.range(formatMsat(min), formatMsat(max));
}
