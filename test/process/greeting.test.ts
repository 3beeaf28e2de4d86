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

it('prints the link to set a password with the keys of a new account, or names the file that has it', () => {
  const keys = { accountId: 'acc_1', secretKey: 'sak_1', publicKey: 'pak_1', setupToken: 'abc' };
  expect(greeting({ ...GREETING, newKeys: { keys } })).toContain('open http://127.0.0.1:4021/setup#abc\n');
  expect(greeting({ ...GREETING, newKeys: { file: '/data/first-key' } })).toContain('the link to set a password');
  expect(greeting(GREETING)).not.toContain('/setup');
});
