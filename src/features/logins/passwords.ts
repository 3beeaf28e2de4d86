import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { Refusal } from '../../core/kernel/refusal.ts';
import { withBlock } from '../../http/limits/addresses.ts';
import { FairQueue, type QueuedCaller } from '../../http/limits/fair-queue.ts';
import { isBcrypt, verifyBcrypt } from './bcrypt.ts';

/** 32 MiB of memory and about 0.1 s: one of the settings that the OWASP Password Storage Cheat Sheet recommends. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/**
 * Each derivation occupies a core, and a thread of the pool that also reads files and resolves host names. Two at once on two cores take twice as
 * long and delay payments.
 */
const AT_ONCE = availableParallelism() > 2 ? 2 : 1;
const MAX_WAITING = 50;
/** An address may wait beyond that if it is the only one of its block (withBlock), of which IPv4 has 223: no attack from elsewhere refuses it. */
const MAX_ALONE = 200;

const runScrypt = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

type Derive = (password: string, salt: Uint8Array, options: ScryptOptions) => Promise<Uint8Array>;

/** Hashes passwords with scrypt. A hash contains its parameters and its salt. Imported hashes of bcrypt are accepted, too. */
export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords(
  derive: Derive = (password, salt, options) => runScrypt(password, salt, HASH_BYTES, options),
  maxAtOnce = AT_ONCE,
) {
  const waiting = new FairQueue({
    maxAtOnce,
    maxWaiting: MAX_WAITING,
    maxAlone: MAX_ALONE,
    full: () => new Refusal('rate_limited', 'Too many people log in right now. Try again shortly.'),
  });

  const enqueue = <T>({ groups, isKnown = false }: QueuedCaller, work: () => Promise<T>) =>
    waiting.run({ groups: withBlock(groups), isKnown }, work);

  async function run(caller: QueuedCaller, password: string, salt: Uint8Array, { N, r, p }: typeof COST): Promise<Uint8Array> {
    // 128 · N · r bytes, and as much again for the limit to be no obstacle. NFKC, because keyboards compose accents differently.
    return enqueue(caller, () => derive(password.normalize('NFKC'), salt, { N, r, p, maxmem: 256 * N * r }));
  }

  return {
    /** @throws Refusal `rate_limited` if too many wait */
    async hash(password: string, caller: QueuedCaller): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      const bytes = await run(caller, password, salt, COST);
      return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), Buffer.from(bytes).toString('base64url')].join('$');
    },

    /** Returns whether a hash is of this password. Without a hash it does the same work and returns false. @throws Refusal `rate_limited` */
    async verify(password: string, hash: string | undefined, caller: QueuedCaller): Promise<boolean> {
      if (hash !== undefined && isBcrypt(hash)) return enqueue(caller, () => verifyBcrypt(password, hash));
      const { salt, bytes, ...cost } = hash === undefined ? NO_HASH : parseHash(hash);
      const isSame = timingSafeEqual(await run(caller, password, salt, cost), bytes);
      return isSame && hash !== undefined;
    },

    /** Returns whether the next login with the password replaces this hash by one of {@link Passwords.hash}. */
    isReplaced: isBcrypt,
  };
}

/** A hash that no known password has, for e-mails without an account. */
const NO_HASH = { ...COST, salt: randomBytes(SALT_BYTES), bytes: randomBytes(HASH_BYTES) };

function parseHash(hash: string): typeof COST & { salt: Uint8Array; bytes: Uint8Array } {
  const [name, N, r, p, salt = '', bytes = ''] = hash.split('$');
  if (name !== 'scrypt') throw new Error('a stored password hash has an unknown form');
  const [saltBytes, hashBytes] = [Buffer.from(salt, 'base64url'), Buffer.from(bytes, 'base64url')];
  return { N: Number(N), r: Number(r), p: Number(p), salt: saltBytes, bytes: hashBytes };
}
