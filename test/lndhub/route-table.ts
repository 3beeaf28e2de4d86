import type { Permission } from '../../src/core/accounts/keys.ts';

export interface LndhubRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly needsKey: boolean;
  /** `none` accepts each access key of a wallet. */
  readonly permission: Permission | 'none';
}

/** All routes of LNDhub below its base address. */
export const LNDHUB_ROUTES: readonly LndhubRoute[] = [
  { method: 'POST', path: '/auth', needsKey: false, permission: 'none' },
  { method: 'POST', path: '/create', needsKey: false, permission: 'none' },
  { method: 'GET', path: '/getinfo', needsKey: false, permission: 'none' },
  { method: 'GET', path: '/balance', needsKey: true, permission: 'wallet_read' },
  { method: 'POST', path: '/addinvoice', needsKey: true, permission: 'wallet_deposit' },
  { method: 'GET', path: '/checkpayment/:hash', needsKey: true, permission: 'wallet_tx_read' },
  { method: 'POST', path: '/payinvoice', needsKey: true, permission: 'wallet_withdraw' },
  { method: 'POST', path: '/keysend', needsKey: true, permission: 'wallet_withdraw' },
  { method: 'GET', path: '/gettxs', needsKey: true, permission: 'wallet_tx_read' },
  { method: 'GET', path: '/getuserinvoices', needsKey: true, permission: 'wallet_tx_read' },
  { method: 'GET', path: '/decodeinvoice', needsKey: true, permission: 'none' },
  { method: 'GET', path: '/checkrouteinvoice', needsKey: true, permission: 'none' },
  { method: 'GET', path: '/getpending', needsKey: true, permission: 'none' },
  { method: 'GET', path: '/getbtc', needsKey: true, permission: 'none' },
];
