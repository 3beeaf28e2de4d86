import { type Key, keyGuards } from '../../../core/accounts/accounts.ts';
import type { Database, SqlReader } from '../../../core/db/database.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { newId } from '../../../core/kernel/ids.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import * as sql from './challenges.sql.ts';
import { insertChallenge, type SignedChallenge, signChallenge } from './signature.ts';

/** The actions of LUD-04, which wallets show to their users. */
export const AUTH_ACTIONS = ['register', 'login', 'link', 'auth'] as const;
export type AuthAction = (typeof AUTH_ACTIONS)[number];

/** A request to a person to authenticate with a Lightning wallet, as the API returns it. Times are Unix seconds. */
export type Challenge = ReturnType<typeof challengeFromRow>;

/** A new challenge. Its URL is returned only once, as it is and in bech32 (LUD-01). */
export type CreatedChallenge = Challenge & { readonly url: string; readonly lnurl: string };

/** A challenge can be read for two hours, which is longer than any expiry. An account with the maximum waits until the oldest are deleted. */
const LIMITS = { keptSeconds: 7200, max: 10_000 };

/** LNURL-auth (LUD-04): a person proves to own a key that a Lightning wallet derives for the domain of this service. */
export type Challenges = ReturnType<typeof createChallenges>;

/** Wallets derive their keys from the host of `publicUrl`. */
export function createChallenges(database: Database, clock: Clock, publicUrl: string) {
  async function read(queries: SqlReader, id: string, accountId: string): Promise<Challenge> {
    const row = await queries.first(sql.findById, id, 'application');
    if (row?.account_id !== accountId) throw new Refusal('not_found');
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
        await requireGuards(tx, keyGuards(by));
        const challenge = {
          id: `lnurla_${newId(clock.nowMs())}`,
          purpose: 'application',
          action: action ?? null,
          account_id: by.accountId,
        } as const;
        const inserted = await insertChallenge(tx, { clock, publicUrl }, challenge, { ...LIMITS, expirySeconds });
        if (!inserted) throw new Refusal('rate_limited', `The account has ${LIMITS.max} challenges. Each is deleted after two hours.`);
        const created = { ...inserted, ...(await read(tx, inserted.id, by.accountId)) };
        await writeRows(tx, extraRows(created));
        return created;
      }),

    /** Verifies the signature of a challenge, of any purpose, and stores the key. @throws Refusal `link_unusable` */
    sign: (signed: SignedChallenge) => signChallenge(database, clock, signed),
  };
}

function challengeFromRow(row: sql.ChallengeRow, nowSeconds: number) {
  const isExpired = row.expires_at <= nowSeconds;
  return { ...row, status: row.linking_key !== null ? ('authenticated' as const) : isExpired ? ('expired' as const) : ('open' as const) };
}
