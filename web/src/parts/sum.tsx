import type { ComponentChildren } from 'preact';
import './sum.css';

export interface SumRow {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly isTotal?: boolean;
}

/** Amounts below each other, and what they add up to. */
export function Sum({ rows }: { rows: readonly SumRow[] }) {
  return (
    <dl class="sum">
      {rows.map(({ name, value, isTotal = false }) => (
        <div key={name} class={isTotal ? 'total' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
