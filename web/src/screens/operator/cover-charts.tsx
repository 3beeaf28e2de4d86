import type { BalanceSample } from '../../api/client.ts';
import { wholeSats } from '../../parts/balance-bar.tsx';
import { Chart } from '../../parts/chart.tsx';
import { fractionOf, indexOfStep, ratioLines, stepsPath } from '../../parts/chart-scale.ts';
import { formatTime } from '../../parts/format-time.ts';
import { StepsChart } from '../../parts/steps-chart.tsx';
import { service } from '../../texts/en-service.ts';
import { coverText } from './cover-text.ts';

const texts = service.cover;

interface CoverChartProps {
  readonly samples: readonly BalanceSample[];
  /** The period in words, for the name of the chart. */
  readonly over: string;
}

/** What was owed, as an area. */
export function OwedChart({ samples, over }: CoverChartProps) {
  const points = samples.map(({ at, owed_msat: msat }) => ({ at, value: Math.trunc(msat / 1000) }));
  const label = texts.owedChart(over, wholeSats(samples.at(-1)?.owed_msat ?? 0));
  return <StepsChart points={points} name={texts.owed} label={label} now={Math.floor(Date.now() / 1000)} />;
}

/** The lowest cover of each step, with a dotted line at 1. A ratio above the top line is drawn at that line; the highest ratio is shown as a number. */
export function RatioChart({ samples, over, lowestOf }: CoverChartProps & { lowestOf: string }) {
  const points = samples.flatMap(({ at, lowest_cover_percent: percent }) => (percent === null ? [] : [{ at, value: percent / 100 }]));
  const [first] = points;
  if (!first) return null;
  const now = Math.floor(Date.now() / 1000);
  const period = { from: first.at, to: now };
  const ratios = points.map(({ value }) => value);
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
  const lines = ratioLines(highest);
  const top = lines.at(-1) ?? 1;
  const inside = points.map(({ at, value }) => ({ at, value: Math.min(top, value) }));
  const ratioText = (value: number) => coverText(Math.round(value * 100));
  const peak = points.find(({ value }) => value === highest) ?? first;
  return (
    <Chart
      label={texts.ratioChart(over, ratioText(lowest), ratioText(highest), lowest < 1)}
      period={period}
      lines={lines}
      columns={[texts.cover]}
      rows={points.map(({ at, value }) => ({ place: fractionOf(at, period), time: formatTime(at * 1000, now * 1000), values: [value] }))}
      rowAt={(fraction) => indexOfStep(points, period.from + fraction * (period.to - period.from))}
      format={ratioText}
      legend={
        <div class="chart-legend small">
          <span>
            <i class="line" />
            {lowestOf}
          </span>
          <span>
            <i class="dotted" />
            {texts.limit}
          </span>
        </div>
      }
    >
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="line" d={stepsPath(inside, period, top)} />
        <path class="dotted" d={`M0 ${100 - 100 / top}H100`} />
      </svg>
      {highest > top && <Peak place={fractionOf(peak.at, period)} text={ratioText(highest)} />}
    </Chart>
  );
}

function Peak({ place, text }: { place: number; text: string }) {
  return (
    <span class={place > 0.5 ? 'cover-peak before' : 'cover-peak'} style={{ left: `${place * 100}%` }} aria-hidden="true">
      {texts.peak(text)}
    </span>
  );
}
