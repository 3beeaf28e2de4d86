import { describe, expect, it } from 'vitest';
import { InvalidPlaygroundUrl, parsePlaygroundUrl, playgroundUrl } from '../../../devnet/playground/shared.ts';

describe('the address of a shared playground', () => {
  it.each([
    ['playground://127.0.0.1:4022?secret=abc', { host: '127.0.0.1', port: 4022, secret: 'abc' }],
    ['playground://node.example/?secret=abc', { host: 'node.example', port: 4022, secret: 'abc' }],
    ['playground://[::1]:9?secret=a%26b%20c', { host: '::1', port: 9, secret: 'a&b c' }],
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
  ])('%s is not, and nothing of it is repeated', (text) => {
    expect(() => parsePlaygroundUrl(text)).toThrow(InvalidPlaygroundUrl);
    expect(() => parsePlaygroundUrl(text)).not.toThrow('hush');
  });
});
