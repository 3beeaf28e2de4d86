import { expect, it } from 'vitest';
import { type Greeting, greeting } from '../../src/greeting.ts';

const GREETING: Greeting = {
  publicUrl: 'http://127.0.0.1:4021',
  localUrl: 'http://127.0.0.1:4021',
  newKeys: undefined,
  isNodeAvailable: true,
  hasPlayground: true,
  secretKeyShell: '"$(head -n 1 data/first-key)"',
};

it('prints commands of the playground on a test network, and an invoice for any wallet to pay on a real node', () => {
  expect(greeting(GREETING)).toContain('curl -s $URL/playground/fund ');
  const real = greeting({ ...GREETING, hasPlayground: false });
  expect(real).not.toContain('playground');
  expect(real).toContain('curl -s $URL/v1/wallet/$WALLET/invoice ');
});

it('says that the service waits while its node does not answer, and warns of a fake node', () => {
  expect(greeting({ ...GREETING, isNodeAvailable: false })).toContain('waits for its Lightning node');
  expect(greeting({ ...GREETING, isFake: true })).toContain('FAKE');
});

it('says that a restored service sends no money, and how to end that', () => {
  expect(greeting(GREETING)).not.toContain('restore');
  expect(greeting({ ...GREETING, isRestored: true })).toMatch(/sends none until you run `satchel restore accept`/);
});

it('prints the setup link to a terminal, otherwise only the file with it', () => {
  expect(greeting(GREETING)).not.toContain('log in');
  expect(greeting({ ...GREETING, setupLink: { url: 'http://127.0.0.1:4021/setup#token' } })).toContain('http://127.0.0.1:4021/setup#token');
  expect(greeting({ ...GREETING, setupLink: { file: '/data/setup-link' } })).toContain('is in /data/setup-link, which only you can read.');
});
