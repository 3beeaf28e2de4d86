import { type Key, keyGuard } from '../../../core/accounts/accounts.ts';
import type { Database, SqlReader } from '../../../core/db/database.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { newId } from '../../../core/kernel/ids.ts';
import { Refusal, requireFound } from '../../../core/kernel/refusal.ts';
import { type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import * as sql from './challenges.sql.ts';
import { newSignatureRequest, type SignedChallenge, storeSignature } from './signature.ts';

/** The actions of LUD-04, which wallets show to their users. */
export const AUTH_ACTIONS = ['register', 'login', 'link', 'auth'] as const;
export type AuthAction = (typeof AUTH_ACTIONS)[number];

/** A request to a person to authenticate with a Lightning wallet, as the API returns it. Times are Unix seconds. */
export type Challenge = ReturnType<typeof challengeFromRow>;

/** A new challenge. Its URL is returned only once, as it is and in bech32 (LUD-01). */
export type CreatedChallenge = Challenge & { readonly url: string; readonly lnurl: string };

/** How long a challenge can be read after it was created, in seconds: longer than any expiry. */
const KEPT_SECONDS = 7200;
/** An account with more must wait until the oldest are deleted. */
const MAX_PER_ACCOUNT = 10_000;
const DELETED_AT_ONCE = 100;

/** LNURL-auth (LUD-04): a person proves to own a key that a Lightning wallet derives for the domain of this service. */
export type Challenges = ReturnType<typeof createChallenges>;

/** Wallets derive their keys from the host of `publicUrl`. */
export function createChallenges(database: Database, clock: Clock, publicUrl: string) {
  async function read(queries: SqlReader, id: string, accountId: string): Promise<Challenge> {
    const row = requireFound(await queries.first(sql.findInAccount, id, accountId));
    return challengeFromRow(row, unixSeconds(clock));
  }

  return {
    /** @throws Refusal `not_found` */
    find: (id: string, accountId: string) => read(database, id, accountId),

    /** Creates a challenge of the account of `by`. @throws Refusal `unauthorized`, `rate_limited` if the account has too many */
    create: (
      by: Key,
      { action, expirySeconds }: { action: AuthAction | undefined; expirySeconds: number },
      extraRows: (created: CreatedChallenge) => readonly RowWrite[],
    ): Promise<CreatedChallenge> =>
      database.transaction(async (tx) => {
        const id = `lnurla_${newId(clock.nowMs())}`;
        const { k1Hash, ...links } = newSignatureRequest(publicUrl, action);
        const createdAt = unixSeconds(clock);
        await requireGuards(tx, [keyGuard(by)]);
        await tx.run(sql.deleteBefore, createdAt - KEPT_SECONDS, DELETED_AT_ONCE);
        const row = [id, by.accountId, k1Hash, action ?? null, createdAt, createdAt + expirySeconds, MAX_PER_ACCOUNT];
        if ((await tx.run(sql.insertChallenge, ...row)) === 0)
          throw new Refusal('rate_limited', `The account has ${MAX_PER_ACCOUNT} challenges. Each is deleted after two hours.`);
        const created = { ...(await read(tx, id, by.accountId)), ...links };
        await writeRows(tx, extraRows(created));
        return created;
      }),

    /** Stores the key that signed. @returns false if there is no such challenge @throws Refusal `link_unusable` */
    authenticate: (signed: SignedChallenge) => storeSignature(database, clock, signed, { find: sql.findByK1, store: sql.authenticate }),
  };
}

function challengeFromRow(row: sql.ChallengeRow, nowSeconds: number) {
  const isExpired = row.expires_at <= nowSeconds;
  return { ...row, status: row.linking_key !== null ? ('authenticated' as const) : isExpired ? ('expired' as const) : ('open' as const) };
}
