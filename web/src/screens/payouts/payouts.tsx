import { Link, useLocation } from 'wouter-preact';
import { api, type Payout } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { AmountName, Sats } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { useChosenWallet } from '../../parts/wallet-names.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { payouts as texts } from '../../texts/en-payouts.ts';
import { NewPayoutSheet } from './new-payout.tsx';
import { PayoutSheet } from './payout-sheet.tsx';
import './payouts.css';

/** Lines end without events. */
const REFRESH_MS = 2000;

/** `/payouts`: the payouts of the wallet in `?wallet=`, with the sheets `/payouts/new` and `/payouts/:id`. */
export function PayoutsScreen() {
  const [path, navigate] = useLocation();
  const [search, change] = useFilters();
  const walletId = useChosenWallet(search);
  const payouts = useList(
    walletId === '' ? undefined : `payouts ${walletId}`,
    (request, options) => api.payouts.list(walletId, request, options),
    { isAffected: ({ event }) => event.name === 'payout_finished', everyMs: REFRESH_MS, csv: csvUrl(`wallet/${walletId}/payouts`) },
  );
  const close = useCloseSheet('/payouts');
  const query = `?wallet=${walletId}`;
  const closeSheet = () => (walletId === '' ? close() : navigate(`/payouts${query}`, { replace: true }));
  const [, , sheet] = path.split('/');
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          <LinkButton kind="primary" icon="plus" href={`/payouts/new${query}`}>
            {texts.order}
          </LinkButton>
        }
      />
      <Card
        title={texts.title}
        actions={
          <div class="payouts-of">
            <WalletSelect label={texts.of} value={walletId} onValue={(wallet) => change({ wallet })} />
          </div>
        }
        footer={payouts.footer}
      >
        {walletId === '' ? (
          <NoPayouts />
        ) : (
          <Loaded resource={payouts.page}>
            {({ items }) => (items.length === 0 ? <NoPayouts /> : <PayoutTable payouts={items} query={query} />)}
          </Loaded>
        )}
      </Card>
      {sheet === 'new' && (
        <NewPayoutSheet
          walletId={walletId}
          onOrdered={(id) => {
            payouts.page.reload();
            navigate(`/payouts/${id}${query}`, { replace: true });
          }}
          onClose={closeSheet}
        />
      )}
      {sheet !== undefined && sheet !== 'new' && walletId !== '' && (
        <PayoutSheet key={sheet} walletId={walletId} id={sheet} onChanged={payouts.page.reload} onClose={closeSheet} />
      )}
    </>
  );
}

function NoPayouts() {
  return (
    <Empty icon="transfer" title={texts.emptyTitle}>
      {texts.empty}
    </Empty>
  );
}

function PayoutTable({ payouts, query }: { payouts: readonly Payout[]; query: string }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{texts.payout}</th>
          <th class="desktop-only">{texts.lines}</th>
          <th class="end">
            <AmountName>{texts.sum}</AmountName>
          </th>
        </tr>
      </thead>
      <tbody>
        {payouts.map((payout) => (
          <tr key={payout.id} class="clickable">
            <td>
              <Link class="name" href={`/payouts/${payout.id}${query}`}>
                <bdi>{payout.user_label || texts.unnamed}</bdi>
              </Link>
              <span class="sub">
                <Time at={payout.created_at} />
              </span>
              <span class="sub">
                <PayoutStatus payout={payout} />
              </span>
            </td>
            <td class="desktop-only secondary">{texts.progress(payout.num_paid, payout.num_lines)}</td>
            <td class="end">
              <Sats sats={payout.num_satoshis} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function PayoutStatus({ payout: { status, num_failed } }: { payout: Payout }) {
  if (status === 'running')
    return (
      <Badge tone="waiting" icon="clock">
        {texts.running}
      </Badge>
    );
  if (num_failed > 0)
    return (
      <Badge tone="failed" icon="failed">
        {texts.finishedWith(num_failed)}
      </Badge>
    );
  return (
    <Badge tone="done" icon="done">
      {texts.finished}
    </Badge>
  );
}
