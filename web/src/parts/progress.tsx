import './progress.css';

export interface ProgressProps {
  /** The parts in any unit: spent is solid, in flight is hatched, the rest up to `limit` is empty. */
  readonly spent: number;
  readonly inFlight?: number;
  readonly limit: number;
  /** The numbers as a sentence. */
  readonly label: string;
}

/** How much of a budget is used. The numbers stand beside it as text. */
export function Progress({ spent, inFlight = 0, limit, label }: ProgressProps) {
  const share = (part: number) => `${limit > 0 ? Math.min(100, (part / limit) * 100) : 100}%`;
  return (
    <div class={spent + inFlight >= limit ? 'progress full' : 'progress'} role="img" aria-label={label}>
      <i style={{ width: share(spent) }} />
      <i class="in-flight" style={{ width: share(inFlight) }} />
    </div>
  );
}
