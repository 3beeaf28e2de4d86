import type { ComponentChildren } from 'preact';
import './details.css';

/** Names and values of an object. Entries without a value are left out. */
export function Details({ entries }: { entries: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="details">
      {entries
        .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}
