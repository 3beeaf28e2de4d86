import type { ComponentChildren } from 'preact';
import './stat.css';

/** A number with its name above and a remark below. */
export function Stat({ name, children, remark }: { name: ComponentChildren; children: ComponentChildren; remark?: ComponentChildren }) {
  return (
    <div class="stat">
      <span>{name}</span>
      <b>{children}</b>
      {remark !== undefined && <small>{remark}</small>}
    </div>
  );
}
