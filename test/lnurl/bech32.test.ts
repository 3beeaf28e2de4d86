import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLnurl, encodeLnurl, InvalidLnurl } from '../../src/core/lightning/bech32.ts';

// The example of LUD-01.
const URL_OF_LUD01 = 'https://service.com/api?q=3fc3645b439ce8e7f2553a69e5267081d96dcd340693afabe04be7b0ccd178df';
const LNURL_OF_LUD01 =
  'LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS';

function lnurlOf(bytes: Uint8Array | string, prefix = 'lnurl'): string {
  const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  return bech32.encode(prefix, bech32.toWords(data), false);
}

describe('LNURL encoding', () => {
  it('encodes and decodes the example of LUD-01', () => {
    expect(encodeLnurl(URL_OF_LUD01)).toBe(LNURL_OF_LUD01);
    expect(decodeLnurl(LNURL_OF_LUD01)).toBe(URL_OF_LUD01);
  });

  it('decodes lower case', () => {
    expect(decodeLnurl(LNURL_OF_LUD01.toLowerCase())).toBe(URL_OF_LUD01);
  });

  it('decodes every URL that it encoded', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(decodeLnurl(encodeLnurl(url))).toBe(url);
      }),
    );
  });

  it('encodes an onion URL with http', () => {
    const url = 'http://onionaddress.onion/lnurl';
    expect(decodeLnurl(encodeLnurl(url))).toBe(url);
  });
});

describe('bad LNURLs', () => {
  it.each([
    ['nothing', ''],
    ['a plain address', URL_OF_LUD01],
    ['mixed case', LNURL_OF_LUD01.replace('DP68', 'dp68')],
    ['a wrong checksum', `${LNURL_OF_LUD01.slice(0, -1)}Q`],
    ['another prefix', lnurlOf(URL_OF_LUD01, 'lnbc')],
    ['bytes that are not UTF-8', lnurlOf(Uint8Array.of(0x68, 0xff, 0xfe))],
    ['padding that is not zero', bech32.encode('lnurl', [...bech32.toWords(new TextEncoder().encode('http://a')), 1], false)],
    ['no address at all', lnurlOf('')],
    ['another scheme', lnurlOf('file:///etc/passwd')],
    ['script', lnurlOf('javascript:alert(1)')],
    ['an address with a line break', lnurlOf('https://a.example/\r\nHost: b')],
    ['an address with a space in front', lnurlOf(' https://a.example/')],
    ['a relative address', lnurlOf('/api?q=1')],
    ['too long a text', lnurlOf(`https://a.example/${'x'.repeat(4000)}`)],
  ])('refuses %s', (_, text) => {
    expect(() => decodeLnurl(text)).toThrow(InvalidLnurl);
  });

  it.each(['ftp://a.example/', 'a.example', 'https://a.example/ b', 'https://a.example/\ud800', `https://a.example/${'x'.repeat(4000)}`])(
    'encodes no address that it would not decode: %s',
    (url) => {
      expect(() => encodeLnurl(url)).toThrow(InvalidLnurl);
    },
  );

  it('throws only InvalidLnurl, and never repeats the input', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uint8Array().map((bytes) => lnurlOf(bytes)),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        try {
          decodeLnurl(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidLnurl);
          if (text.length > 20) expect(String(error)).not.toContain(text);
        }
      }),
    );
  });

  it('rejects every change of a single character', () => {
    const place = fc.nat(LNURL_OF_LUD01.length - 1);
    fc.assert(
      fc.property(place, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (at, other) => {
        fc.pre(other !== LNURL_OF_LUD01.charAt(at));
        expect(() => decodeLnurl(LNURL_OF_LUD01.slice(0, at) + other + LNURL_OF_LUD01.slice(at + 1))).toThrow(InvalidLnurl);
      }),
    );
  });
});
