import type { ComponentChildren } from 'preact';
import { t } from '../texts/texts.ts';
import { Icon, type IconName } from './icon.tsx';
import './badge.css';

export interface BadgeProps {
  /** `done` is quiet; what waits, fails or needs a person is filled. */
  readonly tone: 'plain' | 'done' | 'waiting' | 'failed' | 'good';
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}

/** A status: an icon, then one or two words. */
export function Badge({ tone, icon, children }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      {icon && <Icon name={icon} size={15} />}
      {children}
    </span>
  );
}

const STATUSES: Readonly<Record<string, Omit<BadgeProps, 'children'>>> = {
  settled: { tone: 'done', icon: 'done' },
  active: { tone: 'done', icon: 'done' },
  delivered: { tone: 'done', icon: 'done' },
  pending: { tone: 'waiting', icon: 'clock' },
  held: { tone: 'waiting', icon: 'lock' },
  arriving: { tone: 'waiting', icon: 'clock' },
  paused: { tone: 'waiting', icon: 'clock' },
  failing: { tone: 'waiting', icon: 'alert' },
  failed: { tone: 'failed', icon: 'failed' },
  dead: { tone: 'failed', icon: 'failed' },
  expired: { tone: 'plain', icon: 'clock' },
  cancelled: { tone: 'plain', icon: 'close' },
  revoked: { tone: 'plain', icon: 'close' },
};

/** The status of an object of the API, in words. An unknown status is shown as it is. */
export function StatusBadge({ status }: { status: string }) {
  return <Badge {...(STATUSES[status] ?? { tone: 'plain' })}>{t.statuses[status] ?? status}</Badge>;
}
