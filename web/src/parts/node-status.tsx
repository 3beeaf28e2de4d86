import { t } from '../texts/texts.ts';
import { Badge, type BadgeProps } from './badge.tsx';

const LOOKS: Readonly<Record<string, Pick<BadgeProps, 'tone' | 'icon'>>> = {
  ready: { tone: 'done', icon: 'done' },
  cannot_send: { tone: 'waiting', icon: 'alert' },
  unavailable: { tone: 'failed', icon: 'failed' },
};

/** Whether a Lightning node works. An unknown status is shown as it is. */
export function NodeStatus({ status }: { status: string }) {
  return <Badge {...(LOOKS[status] ?? { tone: 'plain' })}>{t.nodeStatuses[status] ?? status}</Badge>;
}
