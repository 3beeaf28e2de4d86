import type { FastifyRequest } from 'fastify';
import { type Accounts, type Key, keyGuards } from '../../core/accounts/accounts.ts';
import { type AccountDirectory, NEEDS_OPERATOR } from '../../core/accounts/directory.ts';
import type { KeyUses } from '../../core/accounts/key-uses.ts';
import { KEY_KINDS, type Permission } from '../../core/accounts/keys.ts';
import type { Sessions } from '../../core/accounts/sessions.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Guard } from '../../core/ledger/ledger.ts';
import type { Wallet, Wallets } from '../../core/wallets/wallets.ts';
import { callerOf } from '../limits/callers.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { SESSION_PREFIX, type SentCredential, sentCredential } from './credential.ts';

type WalletRequest = FastifyRequest & { params: { key: string } };

/** The credential of a request: its text, and the key that it identifies. A session counts as a secret API key. */
export interface Credential {
  readonly text: string;
  readonly key: Key;
}

export interface WalletAuthorization {
  readonly wallet: Wallet;
  /** Postings with these guards fail when a key of the request was revoked in the meantime. */
  readonly guards: readonly Guard[];
  /** The key that grants the permission. Its limits apply. */
  readonly credential: Credential;
}

/** Authenticates requests and checks permissions. Each route that needs a key calls one of its functions first. */
export type Access = ReturnType<typeof createAccess>;

export interface AccessModules {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly directory: AccountDirectory;
  readonly keyUses: KeyUses;
  readonly wallets: Wallets;
  readonly limits?: RateLimits;
}

export function createAccess({ directory, keyUses, wallets, limits, ...modules }: AccessModules) {
  async function credentialOf(request: FastifyRequest): Promise<Credential> {
    if (request.credential) return request.credential;
    const sent = sentCredential(request);
    const key = sent && (await findKey(modules, sent));
    if (!key || isLinkKey(key.kind)) {
      limits?.recordInvalidKey(request);
      throw invalidCredential(sent, key);
    }
    requireNoLimits(request, key);
    limits?.recordValidKey(request);
    keyUses.record(key);
    const isChange = isManaging(request);
    request.credential = { text: sent.text, key: isChange ? { ...key, isManaging: true } : key };
    if (request.booking) Object.assign(request.booking, { accountId: key.accountId, payer: callerOf(request).payer });
    // The transaction of the change checks it again.
    if (isChange) await directory.requireAllowed(key.accountId, 'manage');
    return request.credential;
  }

  /** Returns the key of the request. @throws Refusal `unauthorized`; `forbidden` for a key that only identifies a wallet in links. */
  const anyKey = async (request: FastifyRequest) => (await credentialOf(request)).key;

  /** Returns the key when it is not a public identifier. @throws Refusal `unauthorized`, `forbidden` */
  async function secretKey(request: FastifyRequest): Promise<Key> {
    const key = await anyKey(request);
    if (KEY_KINDS[key.kind].isPublic) throw new Refusal('forbidden', 'This needs a secret key; the one that was sent is public.');
    return key;
  }

  /** Returns the credential when it is a secret API key. @throws Refusal `unauthorized`, `forbidden` */
  async function secretApiKey(request: FastifyRequest): Promise<Credential> {
    const credential = await credentialOf(request);
    if (credential.key.kind !== 'secret_api') throw new Refusal('forbidden', 'This needs a secret API key (sak_).');
    return credential;
  }

  /**
   * Returns the credential when it is a secret API key without limits. Only such a key may create and revoke keys, those of a new wallet
   * included: one with limits could otherwise create a key, or a wallet with keys, that has none. @throws Refusal `unauthorized`, `forbidden`
   */
  async function keyManager(request: FastifyRequest): Promise<Credential> {
    const credential = await secretApiKey(request);
    if (credential.key.limits) throw new Refusal('forbidden', 'This needs a secret API key (sak_) without a budget or a cap.');
    return credential;
  }

  /** Same as `keyManager`, for the account of an operator. */
  async function operator(request: FastifyRequest): Promise<Credential> {
    const credential = await keyManager(request);
    if (!(await directory.isOperator(credential.key.accountId))) throw new Refusal('forbidden', NEEDS_OPERATOR);
    return credential;
  }

  /**
   * Returns a wallet, by its id or one of its access keys, if the caller has the permission in it, and the guards for postings.
   * @throws Refusal `unauthorized`, `forbidden`; `not_found` for an unknown wallet, for one of another account, and for undefined.
   */
  async function authorize(request: FastifyRequest, idOrKey: string | undefined, permission: Permission): Promise<WalletAuthorization> {
    const sent = await credentialOf(request);
    const { key } = sent;
    const resolved = await wallets.resolve(idOrKey ?? '');
    if (resolved?.wallet.accountId !== key.accountId) throw new Refusal('not_found');
    if (key.walletId !== undefined && key.walletId !== resolved.wallet.id) throw new Refusal('not_found');
    // A public API key only identifies the account: the permissions come from the access key in the path.
    const credential = key.kind === 'public_api' && resolved.key ? { text: idOrKey ?? '', key: resolved.key } : sent;
    if (credential !== sent) {
      limits?.recordValidKey(request, idOrKey);
      keyUses.record(credential.key);
    }
    if (key.kind === 'public_api' && !resolved.key) throw new Refusal('forbidden', NEEDS_ACCESS_KEY);
    requirePermission(credential.key.kind, permission);
    requireNoLimits(request, credential.key);
    const guards = [...new Set([key, credential.key])].flatMap(keyGuards);
    return { wallet: resolved.wallet, guards, credential };
  }

  return {
    anyKey,
    secretKey,
    secretApiKey,
    keyManager,
    operator,
    authorizeWalletId: authorize,

    /** Returns the account id of a secret API key. @throws Refusal `unauthorized`, `forbidden` */
    account: async (request: FastifyRequest) => (await secretApiKey(request)).key.accountId,

    /** Same as `authorizeWalletId`, for the wallet in the path. */
    authorizeWallet: (request: WalletRequest, permission: Permission) => authorize(request, request.params.key, permission),

    /** Returns the wallet in the path. @throws Refusal as `authorizeWalletId` */
    wallet: async (request: WalletRequest, permission: Permission) => (await authorize(request, request.params.key, permission)).wallet,

    /** Returns a wallet in the body or the query. @throws Refusal as `authorizeWalletId` */
    walletByIdOrKey: async (request: FastifyRequest, idOrKey: string, permission: Permission) =>
      (await authorize(request, idOrKey, permission)).wallet,
  };
}

