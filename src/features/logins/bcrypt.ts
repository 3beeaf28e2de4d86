import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../core/kernel/module-url.ts';
import type { BcryptCheck } from './bcrypt-worker.ts';

/** Each step doubles the time: 12 takes a third of a second here, and 14 more than a second. PHP and Go use 10 to 13. */
const MAX_COST = 14;

/**
 * Returns whether a text is a bcrypt hash that this service checks. Only imported accounts have one, and only until their first login.
 * `$2y$` (PHP) and `$2a$` (Go) are computed like `$2b$`.
 */
export function isBcrypt(hash: string): boolean {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  return cost !== undefined && Number(cost) >= 4 && Number(cost) <= MAX_COST;
}

/**
 * Returns whether a bcrypt hash is of this password. It takes 50 ms or more, so it runs in a thread, which ends with it: each imported password is
 * checked once. Its bytes after the 72nd have no effect.
 */
export async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  const workerData: BcryptCheck = { password, hash };
  const worker = new Worker(moduleUrl('bcrypt-worker', import.meta.url), { workerData });
  const [isSame] = (await once(worker, 'message')) as [boolean];
  return isSame;
}
