import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import type { Account, AccountDirectory } from '../../core/accounts/directory.ts';
import type { Session, StartedSession } from '../../core/accounts/sessions.ts';
import { setSessionCookie } from '../../http/auth/session-cookie.ts';
import type { SecondFactors } from './second-factors.ts';
import { type LoginObject, renderLogin } from './session-object.ts';

/** Responses with an account and the session of the request. */
export interface LoginResponses {
  read(accountId: string, session: Session | undefined): Promise<Static<typeof LoginObject>>;
  /** Sends the response to a login, which sets the cookie. */
  sendStarted(reply: FastifyReply, started: StartedSession): Promise<FastifyReply>;
}

export interface LoginResponseDependencies {
  readonly directory: Pick<AccountDirectory, 'find'>;
  readonly secondFactors: Pick<SecondFactors, 'countRecoveryCodes'>;
}

export function createLoginResponses({ directory, secondFactors }: LoginResponseDependencies): LoginResponses {
  async function read(accountId: string, session: Session | undefined): Promise<Static<typeof LoginObject>> {
    const account = await accountOf(directory, accountId);
    return renderLogin({ account, session, recoveryCodesLeft: await secondFactors.countRecoveryCodes(accountId) });
  }
  return {
    read,
    async sendStarted(reply, { session, secret }) {
      setSessionCookie(reply, secret);
      return reply.code(201).send(await read(session.accountId, session));
    },
  };
}

/** Returns the account of a key. Accounts are never deleted. */
export async function accountOf(directory: Pick<AccountDirectory, 'find'>, id: string): Promise<Account> {
  const account = await directory.find(id);
  if (!account) throw new Error(`account ${id} is gone`);
  return account;
}
