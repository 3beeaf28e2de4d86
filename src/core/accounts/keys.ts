import { hash } from 'node:crypto';
import { randomText } from '../kernel/ids.ts';

/** A right to use a wallet. */
export type Permission = 'wallet_read' | 'wallet_tx_read' | 'wallet_deposit' | 'wallet_transfer' | 'wallet_withdraw';

interface KindRule {
  /** The first one is canonical; the others are aliases for old clients. */
  readonly prefixes: readonly [string, ...string[]];
  readonly permissions: readonly Permission[];
  /** Whether the key is an identifier that may be shown again, not a secret. */
  readonly isPublic: boolean;
}

/** The kinds of keys and all their permissions. */
export const KEY_KINDS = {
  secret_api: {
    prefixes: ['sak'],
    permissions: ['wallet_read', 'wallet_tx_read', 'wallet_deposit', 'wallet_transfer', 'wallet_withdraw'],
    isPublic: false,
  },
  public_api: { prefixes: ['pak'], permissions: [], isPublic: true },
  wallet_admin: {
    prefixes: ['waka', 'wa'],
    permissions: ['wallet_read', 'wallet_tx_read', 'wallet_deposit', 'wallet_transfer', 'wallet_withdraw'],
    isPublic: false,
  },
  wallet_invoice: { prefixes: ['waki', 'wi'], permissions: ['wallet_deposit', 'wallet_tx_read'], isPublic: false },
  wallet_read: { prefixes: ['wakr', 'wr'], permissions: ['wallet_read', 'wallet_tx_read'], isPublic: false },
  wallet_lnurl_withdraw: { prefixes: ['waklw'], permissions: [], isPublic: true },
  wallet_lnurl_pay: { prefixes: ['waklp'], permissions: [], isPublic: true },
  // An app that is connected over Nostr. It signs its requests with its own key, so nobody has the text of this one.
  wallet_connection: { prefixes: ['wakc'], permissions: [], isPublic: false },
} as const satisfies Record<string, KindRule>;

export type KeyKind = keyof typeof KEY_KINDS;

const KIND_OF_PREFIX = new Map<string, KeyKind>(
  (Object.keys(KEY_KINDS) as KeyKind[]).flatMap((kind) => KEY_KINDS[kind].prefixes.map((prefix) => [prefix, kind] as const)),
);

const MAX_KEY_LENGTH = 128;
/** 28 letters and digits have 166 bits, 142 of them without the four characters that are shown again. */
const SECRET_LENGTH = 28;
const SHOWN_LENGTH = 4;

/**
 * Returns the kind of a key, and the SHA-256 in hex under which it is stored; undefined if the text is malformed. `wa_X` and `waka_X` are the
 * same key.
 */
export function parseKey(text: string) {
  if (text.length > MAX_KEY_LENGTH) return undefined;
  const kind = KIND_OF_PREFIX.get(prefixOf(text));
  const secret = secretOf(text);
  // The secret is random, so a fast hash is safe. It runs for every request.
  return kind && secret !== '' ? { kind, hash: hash('sha256', secret, 'hex') } : undefined;
}

/** Returns the canonical text of a key (`waka_X` for `wa_X`), and any other text unchanged. Runs for every request, so it does not hash. */
export function canonicalText(text: string): string {
  const kind = KIND_OF_PREFIX.get(prefixOf(text));
  return kind === undefined ? text : `${KEY_KINDS[kind].prefixes[0]}_${secretOf(text)}`;
}

/** Returns whether a text has the prefix of a public kind. Runs for every request, so it does not hash. */
export function isPublicText(text: string): boolean {
  const kind = KIND_OF_PREFIX.get(prefixOf(text));
  return kind !== undefined && KEY_KINDS[kind].isPublic;
}

/** Generates a key of a kind. */
export function newKeyText(kind: KeyKind): string {
  return `${KEY_KINDS[kind].prefixes[0]}_${randomText(SECRET_LENGTH)}`;
}

/** Returns the last four characters of a secret key, by which its owner recognizes it; undefined for public or short keys. */
export function lastFourOf(kind: KeyKind, text: string): string | undefined {
  const secret = secretOf(text);
  return !KEY_KINDS[kind].isPublic && secret.length >= SECRET_LENGTH ? secret.slice(-SHOWN_LENGTH) : undefined;
}

function prefixOf(text: string): string {
  return text.slice(0, Math.max(text.indexOf('_'), 0));
}

function secretOf(text: string): string {
  return text.slice(text.indexOf('_') + 1);
}
