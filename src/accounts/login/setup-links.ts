import { hash } from 'node:crypto';
import type { Database, Tx } from '../../db/database.ts';
import { type Clock, unixSeconds } from '../../kernel/clock.ts';
import { randomText } from '../../kernel/ids.ts';
import { lockAccount } from '../keyring.sql.ts';
import * as sql from './logins.sql.ts';

/** A link with which a person sets the e-mail and the password of an account, once. */
export interface SetupLink {
  /** It is not stored. */
  readonly token: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** 256 random bits. */
const TOKEN_LENGTH = 43;
const EXPIRY_SECONDS = 7 * 86_400;

/** Creates a link, which replaces an earlier one of the account. */
export async function createSetupLink(tx: Tx, clock: Clock, accountId: string): Promise<SetupLink> {
  const token = randomText(TOKEN_LENGTH);
  const now = unixSeconds(clock);
  const expiresAt = now + EXPIRY_SECONDS;
  await tx.run(sql.insertSetupLink, accountId, setupTokenHash(token), now, expiresAt);
  return { token, expiresAt };
}

/**
 * Creates a link for an account. Write access to the database is the authorization.
 * @returns undefined for an unknown account
 */
export function replaceSetupLink(database: Database, clock: Clock, accountId: string): Promise<SetupLink | undefined> {
  return database.transaction(async (tx) => ((await tx.first(lockAccount, accountId)) ? createSetupLink(tx, clock, accountId) : undefined));
}

export function setupTokenHash(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}

/** Returns the address of a page of the dashboard. Browsers send no fragment, so no log contains the token. */
export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/setup#${token}`;
}
