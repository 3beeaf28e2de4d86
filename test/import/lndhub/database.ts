import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';

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
export async function lndhubDatabase(...changes: string[]): Promise<string> {
  const name = `test_lndhub_${randomBytes(8).toString('hex')}`;
  const server = inject('postgresUrl');
  await execute(server, [`CREATE DATABASE ${name}`]);
  const url = new URL(server);
  url.pathname = `/${name}`;
  // The dump sets an empty search path for its connection.
  await execute(url.href, [readFileSync(join(import.meta.dirname, 'lndhub.sql'), 'utf8')]);
  await execute(url.href, changes);
  return url.href;
}

async function execute(connectionString: string, texts: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}
