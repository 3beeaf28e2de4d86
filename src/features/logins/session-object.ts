import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Account, AccountDirectory } from '../../core/accounts/directory.ts';
import { SESSION_METHODS, type Session, type StartedSession } from '../../core/accounts/sessions.ts';
import type { Access } from '../../http/auth/access.ts';
import { setSessionCookie } from '../../http/auth/session-cookie.ts';
import { nullable, oneOf } from '../../http/responses/response-types.ts';
import { AccountObject, renderAccount } from '../accounts/account-object.ts';
import type { LoginLimits } from './login-limits.ts';
import type { SecondFactors } from './second-factors.ts';

export const SessionObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the session, `ses_…`. It is not a secret' }),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    method: oneOf(SESSION_METHODS, { description: 'How the person logged in' }),
    status: oneOf(['active', 'expired', 'revoked'], { description: 'Only an `active` session is accepted' }),
    last_used_at: Type.Integer({ description: 'The last use, a minute exact, in Unix seconds' }),
    expires_at: Type.Integer({ description: 'When it ends if it is not used, in Unix seconds' }),
    user_agent: Type.String({ description: 'The browser, as it names itself' }),
    is_current: Type.Boolean({ description: 'Whether this request belongs to the session' }),
  },
  { title: 'Session' },
);

export const LoginObject = Type.Object(
  {
    account: AccountObject,
    recovery_codes_left: nullable(Type.Integer({ description: 'The number of unused recovery codes; null without an authenticator app' })),
    session: nullable(SessionObject, { description: 'The session of this request; null for a request with an API key' }),
  },
  { title: 'Login' },
);

export function renderSession(session: Session, currentId: string | undefined): Static<typeof SessionObject> {
  return {
    id: session.id,
    created_at: session.createdAt,
    method: session.method,
    status: session.status,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
    user_agent: session.userAgent,
    is_current: session.id === currentId,
  };
}

/** Responses with an account and the session of the request. */
export type LoginResponses = ReturnType<typeof createLoginResponses>;

export function createLoginResponses({ directory, secondFactors }: { directory: AccountDirectory; secondFactors: SecondFactors }) {
  async function read(accountId: string, session: Session | undefined): Promise<Static<typeof LoginObject>> {
    return {
      account: renderAccount(await accountOf(directory, accountId)),
      recovery_codes_left: (await secondFactors.countRecoveryCodes(accountId)) ?? null,
      session: session ? renderSession(session, session.id) : null,
    };
  }
  return {
    read,

    /** Sends the response to a login, which sets the cookie. */
    async sendStarted(reply: FastifyReply, { session, secret }: StartedSession): Promise<FastifyReply> {
      setSessionCookie(reply, secret);
      return reply.code(201).send(await read(session.accountId, session));
    },
  };
}

/** What the routes that log in use, next to the module that they call. */
export interface LoginRouteModules {
  readonly access: Access;
  readonly loginLimits: LoginLimits;
  readonly loginResponses: LoginResponses;
}

/** Returns the account of a key. Accounts are never deleted. */
export async function accountOf(directory: AccountDirectory, id: string): Promise<Account> {
  const account = await directory.find(id);
  if (!account) throw new Error(`account ${id} is gone`);
  return account;
}

/** Fields of the routes that log in, or change the ways to log in. */
export const Password = Type.String({ maxLength: 200, description: 'The password' });
export const CurrentPassword = {
  ...Password,
  description: 'The present password. It may be absent for ten minutes after a login with e-mail and password, a setup link or a passkey',
};
export const Code = Type.String({
  maxLength: 20,
  description: 'A code of the authenticator app, or a recovery code. Each is accepted once',
});

export const COOKIE = 'The response sets a cookie, which authenticates the next requests of the browser.';
export const NO_REPLAY = 'It takes no Idempotency-Key: the service stores nothing that is derived from a password, except its slow hash.';

export function userAgentOf({ headers }: FastifyRequest): string {
  return headers['user-agent'] ?? '';
}
