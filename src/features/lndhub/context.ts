import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Accounts, Key } from '../../core/accounts/accounts.ts';
import type { AccountDirectory } from '../../core/accounts/directory.ts';
import { canonicalText, type Permission } from '../../core/accounts/keys.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import type { EventLog } from '../../core/journal/event-log.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import type { Access, WalletAuthorization } from '../../http/auth/access.ts';
import { bearerToken, type SentCredential, sentCredential } from '../../http/auth/credential.ts';
import type { Rate } from '../../http/limits/token-buckets.ts';
import { isForApps, keyOfLogin } from '../keys/lndhub-link.ts';
import type { Passwords } from '../logins/passwords.ts';
import type { Tokens } from './tokens.ts';

/** What the routes of LNDhub use. */
export interface LndhubContext {
  readonly access: Access;
  readonly accounts: Accounts;
  readonly directory: AccountDirectory;
  readonly wallets: Wallets;
  readonly ledger: Ledger;
  readonly payments: Payments;
  readonly invoices: Invoices;
  readonly eventLog: EventLog;
  readonly connections: NodeConnections;
  readonly database: Database;
  readonly clock: Clock;
  readonly lndhubTokens: Tokens;
  readonly passwords: Passwords;
  /** How long a response waits for a payment's end, from the arrival of its request. */
  readonly paymentWaitSeconds: number;
  /** The rate limit of one key, of which 0 per second is no limit. */
  readonly rateLimit: Rate;
  readonly hasUnlimitedLogins: boolean;
  /** The account in which apps create wallets, and whether the API is also served without a path. */
  readonly lndhub: { readonly accountId: string | undefined; readonly isAtRoot: boolean };
}

/** The configuration of all routes. Apps send fields that nobody describes, so the handlers read the fields that they know. */
export const ROUTE = { undocumented: true, acceptsUntypedJson: true } as const satisfies FastifyContextConfig;

/** The configuration of the routes with a key. */
export function keyRoute(tokens: Tokens) {
  return { ...ROUTE, readCredential: (request: FastifyRequest) => readBearer(tokens, request) } satisfies FastifyContextConfig;
}

/** Returns the bearer token: an access token, the base64 text of `login:key` as LNbits accepts it, or the key. Cookies count nothing here. */
function readBearer(tokens: Tokens, request: FastifyRequest): SentCredential | undefined {
  const bearer = bearerToken(request);
  if (bearer === undefined) return undefined;
  const keyId = tokens.read(bearer, 'access');
  if (keyId !== undefined) return { text: keyId, kind: 'token' };
  const [, login = '', password] = /^([\w-]*):(\w+)$/.exec(base64Text(bearer) ?? '') ?? [];
  return { text: canonicalText(password === undefined ? bearer : keyOfLogin(login, password)), kind: 'key' };
}

/** Returns the text of base64 with or without its padding; undefined if it has another form, such as further padding. */
function base64Text(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  const padded = bytes.toString('base64');
  return base64 === padded || base64 === padded.replace(/=+$/, '') ? bytes.toString('latin1') : undefined;
}

/** Returns the access key of a request. @throws Refusal `unauthorized`, `forbidden` */
export async function accessKey(
  { access, accounts }: LndhubContext,
  request: FastifyRequest,
): Promise<Key & { readonly walletId: string }> {
  const key = await access.anyKey(request);
  if (key.walletId === undefined || !isForApps(key.kind)) throw new Refusal('forbidden', NEEDS_ACCESS_KEY);
  // Apps read often and rarely pay, so a revoked key would be noticed late if it was cached. The key of a token never is.
  const isCached = sentCredential(request)?.kind !== 'token';
  if (isCached && !(await accounts.findValid(key.id))) throw new Refusal('unauthorized', 'The key is revoked or expired.');
  return { ...key, walletId: key.walletId };
}

/** Returns the wallet of the access key of a request, if the key has the permission. @throws Refusal `unauthorized`, `forbidden` */
export async function authorizeApp(deps: LndhubContext, request: FastifyRequest, permission: Permission): Promise<WalletAuthorization> {
  const { walletId } = await accessKey(deps, request);
  return deps.access.authorizeWalletId(request, walletId, permission);
}

export const NEEDS_ACCESS_KEY = 'Apps need an access key of a wallet (waka_, waki_ or wakr_).';
