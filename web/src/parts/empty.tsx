import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import './empty.css';

export interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What belongs here, and why one would want it. */
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** The place of a list without entries. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
