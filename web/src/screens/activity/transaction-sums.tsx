import { api, type Event } from '../../api/client.ts';
import type { ListPage } from '../../api/list.ts';
import { useSlowResource } from '../../api/slow-resource.ts';
import { Sats } from '../../parts/amount.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { formatCount } from '../../texts/count.ts';
import { activity } from '../../texts/en-activity.ts';
import { dayText } from '../wallet/filter-bar.tsx';
import { type Filters, nextDay, startOf } from '../wallet/filters.ts';

const HOUR = 3600;
const INTERVAL_MS = 5_000;

interface TransactionSumsProps {
  readonly filters: Filters;
  /** Empty for all wallets. */
  readonly walletId: string;
  readonly count: Pick<ListPage<unknown>, 'total' | 'isCapped'> | undefined;
}

/** The number of the listed transactions, and what came in and went out with them. Without sums that cover exactly them, nothing is shown. */
export function TransactionSums({ filters, walletId, count }: TransactionSumsProps) {
  const request = summaryRequest(filters);
  const { data } = useSlowResource(
    request && `activity sums ${walletId} ${JSON.stringify(request)}`,
    (signal) => api.account.getSummary({ ...request, ...(walletId !== '' && { wallet_id: walletId }) }, { signal }),
    { isAffected: (event) => isOfWallet(event, walletId), intervalMs: INTERVAL_MS },
  );
  if (!request) return null;
  const wait = <Skeleton width="8ch" height="1lh" />;
  return (
    <section class="card activity-sums" aria-label={activity.sums}>
      <Stat name={activity.transactions} remark={`${periodText(filters)}, ${walletId === '' ? activity.allWallets : activity.oneWallet}`}>
        {count?.total === undefined ? wait : countText(count.total, count.isCapped)}
      </Stat>
      <Stat name={activity.in} remark={data ? activity.settled(formatCount(data.in_count)) : ' '}>
        {data ? <Sats sats={Math.floor(data.in_msat / 1000)} sign unit /> : wait}
      </Stat>
      <Stat name={activity.out} remark={data ? activity.settled(formatCount(data.out_count)) : ' '}>
        {data ? <Sats sats={-Math.ceil(data.out_msat / 1000)} unit /> : wait}
      </Stat>
      <Stat name={activity.fees} remark={activity.feesRemark}>
        {data ? <Sats sats={-Math.ceil(data.fees_msat / 1000)} unit /> : wait}
      </Stat>
    </section>
  );
}

/** Returns the period whose sums cover exactly the listed transactions that have moved money; undefined if no period does. */
export function summaryRequest({ status, from, to, ...others }: Filters): { from?: number; until?: number } | undefined {
  if ((status !== 'all' && status !== 'settled') || Object.values(others).some((value) => value !== undefined)) return undefined;
  const begin = from === undefined ? undefined : startOf(from);
  const until = to === undefined ? undefined : startOf(nextDay(to));
  // Sums begin and end with an hour (UTC). In some time zones a day does not.
  if ([begin, until].some((time) => time !== undefined && time % HOUR !== 0)) return undefined;
  if (begin !== undefined && until !== undefined && begin > until) return undefined;
  return { ...(begin !== undefined && { from: begin }), ...(until !== undefined && { until }) };
}

function isOfWallet({ data }: Event, walletId: string): boolean {
  return data.wtx !== undefined && (walletId === '' || data.wtx.wal.id === walletId);
}

function countText(total: number, isCapped: boolean): string {
  return isCapped ? activity.moreThan(formatCount(total)) : formatCount(total);
}

function periodText({ from, to }: Filters): string {
  if (from !== undefined && to !== undefined) return activity.period(dayText(from), dayText(to));
  if (from !== undefined) return activity.since(dayText(from));
  return to === undefined ? activity.everything : activity.until(dayText(to));
}
