import { hash } from 'node:crypto';
import { randomText } from '../kernel/ids.ts';

/** What a key may do with a wallet. */
export type Permission = 'wallet_read' | 'wallet_tx_read' | 'wallet_deposit' | 'wallet_transfer' | 'wallet_withdraw';

interface KindRule {
  /** The first is the canonical one; the others are old clients' names for the same kind. */
  readonly prefixes: readonly [string, ...string[]];
  readonly permissions: readonly Permission[];
  /** Whether the key itself may be shown again: an identifier, not a secret. */
  readonly isPublic: boolean;
}

/** The kinds of keys; the whole table of who may do what to a wallet. */
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
} as const satisfies Record<string, KindRule>;

export type KeyKind = keyof typeof KEY_KINDS;

const KIND_OF_PREFIX = new Map<string, KeyKind>(
  (Object.keys(KEY_KINDS) as KeyKind[]).flatMap((kind) => KEY_KINDS[kind].prefixes.map((prefix) => [prefix, kind] as const)),
);

const CANONICAL_PREFIX = new Map<string, string>(
  Object.values(KEY_KINDS).flatMap(({ prefixes: [canonical, ...others] }) => others.map((other) => [other, canonical] as const)),
);

const MAX_KEY_LENGTH = 128;
/** 28 letters and digits: 166 bits, 142 of them beyond the four characters that are shown again. */
const SECRET_LENGTH = 28;
const SHOWN_LENGTH = 4;

/** What a presented key says: its kind, and the SHA-256 under which its secret is stored. */
export interface ParsedKey {
  readonly kind: KeyKind;
  /** In hex. */
  readonly hash: string;
}

/** Reads a key as it was presented; undefined when it has not the form of one. `wa_X` and `waka_X` are the same key. */
export function parseKey(text: string): ParsedKey | undefined {
  if (text.length > MAX_KEY_LENGTH) return undefined;
  const split = text.indexOf('_');
  const kind = KIND_OF_PREFIX.get(text.slice(0, Math.max(split, 0)));
  if (!kind || split === text.length - 1) return undefined;
  return { kind, hash: hashSecret(text.slice(split + 1)) };
}

/** The same text for every spelling of a key: `wa_X` is `waka_X`. Any other text as it is. Done for every request, so it hashes nothing. */
export function canonicalText(text: string): string {
  const split = text.indexOf('_');
  const canonical = CANONICAL_PREFIX.get(text.slice(0, Math.max(split, 0)));
  return canonical === undefined ? text : canonical + text.slice(split);
}

/** Whether a text has the prefix of a public kind. Like {@link canonicalText} it runs for every request. */
export function isPublicText(text: string): boolean {
  const kind = KIND_OF_PREFIX.get(text.slice(0, Math.max(text.indexOf('_'), 0)));
  return kind !== undefined && KEY_KINDS[kind].isPublic;
}

/** A new key of a kind, as it is shown to its owner. */
export function newKeyText(kind: KeyKind): string {
  return `${KEY_KINDS[kind].prefixes[0]}_${randomText(SECRET_LENGTH)}`;
}

/** What a secret's owner knows it by again; undefined for a text that has not enough besides, or is no secret. */
export function lastFourOf(text: string): string | undefined {
  const kind = parseKey(text)?.kind;
  const secret = text.slice(text.indexOf('_') + 1);
  return kind && !KEY_KINDS[kind].isPublic && secret.length >= SECRET_LENGTH ? secret.slice(-SHOWN_LENGTH) : undefined;
}

/** A fast hash is enough, and needed on every request: the secret is random, so there is nothing to guess. */
function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
