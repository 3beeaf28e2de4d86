import { t } from '../texts/texts.ts';
import { Chart, Legend } from './chart.tsx';
import { type BarsDay, gridLines, groupDays } from './chart-scale.ts';
import { formatDay } from './format-time.ts';

export type { BarsDay } from './chart-scale.ts';

/** More bars would be thinner than their hatching. */
const MAX_DAYS = 62;

export interface BarsChartProps {
  /** Every day of the period, oldest first. */
  readonly days: readonly BarsDay[];
  /** A sentence: `In 30 days, 812 400 sats came in and 640 210 went out`. */
  readonly label: string;
}

/** What came in and went out per day, in a long period per week. What went out is hatched. */
export function BarsChart({ days, label }: BarsChartProps) {
  const isWeekly = days.length > MAX_DAYS;
  const bars = isWeekly ? groupDays(days, 7) : days;
  const [first, last] = [bars[0], days.at(-1)];
  if (!first || !last) return null;
  const lines = gridLines(bars.reduce((max, bar) => Math.max(max, bar.in, bar.out), 0));
  const top = lines.at(-1) ?? 1;
  const rows = bars.map((bar, index) => ({
    place: (index + 0.5) / bars.length,
    time: isWeekly ? t.charts.weekFrom(formatDay(bar.at * 1000)) : formatDay(bar.at * 1000),
    values: [bar.in, bar.out],
  }));
  return (
    <Chart
      label={label}
      period={{ from: first.at, to: last.at }}
      lines={lines}
      columns={[t.charts.in, t.charts.out]}
      rows={rows}
      rowAt={(fraction) => Math.min(bars.length - 1, Math.floor(fraction * bars.length))}
      legend={
        <Legend
          entries={[
            ['solid', t.charts.in],
            ['hatched', t.charts.out],
          ]}
        />
      }
    >
      <div class="bars">
        {bars.map((bar) => (
          <div key={bar.at}>
            <i class="solid" style={{ height: `${(100 * bar.in) / top}%` }} />
            <i class="hatched" style={{ height: `${(100 * bar.out) / top}%` }} />
          </div>
        ))}
      </div>
    </Chart>
  );
}
