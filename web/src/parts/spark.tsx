import { type StepPoint, stepsPath } from './chart-scale.ts';
import './chart.css';

/** A small chart beside a balance, which says the same as a number. `now`: the right edge, in Unix seconds. */
export function Spark({ points, now }: { points: readonly StepPoint[]; now: number }) {
  const [first] = points;
  const top = points.reduce((max, { value }) => Math.max(max, value), 0);
  const path = first && top > 0 ? stepsPath(points, { from: first.at, to: now }, top * 1.05) : '';
  return (
    <svg class="spark" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {path && <path class="area" d={`${path}V100H0z`} />}
      {path && <path class="line" d={path} />}
    </svg>
  );
}
