/**
 * What the state of an account may allow. `send`: its wallets pay, by payments, transfers and withdraw links. `receive`: its wallets get new invoices,
 * transfers and internal payments. `manage`: it creates and changes wallets, keys, links, webhooks and logins. Reading is always allowed, and so
 * is taking back what it has given out: canceling invoices and revoking withdraw links.
 */
export type AccountAction = 'send' | 'receive' | 'manage';

/** The states of an account, and the actions that each allows. An operator sets them. A `closed` account has no money. */
const ALLOWED = {
  active: ['send', 'receive', 'manage'],
  receive_only: ['receive', 'manage'],
  frozen: [],
  closing: ['send'],
  closed: [],
} as const satisfies Readonly<Record<string, readonly AccountAction[]>>;

export type AccountStatus = keyof typeof ALLOWED;

export const ACCOUNT_STATUSES = ['active', 'receive_only', 'frozen', 'closing', 'closed'] as const satisfies readonly AccountStatus[];

/** What the states mean, for descriptions of fields. */
export const STATUS_MEANING =
  '`receive_only`: it sends no money. `frozen`: it only reads. `closing`: it only sends money. `closed`: it only reads, and has no money';

/** Returns whether the state of an account allows an action. */
export function allows(status: AccountStatus, action: AccountAction): boolean {
  return (ALLOWED[status] as readonly AccountAction[]).includes(action);
}

/** Returns the condition that the state in a column of SQL allows an action. */
export function allowsInSql(column: string, action: AccountAction): string {
  const names = ACCOUNT_STATUSES.filter((status) => allows(status, action)).map((status) => `'${status}'`);
  return `${column} IN (${names.join(', ')})`;
}
