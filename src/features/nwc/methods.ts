import type { Permission } from '../../core/accounts/keys.ts';

/** The permissions that a connection may have. They are those of keys: see docs/keys.md. */
export const CONNECTION_PERMISSIONS = [
  'wallet_read',
  'wallet_tx_read',
  'wallet_deposit',
  'wallet_withdraw',
] as const satisfies readonly Permission[];

export type ConnectionPermission = (typeof CONNECTION_PERMISSIONS)[number];

interface MethodRule {
  /** Absent: every connection may call it. */
  readonly permission?: ConnectionPermission;
  /** Whether it is executed once for each event, and its response is stored. */
  readonly isStored?: boolean;
  /** Whether it is served without being offered: for old clients. */
  readonly isHidden?: boolean;
  /** Whether it is offered only where a node has hold invoices. */
  readonly needsHoldInvoices?: boolean;
}

/** The methods of NIP-47, NWC-321 (`pay`, `receive`), and of widespread clients (`get_budget`, `multi_…`). */
export const METHODS = {
  get_info: {},
  get_balance: { permission: 'wallet_read' },
  get_budget: {},
  make_invoice: { permission: 'wallet_deposit', isStored: true },
  lookup_invoice: { permission: 'wallet_tx_read' },
  list_transactions: { permission: 'wallet_tx_read' },
  pay_invoice: { permission: 'wallet_withdraw', isStored: true },
  pay_keysend: { permission: 'wallet_withdraw', isStored: true },
  pay: { permission: 'wallet_withdraw', isStored: true },
  receive: { permission: 'wallet_deposit', isStored: true },
  make_hold_invoice: { permission: 'wallet_deposit', isStored: true, needsHoldInvoices: true },
  settle_hold_invoice: { permission: 'wallet_deposit', isStored: true, needsHoldInvoices: true },
  cancel_hold_invoice: { permission: 'wallet_deposit', isStored: true, needsHoldInvoices: true },
  multi_pay_invoice: { permission: 'wallet_withdraw', isStored: true, isHidden: true },
  multi_pay_keysend: { permission: 'wallet_withdraw', isStored: true, isHidden: true },
} as const satisfies Record<string, MethodRule>;

export type NwcMethod = keyof typeof METHODS;

export function isMethod(name: string): name is NwcMethod {
  return Object.hasOwn(METHODS, name);
}

export function ruleOf(method: NwcMethod): MethodRule {
  return METHODS[method];
}

/** What decides about the methods and notifications that an app is offered. */
export interface Offer extends HoldOffer {
  readonly permissions: readonly ConnectionPermission[];
}

/** What the service offers about hold invoices. */
export interface HoldOffer {
  /** Whether the node of the wallet, or a node of the service, has them. */
  readonly hasHoldInvoices: boolean;
  /** Whether the operator has stopped new hold invoices. Apps still settle and cancel those that are held. */
  readonly areHoldsStopped: boolean;
}

export function offeredMethods({ permissions, hasHoldInvoices, areHoldsStopped }: Offer): NwcMethod[] {
  return (Object.keys(METHODS) as NwcMethod[]).filter((method) => {
    const { permission, isHidden, needsHoldInvoices } = ruleOf(method);
    if (isHidden || (permission !== undefined && !permissions.includes(permission))) return false;
    return !needsHoldInvoices || (hasHoldInvoices && !(areHoldsStopped && method === 'make_hold_invoice'));
  });
}

/** The notifications of NIP-47. */
export const NOTIFICATIONS = ['payment_received', 'payment_sent', 'hold_invoice_accepted'] as const;

export type NotificationType = (typeof NOTIFICATIONS)[number];

/** Returns the notifications that a connection gets: they contain transactions. */
export function offeredNotifications({ permissions, hasHoldInvoices }: Omit<Offer, 'areHoldsStopped'>): readonly NotificationType[] {
  if (!permissions.includes('wallet_tx_read')) return [];
  return NOTIFICATIONS.filter((type) => type !== 'hold_invoice_accepted' || hasHoldInvoices);
}
