import type { FastifyRequest } from 'fastify';
import { type Accounts, type Key, keyGuard } from '../../core/accounts/accounts.ts';
import { type AccountDirectory, NEEDS_OPERATOR } from '../../core/accounts/directory.ts';
import type { KeyUses } from '../../core/accounts/key-uses.ts';
import { KEY_KINDS, type Permission } from '../../core/accounts/keys.ts';
import type { Sessions } from '../../core/accounts/sessions.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Guard } from '../../core/ledger/ledger.ts';
import type { Wallet, Wallets } from '../../core/wallets/wallets.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { credentialText, sessionCredential } from './credential.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link Access} on first use. */
    credential: Credential | undefined;
  }
}

/** Authenticates requests and checks permissions. Each route that needs a key calls one of these first. */
export interface Access {
  /** Returns the key of the request. @throws Refusal `unauthorized`; `forbidden` for a key that only identifies a wallet in links. */
  anyKey(request: FastifyRequest): Promise<Key>;
  /** Returns the credential when it is a secret API key. @throws Refusal `unauthorized`, `forbidden` */
  secretApiKey(request: FastifyRequest): Promise<Credential>;
  /** Returns the account id of a secret API key. @throws Refusal `unauthorized`, `forbidden` */
  account(request: FastifyRequest): Promise<string>;
  /**
   * Returns the credential when it is a secret API key without limits. Only such a key may create and revoke keys, those of a new wallet
   * included. @throws Refusal `unauthorized`, `forbidden`
   */
  keyManager(request: FastifyRequest): Promise<Credential>;
  /** Same as {@link keyManager}, for the account of an operator. */
  operator(request: FastifyRequest): Promise<Credential>;
  /** Returns the key when it is not a public identifier. @throws Refusal `unauthorized`, `forbidden` */
  secretKey(request: FastifyRequest): Promise<Key>;
  /**
   * Returns the wallet in the path if the caller has the permission in it.
   * @throws Refusal `unauthorized`, `forbidden`; `not_found` for an unknown wallet and for one of another account.
   */
  wallet(request: WalletRequest, permission: Permission): Promise<Wallet>;
  /** Same as {@link wallet}, with the guards for postings. */
  authorizeWallet(request: WalletRequest, permission: Permission): Promise<WalletAuthorization>;
  /** Same as {@link authorizeWallet}, by the wallet's id; undefined counts as an unknown wallet. */
  authorizeWalletId(request: FastifyRequest, walletId: string | undefined, permission: Permission): Promise<WalletAuthorization>;
  /** Same as {@link wallet}, for a wallet in the body or the query. */
  walletByIdOrKey(request: FastifyRequest, idOrKey: string, permission: Permission): Promise<Wallet>;
}

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

interface AccessDependencies {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly directory: Pick<AccountDirectory, 'isOperator'>;
  readonly keyUses: Pick<KeyUses, 'record'>;
  readonly wallets: Pick<Wallets, 'resolve'>;
  readonly limits?: RateLimits;
}

export function createAccess({ accounts, sessions, directory, keyUses, wallets, limits }: AccessDependencies): Access {
  async function credentialOf(request: FastifyRequest): Promise<Credential> {
    if (request.credential) return request.credential;
    const text = credentialText(request);
    const secret = sessionCredential(request);
    const key = secret !== undefined ? await sessions.find(secret) : text === undefined ? undefined : await accounts.find(text);
    if (text !== undefined && key && !isLinkKey(key.kind)) {
      limits?.recordValidKey(request);
      keyUses.record(key);
      request.credential = { text, key };
      return request.credential;
    }
    limits?.recordInvalidKey(request);
    if (key)
      throw new Refusal('forbidden', 'This key only identifies a wallet in links. Use a secret API key (sak_) or a wallet access key.');
    if (secret !== undefined) throw new Refusal('unauthorized', 'The session has ended. Log in again.');
    throw new Refusal('unauthorized', text === undefined ? 'No API key was sent.' : 'The API key is unknown or revoked.');
  }

  async function authorize(request: FastifyRequest, idOrKey: string, permission: Permission): Promise<WalletAuthorization> {
    const sent = await credentialOf(request);
    const { key } = sent;
    const resolved = await wallets.resolve(idOrKey);
    if (resolved?.wallet.accountId !== key.accountId) throw new Refusal('not_found');
    if (key.walletId !== undefined && key.walletId !== resolved.wallet.id) throw new Refusal('not_found');
    // A public API key only identifies the account: the permissions come from the access key in the path.
    const credential = key.kind === 'public_api' && resolved.key ? { text: idOrKey, key: resolved.key } : sent;
    if (credential !== sent) {
      limits?.recordValidKey(request, idOrKey);
      keyUses.record(credential.key);
    }
    if (key.kind === 'public_api' && !resolved.key) throw new Refusal('forbidden', NEEDS_ACCESS_KEY);
    requirePermission(credential.key.kind, permission);
    const keys = credential === sent ? [key] : [key, credential.key];
    return { wallet: resolved.wallet, guards: keys.map(keyGuard), credential };
  }

  async function anyKey(request: FastifyRequest): Promise<Key> {
    return (await credentialOf(request)).key;
  }

  async function secretApiKey(request: FastifyRequest): Promise<Credential> {
    const credential = await credentialOf(request);
    if (credential.key.kind !== 'secret_api') throw new Refusal('forbidden', 'This needs a secret API key (sak_).');
    return credential;
  }

  async function keyManager(request: FastifyRequest): Promise<Credential> {
    const credential = await secretApiKey(request);
    // A key with limits could otherwise create a key, or a wallet with keys, that has none.
    if (credential.key.limits) throw new Refusal('forbidden', 'This needs a secret API key (sak_) without a budget or a cap.');
    return credential;
  }

  return {
    anyKey,
    secretApiKey,
    account: async (request) => (await secretApiKey(request)).key.accountId,
    keyManager,
    async operator(request) {
      const credential = await keyManager(request);
      if (!(await directory.isOperator(credential.key.accountId))) throw new Refusal('forbidden', NEEDS_OPERATOR);
      return credential;
    },
    async secretKey(request) {
      const key = await anyKey(request);
      if (KEY_KINDS[key.kind].isPublic) throw new Refusal('forbidden', 'This needs a secret key; the one that was sent is public.');
      return key;
    },
    wallet: async (request, permission) => (await authorize(request, request.params.key, permission)).wallet,
    authorizeWallet: (request, permission) => authorize(request, request.params.key, permission),
    authorizeWalletId: (request, walletId, permission) => authorize(request, walletId ?? '', permission),
    walletByIdOrKey: async (request, idOrKey, permission) => (await authorize(request, idOrKey, permission)).wallet,
  };
}

function hasPermission(kind: Key['kind'], permission: Permission): boolean {
  return (KEY_KINDS[kind].permissions as readonly Permission[]).includes(permission);
}

/** Returns whether keys of this kind are part of published links. They are no credential, and their requests count against the address. */
function isLinkKey(kind: Key['kind']): boolean {
  return KEY_KINDS[kind].isPublic && kind !== 'public_api';
}

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
