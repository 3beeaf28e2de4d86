import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { type Key, SECRET_STATUSES } from '../../core/accounts/accounts.ts';
import type { AccountDirectory } from '../../core/accounts/directory.ts';
import { SESSION_METHODS, type Session, type StartedSession } from '../../core/accounts/sessions.ts';
import type { Access } from '../../http/auth/access.ts';
import { setSessionCookie } from '../../http/auth/session-cookie.ts';
import { MANAGES, PUBLIC, requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { AccountObject } from '../accounts/account-object.ts';
import type { LoginLimits } from './login-limits.ts';
import type { LoginModules } from './login-modules.ts';

export const SessionObject = namedObject('Session', {
  id: Type.String({ description: 'The id of the session, `ses_…`. It is not a secret' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  method: oneOf(SESSION_METHODS, { description: 'How the person logged in. `setup_link`: with a setup link or a recovery code' }),
  status: oneOf(SECRET_STATUSES, { description: 'Only an `active` session is accepted' }),
  last_used_at: Type.Integer({ description: 'The last use, a minute exact, in Unix seconds' }),
  expires_at: Type.Integer({ description: 'When it ends if it is not used, in Unix seconds' }),
  user_agent: Type.String({ description: 'The browser, as it names itself' }),
  is_current: Type.Boolean({ description: 'Whether this request belongs to the session' }),
});

export const LoginObject = namedObject('Login', {
  account: AccountObject,
  recovery_codes_left: nullable(
    Type.Integer({ description: 'The number of unused recovery codes; null without codes and without an authenticator app' }),
  ),
  session: nullable(SessionObject, { description: 'The session of this request; null for a request with an API key' }),
});

export function renderSession(session: Session, currentId: string | undefined): Static<typeof SessionObject> {
  return { ...session, is_current: session.id === currentId };
}

/** Responses with an account and the session of the request. */
export type LoginResponses = ReturnType<typeof createLoginResponses>;

export function createLoginResponses({ directory, recoveryCodes, sessions }: LoginModules & { directory: AccountDirectory }) {
  async function render(accountId: string, session: Session | undefined): Promise<Static<typeof LoginObject>> {
    return {
      account: await directory.find(accountId),
      recovery_codes_left: (await recoveryCodes.count(accountId)) ?? null,
      session: session ? renderSession(session, session.id) : null,
    };
  }
  return {
    /** Returns the account of a key, and the session for which it stands. */
    read: async ({ accountId, id, isSession }: Key) => render(accountId, isSession ? await sessions.findById(accountId, id) : undefined),

    /** Sends the response to a login, which sets the cookie. */
    async sendStarted(reply: FastifyReply, { session, secret }: StartedSession): Promise<FastifyReply> {
      setSessionCookie(reply, secret);
      return reply.code(201).send(await render(session.account_id, session));
    },
  };
}

/** What the routes of logins use. */
export interface LoginRouteModules extends LoginModules {
  readonly access: Access;
  readonly directory: AccountDirectory;
  readonly publicUrl: string;
  readonly loginLimits: LoginLimits;
  readonly loginResponses: LoginResponses;
}

/** Fields of the routes that log in, or change the ways to log in. */
export const Password = Type.String({ maxLength: 200, description: 'The password' });
export const CurrentPassword = {
  ...Password,
  description: 'The present password. It may be absent for ten minutes after a login with e-mail and password, a setup link or a passkey',
};
export const NewPassword = Type.String({
  minLength: 10,
  maxLength: 200,
  rule: 'a text of 10 to 200 characters',
  description: 'The new password',
});
export const Code = Type.String({
  maxLength: 20,
  description: 'A code of the authenticator app, or a recovery code. Each is accepted once',
});

export const COOKIE = 'The response sets a cookie, which authenticates the next requests of the browser.';
export const NO_REPLAY = 'It takes no Idempotency-Key: the service stores nothing that is derived from a password, except its slow hash.';

/** Parts of the schemas: of routes of one session, of routes that change the ways to log in, and of routes that start a session. */
export const OWN_SESSION = { tags: ['Sessions'], ...requires('account') };
export const OWN_LOGIN = { ...OWN_SESSION, ...MANAGES };
export const STARTS_SESSION = {
  tags: ['Sessions'],
  ...PUBLIC,
  response: { 201: LoginObject },
  responseHeaders: ['Set-Cookie'],
  errorStatuses: [401, 403],
};

/** The configuration of routes that log in: they need no key, and reject pages of other sites. */
export const FOR_OWN_PAGES = { isPublic: true, isForOwnPages: true };

export function userAgentOf({ headers }: FastifyRequest): string {
  return headers['user-agent'] ?? '';
}