function invalidCredential(sent: SentCredential | undefined, key: Key | undefined): Refusal {
  if (key) return new Refusal('forbidden', ONLY_FOR_LINKS);
  if (sent?.kind === 'session') return new Refusal('unauthorized', 'The session has ended. Log in again.');
  return new Refusal('unauthorized', sent ? 'The API key is unknown or revoked.' : 'No API key was sent.');
}

function findKey({ accounts, sessions }: Pick<AccessModules, 'accounts' | 'sessions'>, { kind, text }: SentCredential) {
  if (kind === 'session') return sessions.find(text.slice(SESSION_PREFIX.length));
  return kind === 'token' ? accounts.findValid(text) : accounts.find(text);
}

/** @throws Refusal `forbidden` for a key with a budget or a cap, at a route that manages something. */
function requireNoLimits({ routeOptions }: FastifyRequest, { limits }: Key): void {
  if (limits && routeOptions.schema?.['x-without-limits']) throw new Refusal('forbidden', NEEDS_NO_LIMITS);
}

/** Returns whether the route changes what an account has, apart from its money. */
function isManaging({ method, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && routeOptions.schema?.['x-without-limits'] === true;
}

function hasPermission(kind: Key['kind'], permission: Permission): boolean {
  return (KEY_KINDS[kind].permissions as readonly Permission[]).includes(permission);
}

/** Returns whether keys of this kind are part of published links. They are no credential, and their requests count against the address. */
function isLinkKey(kind: Key['kind']): boolean {
  return KEY_KINDS[kind].isPublic && kind !== 'public_api';
}

const NEEDS_NO_LIMITS = 'A key with a budget or a cap cannot do this. Send a key without limits.';
const ONLY_FOR_LINKS = 'This key only identifies a wallet in links. Use a secret API key (sak_) or a wallet access key.';
const NEEDS_ACCESS_KEY =
  "A public API key (pak_) needs an access key in the path, not the wallet's id. With the wallet's id, use a secret API key (sak_).";

/** @throws Refusal `forbidden`, with the prefixes of the keys that have the permission. */
export function requirePermission(kind: Key['kind'], permission: Permission): void {
  if (hasPermission(kind, permission)) return;
  const kinds = (Object.keys(KEY_KINDS) as Key['kind'][]).filter((one) => hasPermission(one, permission));
  const prefixes = kinds.map((one) => `${KEY_KINDS[one].prefixes[0]}_`);
  const last = prefixes.pop();
  throw new Refusal(
    'forbidden',
    `The key lacks the permission ${permission}. Use a key that begins with ${prefixes.join(', ')} or ${last}.`,
  );
}
