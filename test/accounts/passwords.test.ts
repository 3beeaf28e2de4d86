import { expect, it } from 'vitest';
import { isBcrypt } from '../../src/features/logins/bcrypt.ts';
import { createPasswords } from '../../src/features/logins/passwords.ts';

const STRANGER = { groups: ['203.0.113', '203.0.113.1'] };

function forStranger(...options: Parameters<typeof createPasswords>) {
  const { hash, verify } = createPasswords(...options);
  return {
    hash: (password: string) => hash(password, STRANGER),
    verify: (password: string, stored: string | undefined) => verify(password, stored, STRANGER),
  };
}

it('verifies a password with the parameters and the salt in its hash', async () => {
  const { hash, verify } = forStranger();
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
  expect(await forStranger().verify('pleaseletmein', `scrypt$16384$8$1$${salt}$${bytes}`)).toBe(true);
});

it('takes the same letters in another Unicode form for the same password', async () => {
  const { hash, verify } = forStranger();
  expect(await verify('cafe\u0301 terrace', await hash('caf\u00e9 terrace'))).toBe(true);
});

it('derives at most as many keys at once as it may, and refuses when too many wait', async () => {
  let running = 0;
  let most = 0;
  const derive = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    return Buffer.alloc(32);
  };
  const { verify } = forStranger(derive, 2);
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => verify('password', undefined)));
  expect(most).toBe(2);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(60 - 52);
  expect(await verify('password', undefined)).toBe(false);
});

it('lets the owner in while the attempts of many strange networks wait', async () => {
  const { promise: isFull, resolve: begin } = Promise.withResolvers<void>();
  const derive = async () => {
    await isFull;
    return Buffer.alloc(32);
  };
  const { verify } = createPasswords(derive, 1);
  const strangers = Array.from({ length: 100 }, (_, i) => verify('guess', undefined, { groups: [`10.0.${i}`, `10.0.${i}.1`] }));
  const settled = Promise.allSettled(strangers);
  const known = verify('password', undefined, { groups: ['198.51.100', '198.51.100.1'], isKnown: true });
  // One network with many attempts loses one to a network that has none.
  const crowd = createPasswords(derive, 1);
  const sameNetwork = Promise.allSettled(Array.from({ length: 60 }, () => crowd.verify('guess', undefined, STRANGER)));
  const fresh = crowd.verify('password', undefined, { groups: ['198.51.100', '198.51.100.1'] });
  begin();
  expect(await known).toBe(false);
  expect(await fresh).toBe(false);
  expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(49);
  expect((await sameNetwork).filter(({ status }) => status === 'rejected')).toHaveLength(10);
});

it.each([
  ['Go', '$2a$10$OIPz3pbnaHxmFCrgQbwDkuhSyHTrV8UxDplBoLrEh2LXk87jTtyOm'],
  ['PHP', '$2y$10$YiUBKriJtUNQTu7RgIPGpe6uSwO93EMS/eKWL0aqrzvw.LaodSvni'],
])('verifies hashes of bcrypt that %s has made', async (_, hash) => {
  const { verify } = forStranger();
  expect([await verify('correct horse battery staple', hash), await verify('correct horse battery stapled', hash)]).toEqual([true, false]);
});

it('rejects hashes of bcrypt that would occupy a processor for long', () => {
  const hash = `$2b$15$${'a'.repeat(53)}`;
  expect([isBcrypt(hash), isBcrypt(hash.replace('15', '14')), isBcrypt(hash.replace('15', '03')), isBcrypt(`${hash}a`)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
});
