import { describe, expect, it } from 'vitest';
import { InvalidPlaygroundUrl, parsePlaygroundUrl, playgroundUrl } from '../../../devnet/playground/shared.ts';

describe('the address of a shared playground', () => {
  it.each([
    ['playground://127.0.0.1:4022?secret=abc', { host: '127.0.0.1', port: 4022, secret: 'abc', node: 'hub' }],
    ['playground://node.example/?secret=abc', { host: 'node.example', port: 4022, secret: 'abc', node: 'hub' }],
    ['playground://[::1]:9?secret=a%26b%20c', { host: '::1', port: 9, secret: 'a&b c', node: 'hub' }],
    ['playground://127.0.0.1:4022?secret=abc&node=hub', { host: '127.0.0.1', port: 4022, secret: 'abc', node: 'hub' }],
    ['playground://127.0.0.1:4022?node=shop-2&secret=abc', { host: '127.0.0.1', port: 4022, secret: 'abc', node: 'shop-2' }],
  ])('accepts %s', (text, address) => {
    expect(parsePlaygroundUrl(text)).toEqual(address);
    expect(parsePlaygroundUrl(playgroundUrl(address))).toEqual(address);
  });

  it.each([
    'playground:',
    'playground:?secret=hush',
    'hush',
    'https://host:1?secret=hush',
    'playground://host:1',
    'playground://host:1?secret=',
    'playground://host:99999?secret=hush',
    'playground://user:hush@host:1?secret=hush',
    'playground://host:1/path?secret=hush',
    'playground://host:1?secret=hush&secret=hush',
    'playground://host:1?secret=hush&more=1',
    'playground://host:1?secret=hush#part',
    'playground://host:1?secret=hush&node=',
    'playground://host:1?secret=hush&node=Hush',
    'playground://host:1?secret=hush&node=2hush',
    'playground://host:1?secret=hush&node=hush/hush',
    'playground://host:1?secret=hush&node=h%C3%BCsh',
    'playground://host:1?secret=hush&node=alice',
    'playground://host:1?secret=hush&node=carol',
    'playground://host:1?secret=hush&node=one&node=hush',
    `playground://host:1?secret=hush&node=${'hush'.repeat(8)}h`,
  ])('%s is not, and nothing of it is repeated', (text) => {
    expect(() => parsePlaygroundUrl(text)).toThrow(InvalidPlaygroundUrl);
    expect(() => parsePlaygroundUrl(text)).not.toThrow('hush');
  });
});
