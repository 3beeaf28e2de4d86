import { randomBytes } from 'node:crypto';
import type { Database } from '../../../core/db/database.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { newId } from '../../../core/kernel/ids.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { type Guard, type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import { encodeLnurl } from '../../../core/lightning/bech32.ts';
import { tokenHash } from '../../lnurl/lnurl.ts';
import * as sql from './challenges.sql.ts';
import { callbackUrl, isSigned, type SignedChallenge } from './signature.ts';

/** The actions of LUD-04, which wallets show to their users. */
export const AUTH_ACTIONS = ['register', 'login', 'link', 'auth'] as const;
export type AuthAction = (typeof AUTH_ACTIONS)[number];

/** A request to a person to authenticate with a Lightning wallet. Times are Unix seconds. */
export interface Challenge {
  readonly id: string;
  readonly action: AuthAction | undefined;
  readonly status: 'open' | 'authenticated' | 'expired';
  /** The public key of the person at this service, in hex, once authenticated. */
  readonly linkingKey: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly authenticatedAt: number | undefined;
}

/** A new challenge. Its URL is returned only once. */
export interface CreatedChallenge {
  readonly challenge: Challenge;
  readonly url: string;
  /** `url` in bech32 (LUD-01), upper case. */
  readonly lnurl: string;
}

export interface NewChallenge {
  readonly accountId: string;
  readonly action: AuthAction | undefined;
  readonly expirySeconds: number;
  /** Conditions, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
  /** Returns rows to write in the same transaction. */
  readonly extraRows: (created: CreatedChallenge) => readonly RowWrite[];
}

/** How long a challenge can be read after it was created, in seconds: longer than any expiry. */
const KEPT_SECONDS = 7200;
/** An account with more must wait until the oldest are deleted. */
const MAX_PER_ACCOUNT = 10_000;
const DELETED_AT_ONCE = 100;

/** LNURL-auth (LUD-04): a person proves to own a key that a Lightning wallet derives for the domain of this service. */
export type Challenges = ReturnType<typeof createChallenges>;

/** Wallets derive their keys from the host of `publicUrl`. */
export function createChallenges(database: Database, clock: Clock, publicUrl: string) {
  /** @throws Refusal `rate_limited` if the account has too many */
  async function create({ accountId, action, expirySeconds, guards, extraRows }: NewChallenge): Promise<CreatedChallenge> {
    const id = `lnurla_${newId(clock.nowMs())}`;
    const k1 = randomBytes(32).toString('hex');
    const createdAt = unixSeconds(clock);
    const expiresAt = createdAt + expirySeconds;
    const url = callbackUrl(publicUrl, k1, action);
    const challenge = { id, action, status: 'open', linkingKey: undefined, createdAt, expiresAt, authenticatedAt: undefined } as const;
    const created = { challenge, url, lnurl: encodeLnurl(url) };
    await database.transaction(async (tx) => {
      await requireGuards(tx, guards);
      await tx.run(sql.deleteBefore, createdAt - KEPT_SECONDS, DELETED_AT_ONCE);
      const row = [id, accountId, tokenHash(k1), action ?? null, createdAt, expiresAt, MAX_PER_ACCOUNT];
      if ((await tx.run(sql.insertChallenge, ...row)) === 0)
        throw new Refusal('rate_limited', `The account has ${MAX_PER_ACCOUNT} challenges. Each is deleted after two hours.`);
      await writeRows(tx, extraRows(created));
    });
    return created;
  }

  /** Verifies the signature and stores the key, once. The same key may repeat it. @throws Refusal `link_unusable` */
  async function authenticate({ k1, signature, linkingKey }: SignedChallenge): Promise<void> {
    const hash = tokenHash(k1);
    if (!(await database.first(sql.findByK1, hash))) throw new Refusal('link_unusable', 'This login link is not valid.');
    if (!isSigned({ k1, signature, linkingKey })) throw new Refusal('link_unusable', 'The signature is not valid.');
    const stored = await database.transaction((tx) => tx.run(sql.authenticate, hash, linkingKey, unixSeconds(clock)));
    if (stored === 0) throw new Refusal('link_unusable', 'This login link has expired or has been used. Ask for a new one.');
  }

  return {
    create,
    authenticate,
    async find(id: string, accountId: string): Promise<Challenge | undefined> {
      const row = await database.first(sql.findInAccount, id, accountId);
      return row && toChallenge(row, unixSeconds(clock));
    },
  };
}

function toChallenge(row: sql.ChallengeRow, nowSeconds: number): Challenge {
  const isOpen = row.linking_key === null;
  return {
    id: row.id,
    action: (row.action ?? undefined) as AuthAction | undefined,
    status: isOpen ? (row.expires_at <= nowSeconds ? 'expired' : 'open') : 'authenticated',
    linkingKey: row.linking_key ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    authenticatedAt: row.authenticated_at ?? undefined,
  };
}
