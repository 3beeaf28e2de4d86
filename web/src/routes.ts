import type { ComponentType } from 'preact';
import { lazy } from './parts/lazy.tsx';

/** A screen of the dashboard. The path has the syntax of wouter; its parameters are the properties of the screen. */
export interface ScreenRoute {
  readonly path: string;
  /** Further paths of the same screen, at which it shows a sheet. The screen stays when a sheet is opened or closed. */
  readonly sheets?: readonly string[];
  /** Its code is a file of its own in the build. */
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of a path are not known to its type.
  readonly Screen: ComponentType<any>;
  /** Only operators see it. For a member the address does not exist. */
  readonly isForOperators?: boolean;
}

/** All screens, in the order in which paths are compared. `src/http/pages/dashboard.ts` has the paths, for the service. */
export const ROUTES: readonly ScreenRoute[] = [
  {
    path: '/wallets',
    sheets: ['/wallets/new'],
    Screen: lazy(() => import('./screens/wallets/wallets.tsx').then((file) => file.WalletsScreen)),
  },
  { path: '/wallets/:id/*?', Screen: lazy(() => import('./screens/wallet/wallet.tsx').then((file) => file.WalletScreen)) },
  { path: '/payments/:lntx/*?', Screen: lazy(() => import('./screens/payment/payment.tsx').then((file) => file.PaymentScreen)) },
  { path: '/scan', Screen: lazy(() => import('./screens/scan/scan.tsx').then((file) => file.ScanScreen)) },
  { path: '/contacts', Screen: lazy(() => import('./screens/contacts/contacts.tsx').then((file) => file.ContactsScreen)) },
  { path: '/more', Screen: lazy(() => import('./screens/more/more.tsx').then((file) => file.MoreScreen)) },
  { path: '/receive', Screen: lazy(() => import('./screens/choose/choose.tsx').then((file) => file.ReceiveScreen)) },
  { path: '/send', Screen: lazy(() => import('./screens/choose/choose.tsx').then((file) => file.SendScreen)) },
  { path: '/settings', Screen: lazy(() => import('./screens/settings/settings.tsx').then((file) => file.SettingsScreen)) },
  {
    path: '/connections',
    sheets: ['/connections/new', '/apps', '/apps/connect'],
    Screen: lazy(() => import('./screens/connections/connections.tsx').then((file) => file.ConnectionsScreen)),
  },
  {
    path: '/connections/:id',
    Screen: lazy(() => import('./screens/connections/connection.tsx').then((file) => file.ConnectionScreen)),
  },
  {
    path: '/payouts',
    sheets: ['/payouts/new', '/payouts/:id'],
    Screen: lazy(() => import('./screens/payouts/payouts.tsx').then((file) => file.PayoutsScreen)),
  },
  { path: '/apps/new', Screen: lazy(() => import('./screens/connections/new-app.tsx').then((file) => file.NewAppScreen)) },
  { path: '/keys', sheets: ['/keys/new'], Screen: lazy(() => import('./screens/keys/keys.tsx').then((file) => file.KeysScreen)) },
  {
    path: '/links',
    sheets: ['/links/new', '/links/withdraw', '/links/:id/:sheet', '/links/:id'],
    Screen: lazy(() => import('./screens/links/links.tsx').then((file) => file.LinksScreen)),
  },
  {
    path: '/webhooks',
    sheets: ['/webhooks/new', '/webhooks/:id'],
    Screen: lazy(() => import('./screens/webhooks/webhooks.tsx').then((file) => file.WebhooksScreen)),
  },
  {
    path: '/activity',
    sheets: ['/activity/events', '/activity/deliveries', '/events'],
    Screen: lazy(() => import('./screens/activity/activity.tsx').then((file) => file.ActivityScreen)),
  },
  { path: '/developers', Screen: lazy(() => import('./screens/developers/developers.tsx').then((file) => file.DevelopersScreen)) },
  {
    path: '/accounts',
    sheets: ['/accounts/new'],
    isForOperators: true,
    Screen: lazy(() => import('./screens/accounts/accounts.tsx').then((file) => file.AccountsScreen)),
  },
  {
    path: '/accounts/:id',
    sheets: ['/accounts/:id/:sheet'],
    isForOperators: true,
    Screen: lazy(() => import('./screens/accounts/account.tsx').then((file) => file.AccountScreen)),
  },
  {
    path: '/playground',
    isForOperators: true,
    Screen: lazy(() => import('./screens/playground/playground.tsx').then((file) => file.PlaygroundScreen)),
  },
  {
    path: '/operator',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/overview.tsx').then((file) => file.OperatorScreen)),
  },
  {
    path: '/operator/payments',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/payments.tsx').then((file) => file.OperatorPaymentsScreen)),
  },
  {
    path: '/operator/payments/:id',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/payments.tsx').then((file) => file.OperatorPaymentScreen)),
  },
  {
    path: '/operator/suspense',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/suspense-page.tsx').then((file) => file.SuspenseScreen)),
  },
  {
    path: '/operator/channels',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/channels.tsx').then((file) => file.ChannelsScreen)),
  },
  {
    path: '/operator/reconciliation',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/reconciliation.tsx').then((file) => file.ReconciliationScreen)),
  },
  {
    path: '/operator/proofs',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/proofs.tsx').then((file) => file.ProofsScreen)),
  },
  {
    path: '/operator/instances',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/instances.tsx').then((file) => file.InstancesScreen)),
  },
  {
    path: '/operator/limits',
    isForOperators: true,
    Screen: lazy(() => import('./screens/operator/limits.tsx').then((file) => file.LimitsScreen)),
  },
];
