import { useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { csvUrl } from '../../api/list.ts';
import type { Resource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { HeroAmount, HeroSkeleton, Sats, useSatsText } from '../../parts/amount.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ListFooter } from '../../parts/pages.tsx';
import { Skeleton, SkeletonRows } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { t } from '../../texts/texts.ts';
import { NewWalletSheet } from './new-wallet-sheet.tsx';
import { useFirstSteps } from './use-first-steps.ts';
import { filterOf, PER_PAGE, useWalletPage, useWalletSum, type WalletSum } from './use-wallets.ts';
import { WalletSearchBar } from './wallet-search-bar.tsx';
import { WalletTable } from './wallet-table.tsx';
import './wallets.css';

/** `/wallets`, and with a sheet over it `/wallets/new`. The search and the page are in the address. */
export function WalletsScreen() {
  const [path] = useLocation();
  const { View: FirstSteps, state, isDecided, onChanged } = useFirstSteps();
  const [parameters, change] = useFilters();
  const label = parameters.get('label')?.trim() || undefined;
  const status = (['active', 'inactive'] as const).find((one) => one === parameters.get('status'));
  const after = parameters.get('after') ?? undefined;
  const page = useWalletPage({ label, status, after });
  const sum = useWalletSum();
  const close = useCloseSheet('/wallets');
  const checklist = FirstSteps && state && <FirstSteps state={state} onChanged={onChanged} />;
  /** After the first payment the balance comes first. On a phone, the checklist is longer than the screen. */
  const hasPaid = state?.steps.some(({ step, is_done }) => step === 'send' && is_done) === true;
  const isBelow = useIsPhone() ? hasPaid || state?.wallet_id !== null : hasPaid;
  /** The cursors of the pages before this one; empty after a reload. */
  const before = useRef<string[]>([]);

  const search = (changes: Record<string, string | undefined>) => change({ after: undefined, page: undefined, ...changes });
  const depth = after === undefined ? 0 : Math.max(1, (Number(parameters.get('page')) || 2) - 1);
  const turnTo = (cursor: string | undefined, number: number) =>
    change({ after: cursor, page: cursor && String(number) }, { isPage: true });
  const pages = {
    depth,
    isFirst: after === undefined,
    // Without the cursors of the pages before this one, the newest page.
    ...(depth > before.current.length + 1 && { newerLabel: t.wallets.first }),
    newer: () => turnTo(before.current.pop(), depth),
    older(cursor: string) {
      if (after !== undefined) before.current.push(after);
      turnTo(cursor, depth + 2);
    },
  };

  const isSearch = label !== undefined || status !== undefined;
  const isEmpty = page.data?.items.length === 0 && after === undefined;
  return (
    <>
      <PageHead
        title={t.wallets.title}
        actions={
          <LinkButton {...(!FirstSteps && { kind: 'primary' as const })} icon="plus" href="/wallets/new">
            {t.wallets.newWallet}
          </LinkButton>
        }
      />
      {!isBelow && checklist}
      {isDecided && (
        <>
          <Total sum={sum} />
          <Card
            footer={
              <ListFooter
                pages={pages}
                page={page.data && { ...page.data, total: isSearch ? undefined : sum.data?.count, isCapped: false }}
                perPage={PER_PAGE}
                csv={csvUrl('wallets', filterOf({ label, status }))}
              />
            }
          >
            {(isSearch || !isEmpty) && <WalletSearchBar label={label ?? ''} status={status} onChange={search} />}
            <Loaded resource={page} skeleton={<SkeletonRows count={8} />}>
              {({ items, next }) =>
                items.length > 0 ? (
                  <WalletTable wallets={items} />
                ) : isSearch ? (
                  <Empty
                    icon="filter"
                    title={t.wallets.noMatchTitle}
                    action={<Button onClick={() => search({ label: undefined, status: undefined })}>{t.wallets.clearSearch}</Button>}
                  >
                    {next === undefined ? t.wallets.noMatch : t.wallets.noMatchSoFar}
                  </Empty>
                ) : (
                  <Empty
                    icon="wallet"
                    title={t.wallets.emptyTitle}
                    action={
                      <LinkButton icon="plus" href="/wallets/new">
                        {t.wallets.newWallet}
                      </LinkButton>
                    }
                  >
                    {t.wallets.empty}
                  </Empty>
                )
              }
            </Loaded>
          </Card>
        </>
      )}
      {isBelow && checklist}
      {path === '/wallets/new' && <NewWalletSheet onClose={close} />}
    </>
  );
}

/** What all wallets together can spend. */
function Total({ sum }: { sum: Resource<WalletSum> }) {
  return (
    <Loaded resource={sum} skeleton={<TotalSkeleton />}>
      {({ balanceMsat, pendingMsat, moved }) => (
        <div class="wallets-total">
          <div>
            <div class="small secondary">{t.wallets.spendable}</div>
            <HeroAmount sats={Math.floor(balanceMsat / 1000)} />
          </div>
          <div class="wallets-moved">
            {pendingMsat > 0 && (
              <Stat name={t.wallets.inFlight} remark={t.wallets.inFlightRemark}>
                <Sats sats={Math.ceil(pendingMsat / 1000)} unit />
              </Stat>
            )}
            <Moved moved={moved} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function TotalSkeleton() {
  const days = t.wallet.periods[30] ?? '';
  return (
    <div class="wallets-total">
      <HeroSkeleton width="280px" />
      <div class="wallets-moved">
        {[t.wallet.inPeriod(days), t.wallet.outPeriod(days)].map((name) => (
          <Stat key={name} name={name} remark={'\u00a0'}>
            <Skeleton width="8ch" height="1lh" />
          </Stat>
        ))}
      </div>
    </div>
  );
}

/** What came into all wallets and left them in 30 days. */
function Moved({ moved }: { moved: WalletSum['moved'] }) {
  const days = t.wallet.periods[30] ?? '';
  const satsText = useSatsText();
  return (
    <>
      <Stat name={t.wallet.inPeriod(days)} remark={t.wallet.payments(moved.in_count)}>
        <Sats sats={Math.floor(moved.in_msat / 1000)} sign unit />
      </Stat>
      <Stat name={t.wallet.outPeriod(days)} remark={t.wallet.fees(satsText(Math.ceil(moved.fees_msat / 1000)))}>
        <Sats sats={-Math.ceil(moved.out_msat / 1000)} unit />
      </Stat>
    </>
  );
}
