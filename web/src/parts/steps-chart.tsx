import { t } from '../texts/texts.ts';
import { Chart, Legend } from './chart.tsx';
import { fractionOf, gridLines, indexOfStep, type StepPoint, stepsPath } from './chart-scale.ts';
import { formatTime } from './format-time.ts';

export type { StepPoint } from './chart-scale.ts';

export interface StepsChartProps {
  /** Whole sats, oldest first. The time of the first point is the left edge. */
  readonly points: readonly StepPoint[];
  /** A sentence: `Balance over 30 days, now 1 297 613 sats`. */
  readonly label: string;
  /** The right edge, in Unix seconds. */
  readonly now: number;
  /** Names the values. Default: `Sats`. */
  readonly name?: string;
  /** Further values over the same time, drawn with dashes. */
  readonly second?: { readonly name: string; readonly points: readonly StepPoint[] };
}

/** A balance over time. It jumps, so its line has steps. */
export function StepsChart({ points, label, now, name = t.charts.sats, second }: StepsChartProps) {
  const [first] = points;
  if (!first) return null;
  const period = { from: first.at, to: now };
  const lines = gridLines(maxOf([...points, ...(second?.points ?? [])]));
  const top = lines.at(-1) ?? 1;
  const path = stepsPath(points, period, top);
  const rows = points.map(({ at, value }) => ({
    place: fractionOf(at, period),
    time: formatTime(at * 1000, now * 1000),
    values: second ? [value, second.points[indexOfStep(second.points, at)]?.value ?? 0] : [value],
  }));
  return (
    <Chart
      label={label}
      period={period}
      lines={lines}
      columns={second ? [name, second.name] : [name]}
      rows={rows}
      rowAt={(fraction) => indexOfStep(points, period.from + fraction * (period.to - period.from))}
      legend={
        second && (
          <Legend
            entries={[
              ['line', name],
              ['dashes', second.name],
            ]}
          />
        )
      }
    >
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="area" d={`${path}V100H0z`} />
        <path class="line" d={path} />
        {second && <path class="dashes" d={stepsPath(second.points, period, top)} />}
      </svg>
    </Chart>
  );
}

function maxOf(points: readonly StepPoint[]): number {
  return points.reduce((max, { value }) => Math.max(max, value), 0);
}
