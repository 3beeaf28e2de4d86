import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresCopies } from '../postgres-copies.ts';

/** The users of the database, with the balances that lndhub.go's API returned for them. */
export interface LndhubUser {
  readonly name: string;
  readonly login: string;
  readonly password: string;
  readonly balance: number;
}

export const USERS = JSON.parse(readFileSync(join(import.meta.dirname, 'users.json'), 'utf8')) as readonly LndhubUser[];

/** Returns a user by the name in the fixture. */
export function userOf(name: string): LndhubUser {
  const user = USERS.find((one) => one.name === name);
  if (!user) throw new Error(`no user ${name}`);
  return user;
}

/** Creates a copy of the database that lndhub.go has made, and changes it. Returns its URL. */
export const lndhubDatabase = postgresCopies(join(import.meta.dirname, 'lndhub.sql'));
