import type { ComponentType } from 'preact';
import type { Wallet } from '../../api/client.ts';
import { lazy } from '../../parts/lazy.tsx';

/** What a sheet over the screen of a wallet receives. */
export interface WalletSheetProps {
  readonly walletId: string;
  /** The wallet, kept up to date by events; undefined until it is loaded. */
  readonly wallet: Wallet | undefined;
  /** The path behind the name of the sheet: `lntx_…` of `/wallets/:id/receive/lntx_…`, otherwise empty. */
  readonly rest: string;
  readonly onClose: () => void;
}

/** The sheets over the screen of a wallet, by the part of the path behind `/wallets/:id/`. */
const SHEETS: Readonly<Record<string, ComponentType<WalletSheetProps>>> = {
  receive: lazy(() => import('../receive/receive.tsx').then((file) => file.ReceiveSheet)),
  statement: lazy(() => import('./statement-sheet.tsx').then((file) => file.StatementSheet)),
  switch: lazy(() => import('./switch-sheet.tsx').then((file) => file.SwitchSheet)),
  rename: lazy(() => import('./rename-sheet.tsx').then((file) => file.RenameSheet)),
  activate: lazy(() => import('./status-sheet.tsx').then((file) => file.ActivateSheet)),
  deactivate: lazy(() => import('./status-sheet.tsx').then((file) => file.DeactivateSheet)),
  limits: lazy(() => import('./policy-sheets.tsx').then((file) => file.WalletLimitsSheet)),
  fees: lazy(() => import('./policy-sheets.tsx').then((file) => file.WalletFeesSheet)),
  send: lazy(() => import('../send/send.tsx').then((file) => file.SendSheet)),
  transfer: lazy(() => import('../transfer/transfer.tsx').then((file) => file.TransferSheet)),
};

/** Returns whether a path behind `/wallets/:id/` is that of a sheet. */
export function isSheetPath(path: string): boolean {
  return Object.hasOwn(SHEETS, path.split('/')[0] ?? '');
}

/** The sheet of `path`, such as `send` or `receive/lntx_…`. */
export function WalletSheet({ path, ...props }: { path: string } & Omit<WalletSheetProps, 'rest'>) {
  const [name = '', ...rest] = path.split('/');
  const Sheet = SHEETS[name];
  return Sheet ? <Sheet {...props} rest={rest.join('/')} /> : null;
}
