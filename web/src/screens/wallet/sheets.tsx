import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Wallet } from '../../api/client.ts';

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
const SHEETS: Readonly<Record<string, () => Promise<ComponentType<WalletSheetProps>>>> = {
  receive: () => import('../receive/receive.tsx').then((file) => file.ReceiveSheet),
  statement: () => import('./statement-sheet.tsx').then((file) => file.StatementSheet),
  rename: () => import('./rename-sheet.tsx').then((file) => file.RenameSheet),
  activate: () => import('./status-sheet.tsx').then((file) => file.ActivateSheet),
  deactivate: () => import('./status-sheet.tsx').then((file) => file.DeactivateSheet),
  send: () => import('../send/send.tsx').then((file) => file.SendSheet),
  transfer: () => import('../transfer/transfer.tsx').then((file) => file.TransferSheet),
};

/** Returns whether a path behind `/wallets/:id/` is that of a sheet. */
export function isSheetPath(path: string): boolean {
  return Object.hasOwn(SHEETS, path.split('/')[0] ?? '');
}

const loaded = new Map<string, ComponentType<WalletSheetProps>>();

/** The sheet of `path`, such as `send` or `receive/lntx_…`. Its code is loaded at its first use. */
export function WalletSheet({ path, ...props }: { path: string } & Omit<WalletSheetProps, 'rest'>) {
  const [name = '', ...rest] = path.split('/');
  const [, setCount] = useState(0);
  const [error, setError] = useState<unknown>();
  const Sheet = loaded.get(name);
  useEffect(() => {
    if (Sheet) return;
    SHEETS[name]?.().then((component) => {
      loaded.set(name, component);
      setCount((count) => count + 1);
    }, setError);
  }, [name, Sheet]);
  if (error !== undefined) throw error;
  return Sheet ? <Sheet {...props} rest={rest.join('/')} /> : null;
}
