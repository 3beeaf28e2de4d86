import type { apps } from '../../texts/en-apps.ts';

export const PERMISSIONS = ['wallet_read', 'wallet_tx_read', 'wallet_deposit', 'wallet_withdraw'] as const;

export type AppPermission = (typeof PERMISSIONS)[number];

/** What an app asks for with the address of `/apps/new`, as `NWCClient.getAuthorizationUrl` of `@getalby/sdk` writes it. */
export interface AppRequest {
  readonly name: string;
  /** 32 bytes in hex. The app keeps the secret key. */
  readonly pubkey: string;
  /** The origin of the page that opened this one. The connection is for this site, and the answer goes to it alone. */
  readonly origin: string;
  /** Empty: the person chooses. */
  readonly permissions: readonly AppPermission[];
  /** Methods that the service does not have. */
  readonly unsupported: readonly string[];
  /** In whole sats, rounded down. */
  readonly budgetSats: number | undefined;
  readonly period: 'day' | 'week' | 'month' | 'ever';
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  readonly isIsolated: boolean;
}

export type RequestProblem = keyof typeof apps.request.problems;

const METHOD_PERMISSIONS: Readonly<Record<string, AppPermission | undefined>> = {
  get_info: undefined,
  get_budget: undefined,
  get_balance: 'wallet_read',
  lookup_invoice: 'wallet_tx_read',
  list_transactions: 'wallet_tx_read',
  make_invoice: 'wallet_deposit',
  receive: 'wallet_deposit',
  pay: 'wallet_withdraw',
  pay_invoice: 'wallet_withdraw',
  pay_keysend: 'wallet_withdraw',
  multi_pay_invoice: 'wallet_withdraw',
  multi_pay_keysend: 'wallet_withdraw',
};

/** `yearly` of the SDK is missing: budgets of the service have no such period. */
const PERIODS: Readonly<Record<string, AppRequest['period']>> = { never: 'ever', daily: 'day', weekly: 'week', monthly: 'month' };

const MAX_NAME = 200;
const MAX_UNSUPPORTED = 10;

export interface Surroundings {
  /** `document.referrer`: empty or a URL. The browser sets it to the page that led here; a page can leave it empty, but not set it to another site. */
  readonly referrer: string;
  readonly hasOpener: boolean;
  readonly ownOrigin: string;
  readonly nowSeconds: number;
}

/**
 * Reads the parameters of `/apps/new`, which anybody can write. The key in them gets access to a wallet, so a request is accepted only from the site
 * that opened this page: neither a link in a message nor `return_to` proves whose key it is. Returns why the request is not accepted, instead.
 */
export function readAppRequest(query: URLSearchParams, around: Surroundings): AppRequest | RequestProblem {
  const origin = openerOf(around);
  if (origin === undefined) return 'notOpened';
  const returnText = query.get('return_to') ?? '';
  if (returnText !== '' && webUrl(returnText)?.origin !== origin) return 'returnTo';

  const pubkey = (query.get('pubkey') ?? '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(pubkey)) return 'pubkey';

  const renewal = query.get('budget_renewal') ?? 'never';
  const period = Object.hasOwn(PERIODS, renewal) ? PERIODS[renewal] : undefined;
  if (!period) return renewal === 'yearly' ? 'yearly' : 'renewal';

  const amountText = query.get('max_amount');
  const budgetSats = amountText === null ? undefined : /^\d{1,18}$/.test(amountText) ? Math.floor(Number(amountText) / 1000) : 0;
  if (budgetSats === 0) return 'amount';

  const expiryText = query.get('expires_at');
  const expiresAt = expiryText === null ? undefined : /^\d{1,12}$/.test(expiryText) ? Number(expiryText) : 0;
  if (expiresAt !== undefined && expiresAt <= around.nowSeconds) return 'expiry';

  const methods = wordsOf(query.get('request_methods'));
  const wanted = new Set(methods.map((method) => (isKnown(method) ? METHOD_PERMISSIONS[method] : undefined)));
  if (wordsOf(query.get('notification_types')).length > 0) wanted.add('wallet_tx_read');
  return {
    name: (query.get('name') ?? '').trim().slice(0, MAX_NAME).toWellFormed(),
    pubkey,
    origin,
    permissions: PERMISSIONS.filter((one) => wanted.has(one)),
    unsupported: methods.filter((method) => !isKnown(method)).slice(0, MAX_UNSUPPORTED),
    budgetSats,
    period,
    expiresAt,
    isIsolated: query.get('isolated') === 'true',
  };
}

/** What the app needs to use the connection, without a secret. */
export interface AppAnswer {
  readonly type: 'nwc:success';
  readonly relayUrls: readonly string[];
  /** For older versions of the SDK. */
  readonly relayUrl: string | undefined;
  readonly walletPubkey: string;
  readonly lud16?: string;
}

export function answerOf({ relays, service_pubkey, uri }: { relays: readonly string[]; service_pubkey: string; uri: string }): AppAnswer {
  const address = new URLSearchParams(uri.slice(uri.indexOf('?'))).get('lud16');
  return {
    type: 'nwc:success',
    relayUrls: relays,
    relayUrl: relays[0],
    walletPubkey: service_pubkey,
    ...(address !== null && { lud16: address }),
  };
}

function openerOf({ referrer, hasOpener, ownOrigin }: Surroundings): string | undefined {
  const origin = hasOpener ? webUrl(referrer)?.origin : undefined;
  return origin === ownOrigin ? undefined : origin;
}

/** Returns a URL with http or https. All others could run code in this page or start a program. */
function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function wordsOf(text: string | null): string[] {
  return [...new Set(text?.split(/\s+/).filter(Boolean) ?? [])];
}

function isKnown(method: string): boolean {
  return Object.hasOwn(METHOD_PERMISSIONS, method);
}
