import { expect, it } from 'vitest';
import { createPasswords } from '../../src/features/logins/passwords.ts';

it('verifies a password with the parameters and the salt in its hash', async () => {
  const { hash, verify } = createPasswords();
  const [one, two] = [await hash('correct horse'), await hash('correct horse')];
  expect(one).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  expect(one).not.toBe(two);
  expect([await verify('correct horse', one), await verify('correct horsf', one), await verify('', one)]).toEqual([true, false, false]);
  expect(await verify('correct horse', undefined)).toBe(false);
});

it('matches a vector of RFC 7914', async () => {
  const salt = Buffer.from('SodiumChloride').toString('base64url');
  // The vector has 64 bytes; scrypt's first 32 are the same, because its last step is PBKDF2.
  const bytes = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex').toString('base64url');
  expect(await createPasswords().verify('pleaseletmein', `scrypt$16384$8$1$${salt}$${bytes}`)).toBe(true);
});

it('takes the same letters in another Unicode form for the same password', async () => {
  const { hash, verify } = createPasswords();
  expect(await verify('cafe\u0301 terrace', await hash('caf\u00e9 terrace'))).toBe(true);
});

it('derives at most two keys at once, and refuses when too many wait', async () => {
  let running = 0;
  let most = 0;
  const { verify } = createPasswords(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    return Buffer.alloc(32);
  });
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => verify('password', undefined)));
  expect(most).toBe(2);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(60 - 52);
  expect(await verify('password', undefined)).toBe(false);
});
