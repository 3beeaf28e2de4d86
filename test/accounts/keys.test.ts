import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalText, isPublicText, KEY_KINDS, type KeyKind, lastFourOf, newKeyText, parseKey } from '../../src/core/accounts/keys.ts';

const KINDS = Object.keys(KEY_KINDS) as KeyKind[];

it.each(KINDS)('generates and parses keys of the kind %s', (kind) => {
  const text = newKeyText(kind);
  const [prefix = '', secret = ''] = text.split('_');
  expect([prefix, secret.length]).toEqual([KEY_KINDS[kind].prefixes[0], 28]);
  expect(parseKey(text)).toEqual({ kind, hash: createHash('sha256').update(secret).digest('hex') });
  expect(newKeyText(kind)).not.toBe(text);
  expect(isPublicText(text)).toBe(KEY_KINDS[kind].isPublic);
});

it.each([
  ['wa_abc', 'waka_abc', 'wallet_admin'],
  ['wi_abc', 'waki_abc', 'wallet_invoice'],
  ['wr_abc', 'wakr_abc', 'wallet_read'],
])('takes %s for %s', (old, canonical, kind) => {
  expect(canonicalText(old)).toBe(canonical);
  expect(parseKey(old)).toEqual(parseKey(canonical));
  expect(parseKey(old)?.kind).toBe(kind);
});

it.each(['', '_', 'sak', 'sak_', '_abc', 'SAK_abc', 'key_abc', 'wal_abc', 'sak-abc', ' sak_abc', `sak_${'x'.repeat(125)}`])(
  'finds no key in %j',
  (text) => {
    expect(parseKey(text)).toBeUndefined();
    expect(canonicalText(text)).toBe(text);
  },
);

it('accepts a key of 128 characters, and keeps underscores in a chosen secret', () => {
  expect(parseKey(`sak_${'x'.repeat(124)}`)?.kind).toBe('secret_api');
  expect(parseKey('sak_a_b')?.hash).toBe(createHash('sha256').update('a_b').digest('hex'));
  expect(canonicalText('wa_a_b')).toBe('waka_a_b');
});

it('shows the last four characters of long secret keys only', () => {
  const text = newKeyText('secret_api');
  expect(lastFourOf('secret_api', text)).toBe(text.slice(-4));
  expect(lastFourOf('secret_api', 'sak_chosen-by-the-operator')).toBeUndefined();
  expect(lastFourOf('public_api', newKeyText('public_api'))).toBeUndefined();
});

it('gives each right to exactly the kinds that document it', () => {
  const kindsWith = (permission: string) => KINDS.filter((kind) => (KEY_KINDS[kind].permissions as readonly string[]).includes(permission));
  expect(kindsWith('wallet_withdraw')).toEqual(['secret_api', 'wallet_admin']);
  expect(kindsWith('wallet_transfer')).toEqual(['secret_api', 'wallet_admin']);
  expect(kindsWith('wallet_deposit')).toEqual(['secret_api', 'wallet_admin', 'wallet_invoice']);
  expect(kindsWith('wallet_read')).toEqual(['secret_api', 'wallet_admin', 'wallet_read']);
  expect(kindsWith('wallet_tx_read')).toEqual(['secret_api', 'wallet_admin', 'wallet_invoice', 'wallet_read']);
  for (const kind of KINDS) if (KEY_KINDS[kind].isPublic) expect(KEY_KINDS[kind].permissions).toEqual([]);
});
