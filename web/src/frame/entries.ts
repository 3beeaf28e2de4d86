import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import { AlertCount } from '../screens/operator/alert-count.tsx';
import { t } from '../texts/texts.ts';

/** An entry of the navigation. */
export interface NavigationEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly isForOperators?: boolean;
  /** Opens the screen after G. */
  readonly letter?: string;
  /** A number that needs attention, such as open alerts. */
  readonly count?: ComponentType;
}

export const NAVIGATION: readonly NavigationEntry[] = [
  { path: '/wallets', letter: 'w', label: t.navigation.wallets, icon: 'wallet' },
  { path: '/activity', letter: 'a', label: t.navigation.activity, icon: 'activity' },
  { path: '/links', letter: 'l', label: t.navigation.links, icon: 'link' },
  { path: '/payouts', letter: 'p', label: t.navigation.payouts, icon: 'transfer' },
  { path: '/connections', letter: 'c', label: t.navigation.apps, icon: 'plug' },
  { path: '/keys', letter: 'k', label: t.navigation.keys, icon: 'key' },
  { path: '/webhooks', letter: 'h', label: t.navigation.webhooks, icon: 'webhook' },
  { path: '/developers', label: t.navigation.developers, icon: 'terminal' },
  { path: '/operator', letter: 'o', label: t.navigation.operator, icon: 'server', isForOperators: true, count: AlertCount },
  { path: '/accounts', label: t.navigation.accounts, icon: 'users', isForOperators: true },
  { path: '/playground', label: t.navigation.playground, icon: 'flask', isForOperators: true },
  { path: '/settings', letter: 's', label: t.navigation.settings, icon: 'settings' },
];
