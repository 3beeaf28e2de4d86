import { hkdfSync } from 'node:crypto';
import type { Database, Tx } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { hmacSha256 } from '../kernel/crypto.ts';
import { randomText, secretHash } from '../kernel/ids.ts';
import * as sql from './accounts.sql.ts';
import { lockAccount } from './accounts.ts';

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
  await tx.run(sql.insertSetupLink, accountId, secretHash(token), now, expiresAt);
  return { token, expiresAt };
}

/**
 * Creates a link for an account. Write access to the database is the authorization.
 * @returns undefined for an unknown account
 */
export function replaceSetupLink(database: Database, clock: Clock, accountId: string): Promise<SetupLink | undefined> {
  return database.transaction(async (tx) => ((await lockAccount(tx, accountId)) ? createSetupLink(tx, clock, accountId) : undefined));
}

/** Instances that start within this time print the same link, so that each printed link works. */
const SHARED_SECONDS = 300;

/**
 * Creates a link for the operator as long as no operator can log in. It replaces an earlier link; on PostgreSQL, it is the one that another
 * instance has just created: the token is derived from `secretKey`, so each instance can compute it.
 * @returns undefined if an operator can log in
 */
export function createStartLink(database: Database, clock: Clock, secretKey: Uint8Array): Promise<SetupLink | undefined> {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, new Uint8Array(), 'satchel setup links', 32));
  return database.transaction(async (tx) => {
    const accountId = (await tx.first(sql.findOperatorWithoutLogin))?.id;
    if (accountId === undefined) return undefined;
    await lockAccount(tx, accountId);
    // The login may have been set up before the lock.
    if (!(await tx.first(sql.findOperatorWithoutLogin))) return undefined;
    const now = unixSeconds(clock);
    const old = await tx.first(sql.findSetupLinkOf, accountId);
    const isShared = database.dialect === 'postgres' && old !== undefined && now < old.created_at + SHARED_SECONDS;
    const shared = isShared ? startToken(key, accountId, old.created_at) : '';
    if (isShared && secretHash(shared).equals(old.token_hash)) return { token: shared, expiresAt: old.expires_at };
    // Two links of one account never have the same time, and so not the same token.
    const createdAt = Math.max(now, (old?.created_at ?? 0) + 1);
    const token = startToken(key, accountId, createdAt);
    const expiresAt = createdAt + EXPIRY_SECONDS;
    await tx.run(sql.insertSetupLink, accountId, secretHash(token), createdAt, expiresAt);
    return { token, expiresAt };
  });
}

function startToken(key: Uint8Array, accountId: string, createdAt: number): string {
  return hmacSha256(key, `${accountId} ${createdAt}`).toString('base64url');
}

/** Returns the account of a link that can be used; undefined if it is unknown, used or expired. */
export async function findSetupLink(database: Database, clock: Clock, token: string): Promise<string | undefined> {
  return (await database.first(sql.findSetupLink, secretHash(token), unixSeconds(clock)))?.account_id;
}

/** Uses up a link. @returns false if it is unknown, used or expired */
export async function takeSetupLink(tx: Tx, clock: Clock, token: string): Promise<boolean> {
  return (await tx.run(sql.deleteSetupLink, secretHash(token), unixSeconds(clock))) === 1;
}

/** Returns the address of a page of the dashboard. Browsers send no fragment, so no log contains the token. */
export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/setup#${token}`;
}
