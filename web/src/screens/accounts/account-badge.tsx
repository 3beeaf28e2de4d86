import { Badge, type BadgeProps } from '../../parts/badge.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';

const STATES: Readonly<Record<string, Omit<BadgeProps, 'children'>>> = {
  active: { tone: 'done', icon: 'done' },
  receive_only: { tone: 'waiting', icon: 'in' },
  frozen: { tone: 'failed', icon: 'failed' },
  closing: { tone: 'waiting', icon: 'out' },
  closed: { tone: 'plain', icon: 'close' },
};

/** The state of an account, in words. */
export function AccountBadge({ status }: { readonly status: string }) {
  return <Badge {...(STATES[status] ?? { tone: 'plain' })}>{texts.states[status]?.name ?? status}</Badge>;
}
