import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { encodeLnurl } from '../../src/core/lightning/bech32.ts';
import { isDestination, readDestination } from '../../src/features/lnurl/remote/destination.ts';

const URL_OF_LINK = 'https://pay.example.com/lnurlp/17?a=1';
const LNURL = encodeLnurl(URL_OF_LINK);

/** The message of the refusal, which a user reads. */
function refusalOf(text: string, wanted: 'pay' | 'withdraw' = 'pay'): string {
  try {
    return `accepted: ${readDestination(text, wanted).url}`;
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).type).toBe('lnurl_invalid');
    return (error as Refusal).message;
  }
}

describe('a destination', () => {
  it.each([
    LNURL,
    LNURL.toLowerCase(),
    ` lightning:${LNURL}\n`,
    `LIGHTNING:${LNURL}`,
    `lightning://${LNURL.toLowerCase()}`,
    `https://shop.example.com/gift?id=1&lightning=${LNURL}`,
    `https://shop.example.com/gift?lightning=${LNURL.toLowerCase()}&id=1#top`,
    `bitcoin:bc1qexample?amount=1&lightning=${LNURL}`,
    'lnurlp://pay.example.com/lnurlp/17?a=1',
    'LNURLP://pay.example.com/lnurlp/17?a=1',
    'lnurlp:pay.example.com/lnurlp/17?a=1',
    'lightning:lnurlp://pay.example.com/lnurlp/17?a=1',
    `lnurlp:${LNURL}`,
  ])('is read from %s', (text) => {
    expect(readDestination(text, 'pay')).toEqual({ url: URL_OF_LINK, domain: 'pay.example.com', address: undefined });
    expect(isDestination(text)).toBe(true);
  });

  it.each([
    ['bob@example.com', 'https://example.com/.well-known/lnurlp/bob', 'bob@example.com'],
    [' Bob@Example.COM ', 'https://example.com/.well-known/lnurlp/bob', 'bob@example.com'],
    ['lightning:bob@example.com', 'https://example.com/.well-known/lnurlp/bob', 'bob@example.com'],
    ['bob.the-2nd_x@example.com:8443', 'https://example.com:8443/.well-known/lnurlp/bob.the-2nd_x', 'bob.the-2nd_x@example.com:8443'],
    ['bob+tips@example.com', 'https://example.com/.well-known/lnurlp/bob+tips', 'bob+tips@example.com'],
    ['bob@abcdef.onion', 'http://abcdef.onion/.well-known/lnurlp/bob', 'bob@abcdef.onion'],
    ['bob@127.0.0.1:4021', 'http://127.0.0.1:4021/.well-known/lnurlp/bob', 'bob@127.0.0.1:4021'],
    ['bob@[::1]:4021', 'http://[::1]:4021/.well-known/lnurlp/bob', 'bob@[::1]:4021'],
    ['bob@bücher.example', 'https://xn--bcher-kva.example/.well-known/lnurlp/bob', 'bob@xn--bcher-kva.example'],
  ])('is the Lightning address %s', (text, url, address) => {
    expect(readDestination(text, 'pay')).toEqual({ url, domain: new URL(url).host, address });
    expect(isDestination(text)).toBe(true);
  });

  it('L2: shows the address that other spellings of an IP address stand for', () => {
    for (const host of ['2130706433', '0x7f000001', '0177.0.0.1', '127.1'])
      expect(readDestination(`bob@${host}`, 'pay')).toMatchObject({ domain: '127.0.0.1', address: 'bob@127.0.0.1' });
  });

  it('uses http for onion services', () => {
    expect(readDestination('lnurlp://abcdef.onion/pay', 'pay').url).toBe('http://abcdef.onion/pay');
    expect(readDestination('lnurlp://abcdef.onion.example.com/pay', 'pay').url).toBe('https://abcdef.onion.example.com/pay');
    expect(readDestination('lnurlp://localhost.example.com/pay', 'pay').url).toBe('https://localhost.example.com/pay');
  });

  it.each([
    ['a withdraw link', 'lnurlw://pay.example.com/x', 'pay', /withdraw link, not a pay link.*lnurl\/pull/],
    ['a withdraw link by its tag', encodeLnurl('https://a.example/x?tag=withdrawRequest&k1=00'), 'pay', /withdraw link.*lnurl\/pull/],
    ['a pay link', 'lnurlp://pay.example.com/x', 'withdraw', /pay link, not a withdraw link.*lnurlp\/pay/],
    ['an address', 'bob@example.com', 'withdraw', /address, which receives money.*lnurlp\/pay/],
    ['a login link', 'keyauth://pay.example.com/x?k1=00', 'pay', /login link/],
    ['a login link by its tag', encodeLnurl('https://a.example/x?tag=login&k1=00'), 'withdraw', /login link/],
    ['a channel link', 'lnurlc://pay.example.com/x', 'pay', /channel link/],
    ['an invoice', 'lnbcrt10u1p4szcp7pp5xfc', 'pay', /BOLT11 invoice.*\/withdraw/],
    [
      'an offer',
      'lno1qcp4256ypqpq86q2pucnq42ngssx2an9wfujqerp0y2pqun4wd68jtn00fkxzcnn9ehhyec6qgqsz83qfwdpl28qqmc78ymlvhmxcs',
      'pay',
      /BOLT12/,
    ],
    ['a Bitcoin address', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'pay', /Bitcoin address/],
    ['a web address', 'https://pay.example.com/lnurlp/17', 'pay', /web address.*lnurlp:\/\//],
    ['an address in another script', 'bоb@example.com', 'pay', /neither an LNURL nor a Lightning address/],
    ['two at signs', 'bob@example.com@evil.example', 'pay', /neither/],
    ['a path after the host', 'bob@example.com/evil', 'pay', /neither/],
    ['a query after the host', 'bob@example.com?x', 'pay', /neither/],
    ['a backslash in the host', 'bob@example.com\\evil', 'pay', /neither/],
    ['a user name alone', '@example.com', 'pay', /neither/],
    ['a host alone', 'bob@', 'pay', /neither/],
    ['a bad port', 'bob@example.com:99999', 'pay', /neither/],
    ['a name that is too long', `${'b'.repeat(65)}@example.com`, 'pay', /neither/],
    ['a wrong character', `${LNURL.slice(0, -1)}${LNURL.endsWith('Q') ? 'P' : 'Q'}`, 'pay', /not valid bech32/],
    ['mixed case', LNURL.replace('LNURL', 'lnurl'), 'pay', /not valid bech32/],
    ['no text', '', 'pay', /neither/],
    ['a long text', 'lnurl1'.padEnd(5000, 'q'), 'pay', /at most 4296/],
    ['a scheme alone', 'lnurlp://', 'pay', /neither/],
    ['spaces in a URL', 'lnurlp://pay.example.com/a b', 'pay', /no URL/],
    ['no host', 'lnurlp:///etc/passwd', 'pay', /neither/],
  ] as const)('refuses %s with a remedy', (_, text, wanted, message) => {
    expect(refusalOf(text, wanted)).toMatch(message);
  });

  it('never repeats the text of a link, which may contain a secret', () => {
    for (const text of ['lnurlw://a.example/secret-17', 'secret-17', `${encodeLnurl('https://a.example/secret-17')}x`])
      expect(refusalOf(text)).not.toContain('secret-17');
  });

  it('is not confused with an invoice', () => {
    for (const text of ['lnbcrt10u1p4szcp7pp5xfc', 'lightning:LNBC1', 'bitcoin:bc1q?lightning=lnbc1xyz', 'abc', ''])
      expect(isDestination(text)).toBe(false);
  });
});
