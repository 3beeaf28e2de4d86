import { api, type PaymentFigures } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { wholeSats } from '../../parts/balance-bar.tsx';
import { Card } from '../../parts/card.tsx';
import { formatDecimal, formatMsat } from '../../parts/format-amount.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { formatCount } from '../../texts/count.ts';
import { desk } from '../../texts/en-desk.ts';
import { t } from '../../texts/texts.ts';

const texts = desk.figures;
const PERIODS = ['day', 'month', 'year'] as const;
const REFRESH_MS = 30_000;

/** What came in and went out over Lightning in `?figures=`, how much of it succeeded, and what the service earned. */
export function PaymentFiguresCard() {
  const [search, change] = useFilters();
  const period = PERIODS.find((one) => one === search.get('figures')) ?? 'day';
  const figures = useResource(`payment figures ${period}`, (signal) => api.operator.getPaymentFigures({ period }, { signal }), {
    everyMs: REFRESH_MS,
  });
  return (
    <Card
      title={texts.title}
      actions={
        <Segments
          label={texts.period}
          value={period}
          options={optionsOf(texts.periods, PERIODS)}
          onChange={(value) => change({ figures: value === 'day' ? undefined : value })}
        />
      }
      isPadded
    >
      <Loaded resource={figures} skeleton={<Skeleton height="96px" />}>
        {(data) => <Figures data={data} />}
      </Loaded>
    </Card>
  );
}

function Figures({ data: { flow, before, failed_count: failed, failures, from } }: { data: PaymentFigures }) {
  if (flow === null) return <p class="secondary">{texts.computing}</p>;
  const changed = (now: number, then: number | undefined) =>
    then === undefined || then === 0 ? texts.noneBefore : texts.change(percent((now - then) / then, true));
  const all = flow.out_count + failed;
  return (
    <div class="stack">
      <div class="operator-figures">
        <Stat name={texts.received} remark={changed(flow.in_msat, before?.in_msat)}>
          {wholeSats(flow.in_msat)}
        </Stat>
        <Stat name={texts.sent} remark={changed(flow.out_msat, before?.out_msat)}>
          {wholeSats(flow.out_msat)}
        </Stat>
        <Stat name={texts.payments} remark={texts.ofThem(formatCount(flow.in_count), formatCount(flow.out_count))}>
          {formatCount(flow.in_count + flow.out_count)}
        </Stat>
        <Stat name={texts.succeeded} remark={texts.failed(formatCount(failed))}>
          {all === 0 ? texts.none : percent(flow.out_count / all)}
        </Stat>
        <Stat name={texts.earned} remark={texts.routing(formatMsat(flow.routing_msat))}>
          {formatMsat(flow.earned_msat)}
        </Stat>
      </div>
      {failures.length > 0 && (
        <ul class="small secondary failure-reasons">
          {failures.map(({ reason, count }) => (
            <li key={reason}>
              <span class="number">{formatCount(count)}</span> {t.payment.failureReasons[reason] ?? <span class="mono tiny">{reason}</span>}
            </li>
          ))}
        </ul>
      )}
      <p class="small secondary">
        {texts.covers} <Time at={from} />.
      </p>
    </div>
  );
}

function percent(share: number, hasSign = false): string {
  const sign = share < 0 ? '\u2212' : hasSign ? '+' : '';
  return `${sign}${formatDecimal(Math.abs(share) * 100, 1)}\u202f%`;
}
