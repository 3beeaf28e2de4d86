import type { Database, SqlReader, Tx } from '../db/database.ts';
import { openList } from '../db/list.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId, randomText, secretHash } from '../kernel/ids.ts';
import { type List, mapList } from '../kernel/list.ts';
import { requireFound } from '../kernel/refusal.ts';
import { SHORT_TTL, TtlCache } from '../kernel/ttl-cache.ts';
import { requireGuards } from '../ledger/ledger.ts';
import { type Key, keyGuards, statusOf } from './accounts.ts';
import * as sql from './sessions.sql.ts';

/** How a person logged in. */
export const SESSION_METHODS = ['password', 'setup_link', 'lnurl_auth', 'passkey'] as const;
export type SessionMethod = (typeof SESSION_METHODS)[number];

/** A session of a person in a browser, as the API returns it. Times are Unix seconds. */
export type Session = ReturnType<typeof sessionFromRow>;

/** A new session and its secret, which is returned only once. */
export interface StartedSession {
  readonly session: Session;
  readonly secret: string;
}

/** The characters of a secret: 256 random bits. */
export const SESSION_SECRET_LENGTH = 43;
/** A session without a request for this long ends. */
export const IDLE_SECONDS = 86_400;
/** A session ends at the latest after this time. */
export const SESSION_SECONDS = 14 * 86_400;
/** Each request would otherwise be a write. */
const TOUCH_SECONDS = 60;
const MAX_PER_ACCOUNT = 20;
/** Ended sessions are listed for this long. */
const KEPT_SECONDS = 30 * 86_400;
const MAX_USER_AGENT = 200;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(database: Database, clock: Clock) {
  const cache = new TtlCache<Key>(SHORT_TTL);

  async function load(hash: Uint8Array): Promise<Key | undefined> {
    const row = await database.first(sql.findSession, hash);
    if (!row) return undefined;
    const now = unixSeconds(clock);
    if (now - row.last_used_at >= TOUCH_SECONDS) await touch(row, now);
    return toKey(row);
  }

  /** Postpones the expiry. If the database cannot be written, the session stays readable until it expires. */
  async function touch(row: sql.SessionRow, now: number): Promise<void> {
    const expiresAt = Math.min(now + IDLE_SECONDS, row.latest_expires_at);
    await database.transaction((tx) => tx.run(sql.touchSession, row.id, now, expiresAt)).catch(() => undefined);
  }

  return {
    /** Returns the key of the valid session with this secret, with the rights of a secret API key; undefined if there is none. */
    async find(secret: string): Promise<Key | undefined> {
      if (secret.length !== SESSION_SECRET_LENGTH) return undefined;
      const hash = secretHash(secret);
      return cache.get(hash.toString('hex'), () => load(hash));
    },

    findById: (accountId: string, id: string) => findSessionById(database, clock, accountId, id),

    /** Returns the sessions of an account, in the order in which they began. */
    list: (accountId: string): List<Session> =>
      mapList(openList(database, { statements: sql.listSessions, filters: [accountId], prefix: 'ses' }), (rows) =>
        rows.map((row) => sessionFromRow(row, unixSeconds(clock))),
      ),

    /** Revokes a session. When it returns, the session moves no money. @throws Refusal `unauthorized`, `not_found` */
    async revoke(by: Key, id: string): Promise<Session> {
      await database.transaction(async (tx) => {
        await requireGuards(tx, keyGuards(by));
        await tx.run(sql.revokeSession, id, by.accountId, unixSeconds(clock));
      });
      return requireFound(await findSessionById(database, clock, by.accountId, id));
    },
  };
}

/** Returns a session of an account, valid or not. */
export async function findSessionById(queries: SqlReader, clock: Clock, accountId: string, id: string): Promise<Session | undefined> {
  const row = await queries.first(sql.findSessionById, id, accountId);
  return row && sessionFromRow(row, unixSeconds(clock));
}

/** Starts a session. The oldest sessions of an account with too many are revoked. */
export async function startSession(
  tx: Tx,
  clock: Clock,
  { accountId, method, userAgent }: { accountId: string; method: SessionMethod; userAgent: string },
): Promise<StartedSession> {
  const now = unixSeconds(clock);
  const id = `ses_${newId(clock.nowMs())}`;
  const secret = randomText(SESSION_SECRET_LENGTH);
  const agent = userAgent.slice(0, MAX_USER_AGENT).toWellFormed();
  await tx.run(sql.deleteEnded, accountId, now - KEPT_SECONDS);
  await tx.run(sql.insertSession, id, accountId, secretHash(secret), method, agent, now, now + IDLE_SECONDS, now + SESSION_SECONDS);
  await tx.run(sql.revokeOldest, accountId, now, MAX_PER_ACCOUNT);
  const session = await findSessionById(tx, clock, accountId, id);
  if (!session) throw new Error('the new session was not stored');
  return { session, secret };
}

/** Revokes the sessions of an account, except one. */
export async function revokeOtherSessions(tx: Tx, clock: Clock, accountId: string, keptId = ''): Promise<void> {
  await tx.run(sql.revokeOthers, accountId, keptId, unixSeconds(clock));
}

/** Requests of all sessions of an account share its Idempotency-Keys, so a retry after a new login is a replay. */
function toKey({ id, account_id: accountId }: sql.SessionRow): Key {
  return {
    id,
    kind: 'secret_api',
    accountId,
    walletId: undefined,
    lineageId: accountId,
    expiresAt: undefined,
    limits: undefined,
    isSession: true,
  };
}

function sessionFromRow(row: sql.SessionRow, nowSeconds: number) {
  return { ...row, status: statusOf(row, nowSeconds) };
}
