import type { FastifyRequest } from 'fastify';
import { type Accounts, type Key, keyGuard } from '../../accounts/accounts.ts';
import { KEY_KINDS, type Permission } from '../../accounts/keys.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { Guard } from '../../ledger/posting.ts';
import type { Wallet, Wallets } from '../../wallets/wallets.ts';
import type { Limits } from '../limits/rate-limits.ts';
import { credentialText } from './credential.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking, once somebody has wanted to know; {@link Access} alone sets it. */
    credential: Promise<Presented> | undefined;
  }
}

/** Who is asking, and what they may do. Every route begins with one of these. */
export interface Access {
  /** The key that was presented. @throws Refusal `unauthorized`; `forbidden` for one that only names a wallet in links. */
  anyKey(request: FastifyRequest): Promise<Key>;
  /** The account of a secret API key. @throws Refusal `unauthorized`, `forbidden` */
  account(request: FastifyRequest): Promise<string>;
  /** The same, with the credential. */
  owner(request: FastifyRequest): Promise<Presented>;
  /** A secret API key without limits, which alone may make and end other keys, a new wallet's among them. @throws Refusal `unauthorized`, `forbidden` */
  keyManager(request: FastifyRequest): Promise<Presented>;
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

/** The credential that counts, as it was sent, and the key that it is. */
export interface Presented {
  readonly text: string;
  readonly key: Key;
}

export interface Spender {
  readonly wallet: Wallet;
  readonly guards: readonly Guard[];
  /** The key whose authority it is; its limits count. */
  readonly presented: Presented;
}

export function createAccess(accounts: Accounts, wallets: Wallets, limits?: Limits): Access {
  /** Read once a request, however often it is asked. */
  function presented(request: FastifyRequest): Promise<Presented> {
    request.credential ??= readPresented(request);
    return request.credential;
  }

  async function readPresented(request: FastifyRequest): Promise<Presented> {
    const text = credentialText(request);
    const key = text === undefined ? undefined : await accounts.find(text);
    if (text !== undefined && key && !isLinkName(key.kind)) {
      limits?.keyIsGood(request);
      return { text, key };
    }
    limits?.keyIsUnknown(request);
    if (key)
      throw new Refusal(
        'forbidden',
        "This needs a key that is secret or the account's; the one that was sent only names a wallet in links.",
      );
    throw new Refusal('unauthorized', text === undefined ? 'No API key was sent.' : 'The API key is unknown or revoked.');
  }

  async function spenderOf(request: FastifyRequest, idOrKey: string, permission: Permission): Promise<Spender> {
    const credential = await presented(request);
    const { key } = credential;
    const named = await wallets.resolve(idOrKey);
    if (named?.wallet.accountId !== key.accountId) throw new Refusal('not_found');
    if (key.walletId !== undefined && key.walletId !== named.wallet.id) throw new Refusal('not_found');
    // A key in the path counts only where the credential is no authority of its own: a public API key names the account.
    const authority = key.kind === 'public_api' && named.key ? { text: idOrKey, key: named.key } : credential;
    if (authority !== credential) limits?.keyIsGood(request, idOrKey);
    if (key.kind === 'public_api' && !named.key) throw new Refusal('forbidden', NEEDS_ACCESS_KEY);
    requirePermission(authority.key.kind, permission);
    const keys = authority === credential ? [key] : [key, authority.key];
    return { wallet: named.wallet, guards: keys.map(keyGuard), presented: authority };
  }

  const anyKey = async (request: FastifyRequest) => (await presented(request)).key;

  async function owner(request: FastifyRequest): Promise<Presented> {
    const credential = await presented(request);
    if (credential.key.kind !== 'secret_api') throw new Refusal('forbidden', 'This needs a secret API key (sak_).');
    return credential;
  }

  return {
    anyKey,
    owner,
    account: async (request) => (await owner(request)).key.accountId,
    async keyManager(request) {
      const credential = await owner(request);
      // It could make itself a key, or a wallet with keys, without them.
      if (credential.key.limits) throw new Refusal('forbidden', 'This needs a secret API key (sak_) without a budget or a cap.');
      return credential;
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

function hasPermission(kind: Key['kind'], permission: Permission): boolean {
  return (KEY_KINDS[kind].permissions as readonly Permission[]).includes(permission);
}

/** Everybody to whom a link was shown has such a key, so it is nobody's credential, and its requests count against their addresses. */
function isLinkName(kind: Key['kind']): boolean {
  return KEY_KINDS[kind].isPublic && kind !== 'public_api';
}

const NEEDS_ACCESS_KEY =
  "A public API key (pak_) needs an access key in the path, not the wallet's id. With the wallet's id, use a secret API key (sak_).";

/** @throws Refusal `forbidden`, with the keys that have the permission. */
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
