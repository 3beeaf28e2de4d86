import type { FastifyRequest } from 'fastify';
import { type Accounts, type Key, keyGuard } from '../accounts/accounts.ts';
import { KEY_KINDS, type Permission } from '../accounts/keys.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard } from '../ledger/posting.ts';
import type { Wallet, Wallets } from '../wallets/wallets.ts';
import type { Limits } from './limits.ts';
import { presentedText } from './presented-key.ts';

/** Who is asking, and what they may do. Every route begins with one of these. */
export interface Access {
  /** The key that was presented. @throws Refusal `unauthorized` */
  anyKey(request: FastifyRequest): Promise<Key>;
  /** The account of a secret API key. @throws Refusal `unauthorized`, `forbidden` */
  account(request: FastifyRequest): Promise<string>;
  /** A key that only its owner has: not a public identifier. @throws Refusal `unauthorized`, `forbidden` */
  secretKey(request: FastifyRequest): Promise<Key>;
  /**
   * The wallet that the path names, if the caller may do this with it.
   * @throws Refusal `unauthorized`, `forbidden`; `not_found` for a wallet that is unknown or somebody else's.
   */
  wallet(request: FastifyRequest & { params: { key: string } }, permission: Permission): Promise<Wallet>;
  /** The same, with what makes a posting depend on the keys that were shown. */
  spender(request: FastifyRequest & { params: { key: string } }, permission: Permission): Promise<Spender>;
  /** The same for a wallet by its id, behind something that the path names; one that is undefined is somebody else's. */
  ownerOf(request: FastifyRequest, walletId: string | undefined, permission: Permission): Promise<Spender>;
  /** The same for a wallet that the body names. */
  walletNamed(request: FastifyRequest, idOrKey: string, permission: Permission): Promise<Wallet>;
}

export interface Spender {
  readonly wallet: Wallet;
  readonly guards: readonly Guard[];
}

export function createAccess(accounts: Accounts, wallets: Wallets, limits?: Limits): Access {
  const shown = new WeakMap<FastifyRequest, Promise<Key>>();

  /** Once a request, however often it is asked. */
  function anyKey(request: FastifyRequest): Promise<Key> {
    const known = shown.get(request);
    if (known) return known;
    const key = readKey(request);
    shown.set(request, key);
    return key;
  }

  async function readKey(request: FastifyRequest): Promise<Key> {
    const text = presentedText(request);
    const key = text === undefined ? undefined : await accounts.find(text);
    if (key) {
      limits?.keyIsGood(request);
      return key;
    }
    limits?.keyIsUnknown(request);
    throw new Refusal('unauthorized', text === undefined ? 'No API key was sent.' : 'The API key is unknown or revoked.');
  }

  async function spenderOf(request: FastifyRequest, idOrKey: string, permission: Permission): Promise<Spender> {
    const key = await anyKey(request);
    const named = await wallets.resolve(idOrKey);
    if (named?.wallet.accountId !== key.accountId) throw new Refusal('not_found');
    if (key.walletId !== undefined && key.walletId !== named.wallet.id) throw new Refusal('not_found');
    requirePermission(effectiveKind(key, named.key), permission);
    // A key in the path counts only where the credential is no authority of its own.
    const keys = key.kind === 'public_api' && named.key ? [key, named.key] : [key];
    return { wallet: named.wallet, guards: keys.map(keyGuard) };
  }

  return {
    anyKey,
    async account(request) {
      const key = await anyKey(request);
      if (key.kind !== 'secret_api') throw new Refusal('forbidden', 'This needs a secret API key (sak_).');
      return key.accountId;
    },
    async secretKey(request) {
      const key = await anyKey(request);
      if (KEY_KINDS[key.kind].isPublic) throw new Refusal('forbidden', 'This needs a secret key; the one that was sent is public.');
      return key;
    },
    wallet: async (request, permission) => (await spenderOf(request, request.params.key, permission)).wallet,
    spender: (request, permission) => spenderOf(request, request.params.key, permission),
    ownerOf: (request, walletId, permission) => spenderOf(request, walletId ?? '', permission),
    walletNamed: async (request, idOrKey, permission) => (await spenderOf(request, idOrKey, permission)).wallet,
  };
}

/** A public API key only names the account: what counts is the wallet access key in the path. */
function effectiveKind(credential: Key, inPath: Key | undefined): Key['kind'] {
  return credential.kind === 'public_api' ? (inPath?.kind ?? 'public_api') : credential.kind;
}

export function hasPermission(kind: Key['kind'], permission: Permission): boolean {
  return (KEY_KINDS[kind].permissions as readonly Permission[]).includes(permission);
}

function requirePermission(kind: Key['kind'], permission: Permission): void {
  if (!hasPermission(kind, permission)) throw new Refusal('forbidden', `The key lacks the permission ${permission}.`);
}
