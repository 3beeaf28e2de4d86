import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

/** A password to compare with a bcrypt hash. */
export interface BcryptCheck {
  readonly password: string;
  readonly hash: string;
}

const { password, hash } = workerData as BcryptCheck;
parentPort?.postMessage(compareSync(password, hash));
