import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { InvalidLndUrl, parseLndUrl } from '../../../src/core/lightning/lnd/url.ts';

describe('the URL of an LND node', () => {
  it('names the files of the certificate and of the macaroon', () => {
    expect(parseLndUrl('lnd+rest://127.0.0.1:8080?cert=/lnd/tls.cert&macaroon=/lnd/a%20b.macaroon')).toEqual({
      host: '127.0.0.1',
      port: 8080,
      certificate: { file: '/lnd/tls.cert' },
      macaroon: { file: '/lnd/a b.macaroon' },
      hopHints: false,
      holdsKeysends: false,
    });
  });

  it('contains the certificate and the macaroon in base64url or base64', () => {
    for (const cert of ['-_8', '%2B%2F8%3D', '+/8=']) {
      const address = parseLndUrl(`lndconnect://[::1]:8080?cert=${cert}&macaroon=AgED`);
      expect(address).toMatchObject({ host: '::1', certificate: { bytes: Buffer.from('fbff', 'hex') } });
      expect(address.macaroon).toEqual({ bytes: Buffer.from('020103', 'hex') });
    }
  });

  it('needs no certificate if a public authority has signed that of the node', () => {
    expect(parseLndUrl('lnd+rest://lnd.example:443/?macaroon=/m').certificate).toBeUndefined();
  });

  it('can ask for hop hints and state that the node holds keysends', () => {
    expect(parseLndUrl('lnd+rest://h:1?macaroon=/m&private=true&keysends=held')).toMatchObject({ hopHints: true, holdsKeysends: true });
  });

  it.each([
    ['lnd:hush', 'not the URL of an LND node'],
    ['https://127.0.0.1:8080?macaroon=/hush', 'not the URL of an LND node'],
    ['lnd+rest://?macaroon=/hush', 'no'],
    ['lnd+rest://127.0.0.1?macaroon=/hush', 'no port: add the port of its REST interface, usually 8080'],
    ['lnd+rest://127.0.0.1:99999?macaroon=/hush', 'an invalid host or port; a port is 1 to 65535'],
    ['lnd+rest://user:hush@127.0.0.1:8080?macaroon=/m', 'more than host, port, and parameters'],
    ['lnd+rest://127.0.0.1:8080/hush?macaroon=/m', 'more than host, port, and parameters'],
    ['lnd+rest://127.0.0.1:8080?macaroon=/m#hush', 'more than host, port, and parameters'],
    ['lnd+rest://127.0.0.1:8080', 'no parameter `macaroon`'],
    ['lnd+rest://127.0.0.1:8080?cert=/tls.cert', 'no parameter `macaroon`'],
    ['lnd+rest://127.0.0.1:8080?certificate=/hush&macaroon=/m', '`certificate`, and only cert, macaroon, private, keysends are known'],
    ['lnd+rest://127.0.0.1:8080?AgEDbG5kAhush0201', 'a parameter without a name'],
    ['lnd+rest://127.0.0.1:8080?macaroon=/m&macaroon=/hush', 'two parameters `macaroon`'],
    ['lnd+rest://127.0.0.1:8080?macaroon=', '`macaroon` has no value'],
    ['lnd+rest://127.0.0.1:8080?macaroon', '`macaroon` has no value'],
    ['lnd+rest://127.0.0.1:8080?macaroon=%hush', 'a percent sign that is not followed by two hexadecimal digits'],
    ['lnd+rest://127.0.0.1:8080?macaroon=~/hush', '`macaroon` must be the full path of a file, beginning with /'],
    ['lnd+rest://127.0.0.1:8080?macaroon=AgEDhush', 'write lndconnect:// instead of lnd+rest://'],
    ['lndconnect://127.0.0.1:8080?macaroon=/hush', 'for the path of a file, write lnd+rest:// instead'],
    ['lndconnect://127.0.0.1:8080?macaroon=hush!', '`macaroon` must be base64url'],
    ['lnd+rest://127.0.0.1:8080?macaroon=/m&private=yes', '`private` must be true or false'],
    ['lnd+rest://127.0.0.1:8080?macaroon=/m&keysends=hush', '`keysends` must be held, or absent'],
  ])('%s is rejected with what to write, and nothing secret is repeated', (text, reason) => {
    expect(() => parseLndUrl(text)).toThrow(InvalidLndUrl);
    expect(() => parseLndUrl(text)).toThrow(reason);
    expect(() => parseLndUrl(text)).not.toThrow('hush');
    expect(() => readConfig({ LIGHTNING_URL: text })).toThrow(/^LIGHTNING_URL/);
    expect(() => readConfig({ LIGHTNING_URL: text })).not.toThrow('hush');
  });
});
